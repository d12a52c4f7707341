/* cgsolve compare A.json B.json: what changed between two reports. */
#ifndef CGS_SRC_COMPARE_H
#define CGS_SRC_COMPARE_H

#include <stdio.h>

#include "src/options.h"

/* options->words are the two files. CGS_FILE: one of them cannot be read, is no JSON, or no report
 * of cgsolve. CGS_USAGE: they are reports of different commands. */
enum cgs_status cgs_compare(struct cgs_context *context, const struct cgs_options *options,
                            FILE *text);

#endif
