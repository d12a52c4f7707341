/* Translates the outcome of CG into the run's status and message. */
#pragma once

#include "core/report/report.h"

/* Fails with a description of the outcome and advice. CGS_OK: converged, at the floor, or
 * interrupted, which is reported elsewhere. */
enum cgs_status cgs_run_judge(struct cgs_context *context, const struct cgs_report *report);

/* Blames the number range: if the diagonal's entries or ||b|| (0: unknown) are near the ends of the
 * range of the solve's or its preconditioner's number type, overflow or underflow explains a p'A p
 * that is not positive or NaN, or a residual that parts from that of the iterations, rather than
 * the matrix. Says by which powers of two to multiply, then replaces an earlier failure by
 * CGS_BREAKDOWN (CGS_NOT_CONVERGED after an outcome of that status) and returns true; else returns
 * false and changes nothing. */
bool cgs_run_blame_range(struct cgs_context *context, const struct cgs_report *report);
