/* Suggestions of what to try next: the last lines of a solve, for newcomers (./bootstrap run asks for
 * them by CGSOLVE_SUGGEST). */
#ifndef CGS_SRC_SOLVE_SUGGEST_H
#define CGS_SRC_SOLVE_SUGGEST_H

#include "core/run/report.h"

/* Three commands that fit what was run and what this build and machine have, each of which runs as
 * printed: the text that CGSOLVE_SUGGEST holds, then options. The report has a result. Nothing
 * where that variable is not set. */
void cgs_suggest(const struct cgs_page *page, const struct cgs_report *report);

#endif
