/* Orders of convergence: what theory says, which points show it, the fit. */
#pragma once

#include "lab/study/study.h"

/* ---- theory ---- */
/* The order that theory says of a norm of the series, from the reports of its points; false:
 * nothing is expected (no known solution, b = A u, a jump of kappa through cells, a solve that
 * stops at the discretisation error by itself). */
bool cgs_study_theory(const struct cgs_study *study, const struct cgs_series *series,
                      enum cgs_norm norm, double *order);

/* Returns a bound in this norm of the error that the solver left at this point; 0: not known.
 * INFINITY: the solve ended before its tolerance, at the rounding floor or otherwise, and the
 * report has no true residual, or the size of the solution is not known. */
double cgs_study_algebraic(const struct cgs_point *point, enum cgs_norm norm);

/* Why a point is limited, in a few words: "rounding in single precision", "the tolerance 1e-05". */
const char *cgs_study_limit(const struct cgs_point *point, char *text, size_t size);

/* ---- fits ---- */
/* Fits the orders of all series, and holds them against theory or --expect-order. */
void cgs_study_fit(struct cgs_study *study);

/* The 97.5 % quantile of Student's t with `degrees` >= 1 of freedom. */
double cgs_student(int degrees);

/* Fits e = factor h^p through `count` points by least squares of log e on log h, those with errors
 * that are not positive and finite left out. Sets fitted, order, half, factor, count. */
void cgs_order_fit(const double *h, const double *e, int count, struct cgs_order *order);

/* The series' consistency error (of `course`), whose order is 2: fitted and expected alike. */
void cgs_study_fit_consistency(const struct cgs_study *study, const struct cgs_series *series,
                               struct cgs_order *order);

/* The order that a curve of an ERROR figure has. */
void cgs_drawing_order(const struct cgs_study *study, enum cgs_fact fact, int series,
                       struct cgs_order *order);

/* The facts that are errors: those of enum cgs_norm in its order, and the consistency error. */
enum { CGS_ERROR_CONSISTENCY = CGS_NORMS, CGS_ERROR_FACTS };
extern const enum cgs_fact cgs_error_facts[CGS_ERROR_FACTS];

/* log e_i / e_j by log h_i / h_j, where j is the point before that has this fact; NaN: none. */
double cgs_series_local_order(const struct cgs_study *study, const struct cgs_series *series, int i,
                              enum cgs_fact fact);
