/* The command `solve`: options -> problem -> matrix -> operator -> solver -> report. */
#ifndef CGS_SRC_SOLVE_SOLVE_H
#define CGS_SRC_SOLVE_SOLVE_H

#include "src/options/options.h"
#include "src/io/output.h"
#include "src/run/report.h"

/* Solves, and writes what was asked for to `text` (the report; NULL: nobody reads it), `verbose`
 * (the live residual) and the options' files. A context that has failed already (wrong options)
 * solves nothing, but its failure is reported in the JSON file. */
enum cgs_status cgs_solve(struct cgs_context *context, struct cgs_options *options, int argc,
                          const char *const *argv, FILE *text, FILE *verbose);

/* What the outcome of CG means for the run, in words; CGS_OK: converged, at the floor, or interrupted,
 * which others have said. */
/* Fails with CGS_BREAKDOWN (a solve that ended as singular: CGS_NOT_CONVERGED) where the diagonal's entries or ||b|| (0: not known) come near to the ends of
 * the range of the numbers that a solve, its preconditioner too, computes in: then they explain that p'A p
 * is not positive, or no number, and the matrix is not to blame. A failure of before is replaced. Returns
 * false, and does nothing, where they do not. */
bool cgs_solve_blame_range(struct cgs_context *context, const struct cgs_report *report);

enum cgs_status cgs_solve_judge(struct cgs_context *context, const struct cgs_report *report);

/* The pipeline alone: fills in the facts as far as it gets. `save`: where --save-matrix goes,
 * opened; NULL: nowhere. report->result.history, report->algebraic and report->solution are the caller's to
 * free, report->slice is to be released. */
enum cgs_status cgs_run(struct cgs_context *context, struct cgs_options *options, FILE *verbose,
                        struct cgs_output *save, struct cgs_report *report);

#endif
