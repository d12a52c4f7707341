/* The origin of a JSON report: the program, the command, the matrix. */
#ifndef CGS_SRC_REPORT_PROVENANCE_H
#define CGS_SRC_REPORT_PROVENANCE_H

#include <jansson.h>

#include "src/run/report.h"
#include "src/setup/input.h"

/* An object with cgsolve, date, arguments (and arguments_bytes), command. Owned by the caller; NULL without memory. */
json_t *cgs_json_head(const struct cgs_report *report);

/* Adds the origin of a matrix: origin ("box", "file", "random"), and file, N or random. */
void cgs_put_input(json_t *object, const struct cgs_options *options,
                   const struct cgs_input *input);

#endif
