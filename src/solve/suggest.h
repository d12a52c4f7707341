/* Suggestions of what to try next: the last lines of a solve, for newcomers, who call it by
 * "./bootstrap run". */
#ifndef CGS_SRC_SOLVE_SUGGEST_H
#define CGS_SRC_SOLVE_SUGGEST_H

#include "core/options/options.h"
#include "core/run/report.h"

/* Up to three commands that fit what was run, each of which runs as
 * printed: argv[0], then options. The report has a result. Nothing where argv[0] does not end
 * with " run". */
void cgs_suggest(const struct cgs_page *page, const struct cgs_options *options,
                 const struct cgs_report *report);

#endif
