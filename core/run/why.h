/* Why CG stopped: facts measured for the message, and the one place that turns them into a
 * cause. */
#pragma once

#include "core/run/run.h"

/* Measures what the matrix's entries say (struct cgs_definite, the range of the diagonal) and,
 * where constants solve A x = 0 on a part of it, how far b is from adding up to 0 there (on several
 * ranks: on all of it). Of a box as it is assembled, which is positive definite, the range alone;
 * nothing of a caller's function, whose entries are unknown. All ranks call it at once, and agree
 * on failure. Overwrites run->host. */
enum cgs_status cgs_run_find_causes(struct cgs_run *run);

/* Measures whether functions of the caller's, which nothing has tested, are symmetric: calls each
 * twice. Overwrites run->host, CG's residual and its work vector. */
enum cgs_status cgs_run_find_skew(struct cgs_run *run);

enum { CGS_CAUSE_BYTES = 1024 };

/* Writes that a function of the caller's is not symmetric: ": the caller's product A is not
 * symmetric (...)". Returns false, and writes "", if none was found to be so. */
bool cgs_run_tell_skew(const struct cgs_report *report, char text[CGS_CAUSE_BYTES]);

/* Writes what the entries prove, if anything: ": a(5, 5) a(6, 6) < a(5, 6)^2 (...), so the matrix
 * is not positive definite, and no scaling makes it so". Returns false, and writes "", if they
 * prove nothing. */
bool cgs_run_tell_entries(const struct cgs_report *report, char text[CGS_CAUSE_BYTES]);

/* Returns true if the entries explain why CG ended: the matrix is not positive definite, but for a
 * known null space that b has no part of, or b has a part along constants that solve A x = 0. */
bool cgs_run_blames_matrix(const struct cgs_report *report);

/* Returns what helps where transfer alone holds u, so weakly that rounding in double precision
 * hides it; NULL: that is not so. */
const char *cgs_run_help_hold(const struct cgs_report *report);

/* Writes the cause of a p'A p, or r'M r, that was not positive (CGS_OUTCOME_NOT_POSITIVE), or 0
 * within rounding (CGS_OUTCOME_SINGULAR), and what helps, from what was measured and what is set;
 * of CGS_OUTCOME_NOT_FINITE what the entries say, perhaps "". */
void cgs_run_tell_cause(const struct cgs_report *report, char text[CGS_CAUSE_BYTES]);
