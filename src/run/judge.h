/* What the outcome of CG means for the run, in words. */
#ifndef CGS_SRC_RUN_JUDGE_H
#define CGS_SRC_RUN_JUDGE_H

#include "src/run/report.h"

/* Fails with what the outcome is, and what may help. CGS_OK: converged, at the floor, or interrupted,
 * which others have said. */
enum cgs_status cgs_run_judge(struct cgs_context *context, const struct cgs_report *report);

/* Fails with CGS_BREAKDOWN (a solve that ended as singular: CGS_NOT_CONVERGED) where the diagonal's
 * entries or ||b|| (0: not known) come near to the ends of the range of the numbers that a solve, its
 * preconditioner too, computes in: then they explain that p'A p is not positive, or no number, and the
 * matrix is not to blame. A failure of before is replaced. Returns false, and does nothing, where they
 * do not. */
bool cgs_run_blame_range(struct cgs_context *context, const struct cgs_report *report);

#endif
