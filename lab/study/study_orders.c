/* The fitted orders of a study.
 *
 *     log e_i = c + p log h_i,  h = 1/(N+1):  p = sum (X_i - mean X) Y_i / sum (X_i - mean X)^2
 *     p +- t(0.975, n - 2) s / sqrt(sum (X_i - mean X)^2),  s^2 = residual sum of squares / (n - 2)
 *
 * Errors of a discretisation do not scatter: they bend, e = C h^p (1 + a h^2 + ...). The interval
 * is what n points on a slight bend show of p, not a noise; and the coarsest point alone moves p by
 * about a h^2, with a <= 10 (the sines of `octants`, whose period is half the cube, have a = 9).
 * The default tolerance is
 *
 *     base + min(half the interval, 10 h0^2), at most p / 2
 *     base 0.05; of order 1 0.03; of order 4 and at nodes 0.1
 *
 * rounded up to hundredths, with h0 of the coarsest point: N = 7 adds 0.16 at most, N = 31 0.01.
 *
 * A point is left out of the fit, and all finer ones with it, where the discretisation does not
 * rule any more: its error is more than 1.25 times what the theory makes of the point before,
 * and what the solver left may be half of that excess (cgs_study_algebraic). An
 * order that is wrong without that evidence stays wrong. */
#include "lab/study/study_orders.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/plan/theory.h"
#include "lab/study/study_point.h"

/* ---- the error of a study's points in theory ----
 *
 * Trilinear elements, a solution that is smooth in each cell and known everywhere:
 *
 *     L2 2, H1 1, nodal L2 and max 2;    nodal L2 and max 4 with the blended rule on the undeformed
 *     cube with constant coefficient (M. Ainsworth, H. A. Wajid, SIAM J. Numer. Anal. 48, 2010)
 *
 * Of degree p > 1 L2 p + 1, H1 p; nodes gain up to p - 1 more, which no theorem here says: nothing
 * is expected there.
 *
 * `octants` over a kappa that jumps counts as constant: its sines are odd about the octants' faces,
 * and so is the discrete solution, which therefore solves each octant by itself. That holds for odd
 * N; with an even one the jump runs through cells, and nothing is expected. b = A u (course,
 * random) has no discretisation error at nodes. A solve that stops at the discretisation error
 * (--stop=discretization, --guess=fmg alone) has an error as large again in energy: H1 alone is
 * expected then.
 *
 * The error that the solver left, ||x - x_k||_A <= E as CG estimates it, is in the other norms at
 * most
 *
 *     |v|_H1 <= E / sqrt(least kappa),  ||v||_L2 <= |v|_H1 / (pi sqrt(sum 1 / L^2))  (Poincare's inequality
 *     on the box),  max |v| about |v|_H1 / sqrt(h)  (Sobolev's and the inverse inequality)
 *
 * CG's estimate is of its recursion, from which a solve that ended otherwise than by its tolerance
 * has parted. There E comes from the true residual r,
 *
 *     ||A^-1 r||_A <= sqrt(cond A) ||r|| / ||b|| ||x||_A,  cond A <= (greatest / least kappa) (longest side / shortest h)^2
 *
 * with ||x||_A^2 = x'b from the nodes of a coarse mesh. */
static bool is(const struct cgs_point *point, const char *text)
{
    return strcmp(cgs_point_text(point, "solver.status"), text) == 0;
}

/* Takes three numbers of the point's report to value[3], if it has them. */
static void take_three(const struct cgs_point *point, const char *path, double value[3])
{
    const json_t *array = cgs_report_find(point->report, path);
    for (size_t k = 0; k < 3 && json_array_size(array) == 3; k++)
        value[k] = json_number_value(json_array_get(array, k));
}

/* The point's box, as its report says it. */
static struct cgs_theory_box box_of(const struct cgs_point *point)
{
    const double deform = cgs_point_number(point, "problem.deform");
    struct cgs_theory_box box = {.problem = cgs_point_text(point, "problem.name"),
                                 .kappa = cgs_point_text(point, "problem.kappa"),
                                 .quadrature = cgs_point_text(point, "problem.quadrature"),
                                 .deform = isnan(deform) ? 0.0 : deform};
    for (int k = 0; k < 3; k++) {
        box.cells[k] = point->facts[CGS_FACT_n] + 1.0;
        box.size[k] = 1.0;
    }
    take_three(point, "problem.cells", box.cells);
    take_three(point, "problem.size", box.size);
    return box;
}

/* Returns the degree of the polynomials in the point's cells. */
static double degree_of(const struct cgs_point *point)
{
    const double degree = cgs_point_number(point, "problem.order");
    return isnan(degree) ? 1.0 : degree;
}

/* Returns the expected order for one point; 0: nothing is expected. */
static double theory_of_point(const struct cgs_point *point, enum cgs_norm norm)
{
    const double degree = degree_of(point);
    const bool own = cgs_point_text(point, "problem.exact")[0] != '\0';
    const struct cgs_theory_box box = box_of(point);
    const int nodal_order = own                               ? 2
                            : point->facts[CGS_FACT_n] >= 1.0 ? cgs_theory_nodal_order(&box)
                                                              : 0;
    if (nodal_order == 0)
        return 0.0;
    if (norm == CGS_NORM_H1)
        return degree;
    if (is(point, "discretization") || is(point, "not_iterated"))
        return 0.0;
    if (norm == CGS_NORM_NODAL_L2 || norm == CGS_NORM_MAX) /* of degree 2 on one more, or two */
        return degree > 1.0 ? 0.0 : nodal_order;
    return degree + 1.0;
}

bool cgs_study_theory(const struct cgs_study *study, const struct cgs_series *series,
                      enum cgs_norm norm, double *order)
{
    double common = NAN;
    for (int i = 0; i < series->count; i++) {
        const struct cgs_point *point = &study->points[series->points[i]];
        if (!cgs_report_find(point->report, "error")) /* not run, or failed */
            continue;
        const double theory = theory_of_point(point, norm);
        if (theory == 0.0 || (!isnan(common) && theory != common))
            return false;
        common = theory;
    }
    if (isnan(common))
        return false;
    *order = common;
    return true;
}

/* E by the true residual; INFINITY: the report does not say enough. */
static double energy_by_residual(const struct cgs_point *point, const struct cgs_theory_box *box,
                                 double contrast)
{
    const double residual = cgs_point_number(point, "solver.true_relative_residual");
    double longest = 0.0, shortest = INFINITY;
    for (int k = 0; k < 3; k++) {
        longest = fmax(longest, box->size[k]);
        shortest = fmin(shortest, box->size[k] / box->cells[k]);
    }
    const double energy = sqrt(contrast) * longest / shortest * residual * cgs_theory_energy(box);
    return isfinite(energy) ? energy : INFINITY;
}

double cgs_study_algebraic(const struct cgs_point *point, enum cgs_norm norm)
{
    const struct cgs_theory_box box = box_of(point);
    double energy = cgs_point_number(point, "solver.energy_error_estimate");
    double least, greatest, squares = 0.0;
    cgs_theory_kappa(&box, &least, &greatest);
    if (!is(point, "converged"))
        energy = energy_by_residual(point, &box, greatest / least);
    if (isnan(energy))
        return 0.0;
    if (strcmp(box.problem, "mass") == 0) /* whose energy norm is that of L2 */
        return norm == CGS_NORM_L2 ? energy : 0.0;
    const double h1 = energy / sqrt(least);
    if (norm == CGS_NORM_H1)
        return h1;
    if (norm == CGS_NORM_MAX)
        return h1 * sqrt(point->facts[CGS_FACT_n] + 1.0);
    for (int k = 0; k < 3; k++)
        squares += 1.0 / (box.size[k] * box.size[k]);
    return h1 / (M_PI * sqrt(squares));
}

const char *cgs_study_limit(const struct cgs_point *point, char *text, size_t size)
{
    const char *precision = cgs_point_text(point, "precision"),
               *status = cgs_point_text(point, "solver.status");
    if (strcmp(status, "rounding_floor") == 0 || strcmp(status, "precision_too_low") == 0)
        snprintf(text, size, "rounding in %s precision", precision);
    else if (strcmp(precision, "single") == 0 && strcmp(status, "converged") == 0)
        snprintf(text, size, "rounding and the tolerance %.3g in single precision",
                 cgs_point_number(point, "solver.tolerance"));
    else if (strcmp(status, "converged") == 0)
        snprintf(text, size, "the tolerance %.3g", cgs_point_number(point, "solver.tolerance"));
    else
        snprintf(text, size, "the solver (%s)", status);
    return text;
}

/* ---- fits ---- */

static const double excess_allowed = 1.25, bend = 10.0;

double cgs_student(int degrees)
{
    /* M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, table 26.10; beyond it the
     * expansion 26.7.5 about the normal distribution's quantile, good to 1e-4 from 10 on. */
    static const double table[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706,
                                   2.4469,  2.3646, 2.3060, 2.2622, 2.2281};
    if (degrees < 1)
        return NAN;
    if (degrees <= (int)(sizeof table / sizeof *table))
        return table[degrees - 1];
    const double x = 1.959963985, n = degrees, x2 = x * x;
    return x + x * (x2 + 1.0) / (4.0 * n) + x * ((5.0 * x2 + 16.0) * x2 + 3.0) / (96.0 * n * n) +
           x * (((3.0 * x2 + 19.0) * x2 + 17.0) * x2 - 15.0) / (384.0 * n * n * n);
}

const enum cgs_fact cgs_error_facts[CGS_ERROR_FACTS] = {
#define CGS_NORM(ID, name, head, title) CGS_FACT_##name,
#include "lab/command_line/norms.def"
#undef CGS_NORM
    [CGS_ERROR_CONSISTENCY] = CGS_FACT_consistency,
};

/* 1/(N+1) of the series' point; NaN without an N. */
static double series_h(const struct cgs_study *study, const struct cgs_series *series, int i)
{
    return 1.0 / (study->points[series->points[i]].facts[CGS_FACT_n] + 1.0);
}

/* A fact of the series' point; NaN: it has none. */
static double series_fact(const struct cgs_study *study, const struct cgs_series *series, int i,
                          enum cgs_fact fact)
{
    return study->points[series->points[i]].facts[fact];
}

/* The same of a point that reached its end: an error that the solver left says nothing of the
 * mesh. */
static double solved_fact(const struct cgs_study *study, const struct cgs_series *s, int i,
                          enum cgs_fact fact)
{
    return study->points[s->points[i]].exit_status == 0 ? series_fact(study, s, i, fact) : NAN;
}

static bool is_error(double h, double e)
{
    return h > 0.0 && e > 0.0 && isfinite(e);
}

double cgs_series_local_order(const struct cgs_study *study, const struct cgs_series *series, int i,
                              enum cgs_fact fact)
{
    const double h = series_h(study, series, i), e = series_fact(study, series, i, fact);
    for (int j = i - 1; j >= 0 && is_error(h, e); j--) {
        const double h0 = series_h(study, series, j), e0 = series_fact(study, series, j, fact);
        if (is_error(h0, e0) && h0 != h)
            return log(e / e0) / log(h / h0);
    }
    return NAN;
}

/* A mesh width and the error there. */
struct pair {
    double h, e;
};

/* Gives pair i. Pairs are made where they are asked for: no memory is needed that may be short. */
typedef struct pair pair_source(const void *user, int i);

static void fit(pair_source *at, const void *user, int count, struct cgs_order *order)
{
    double x_mean = 0.0, y_mean = 0.0, xx = 0.0, xy = 0.0, rest = 0.0;
    int n = 0;
    for (int i = 0; i < count; i++) {
        const struct pair p = at(user, i);
        if (is_error(p.h, p.e)) {
            x_mean += log(p.h);
            y_mean += log(p.e);
            n++;
        }
    }
    x_mean /= n > 0 ? n : 1;
    y_mean /= n > 0 ? n : 1;
    for (int i = 0; i < count; i++) {
        const struct pair p = at(user, i);
        if (is_error(p.h, p.e)) {
            xx += (log(p.h) - x_mean) * (log(p.h) - x_mean);
            xy += (log(p.h) - x_mean) * (log(p.e) - y_mean);
        }
    }
    order->count = n;
    order->fitted = n >= 2 && xx > 0.0;
    order->order = order->half = order->factor = NAN;
    if (!order->fitted)
        return;
    const double slope = xy / xx, c = y_mean - slope * x_mean;
    for (int i = 0; i < count; i++) {
        const struct pair p = at(user, i);
        if (is_error(p.h, p.e))
            rest += pow(log(p.e) - c - slope * log(p.h), 2.0);
    }
    order->order = slope;
    order->factor = exp(c);
    if (n > 2)
        order->half = cgs_student(n - 2) * sqrt(rest / (n - 2) / xx);
}

struct arrays {
    const double *h, *e;
};

static struct pair of_arrays(const void *user, int i)
{
    const struct arrays *a = user;
    return (struct pair){a->h[i], a->e[i]};
}

void cgs_order_fit(const double *h, const double *e, int count, struct cgs_order *order)
{
    fit(of_arrays, &(struct arrays){h, e}, count, order);
}

/* Index of the first point that the solver's rest rules; -1: none. */
static int find_limit(const struct cgs_study *study, const struct cgs_series *s, enum cgs_norm norm,
                      double theory)
{
    double h0 = NAN, e0 = NAN;
    for (int i = 0; i < s->count; i++) {
        const double h = series_h(study, s, i), e = solved_fact(study, s, i, cgs_error_facts[norm]);
        if (!is_error(h, e))
            continue;
        const double due = e0 * pow(h / h0, theory);
        if (e > excess_allowed * due &&
            2.0 * cgs_study_algebraic(&study->points[s->points[i]], norm) >= e - due)
            return i;
        h0 = h;
        e0 = e;
    }
    return -1;
}

struct solved_points {
    const struct cgs_study *study;
    const struct cgs_series *series;
    enum cgs_fact fact;
};

static struct pair of_points(const void *user, int i)
{
    const struct solved_points *p = user;
    return (struct pair){series_h(p->study, p->series, i),
                         solved_fact(p->study, p->series, i, p->fact)};
}

/* The first `count` points of the series; h of the coarsest that has the fact, NaN without any. */
static double fit_points(const struct cgs_study *study, const struct cgs_series *s,
                         enum cgs_fact fact, int count, struct cgs_order *order)
{
    const struct solved_points points = {study, s, fact};
    double coarsest = NAN;
    for (int i = 0; i < count; i++) {
        const struct pair p = of_points(&points, i);
        if (is_error(p.h, p.e)) /* of cells, not of nodes */
            coarsest = fmax(coarsest, p.h * degree_of(&study->points[s->points[i]]));
    }
    fit(of_points, &points, count, order);
    return coarsest;
}

static double default_tolerance(enum cgs_norm norm, double theory, double coarsest, double half)
{
    const bool nodal = norm == CGS_NORM_NODAL_L2 || norm == CGS_NORM_MAX;
    const double base = theory <= 1.0 ? 0.03 : nodal || theory >= 4.0 ? 0.1 : 0.05;
    const double wide = isfinite(coarsest) ? fmin(bend * coarsest * coarsest, theory) : 0.0;
    const double sum = base + fmin(wide, half); /* of NaN and a number fmin is the number */
    return fmin(ceil(100.0 * sum - 1e-6) / 100.0, theory / 2.0);
}

static void fit_norm(const struct cgs_study *study, const struct cgs_series *s, enum cgs_norm norm,
                     const struct cgs_expectation *e, struct cgs_order *order)
{
    double theory = NAN;
    const bool known = cgs_study_theory(study, s, norm, &theory);
    *order = (struct cgs_order){.limited = -1, .met = true};
    if (known || e->given[norm])
        order->limited = find_limit(study, s, norm, known ? theory : e->order[norm]);
    const double coarsest = fit_points(study, s, cgs_error_facts[norm],
                                       order->limited >= 0 ? order->limited : s->count, order);
    order->expected = e->given[norm] || (e->theory && known);
    if (!order->expected)
        return;
    order->theory = e->given[norm] ? e->order[norm] : theory;
    order->tolerance = e->given[norm] && e->tolerance[norm] > 0.0
                           ? e->tolerance[norm]
                           : default_tolerance(norm, order->theory, coarsest, order->half);
    /* what the person asked to see has to be seen; theory may find too few points */
    order->met =
        order->fitted ? fabs(order->order - order->theory) <= order->tolerance : !e->given[norm];
}

void cgs_study_fit_consistency(const struct cgs_study *study, const struct cgs_series *series,
                               struct cgs_order *order)
{
    *order = (struct cgs_order){.limited = -1, .met = true};
    const double h0 = fit_points(study, series, CGS_FACT_consistency, series->count, order);
    order->expected = order->fitted;
    order->theory = 2.0;
    order->tolerance = default_tolerance(CGS_NORM_NODAL_L2, 2.0, h0, order->half);
    order->met = !order->fitted || fabs(order->order - 2.0) <= order->tolerance;
}

void cgs_study_fit(struct cgs_study *study)
{
    /* Meshes of targets are as coarse as the errors allow: their orders are judged if asked for. */
    const bool asked = study->options && study->options->settings.given[CGS_OPTION_expect_order];
    struct cgs_expectation e = {.theory = true};
    const char *text = study->options ? study->options->expect_order : NULL;
    if (text)
        (void)!cgs_expectation_read(text, &e); /* it was read when it was taken */
    e.theory = e.theory && (study->target_count == 0 || asked);
    for (int k = 0; k < study->series_count; k++)
        for (int norm = 0; norm < CGS_NORMS; norm++)
            fit_norm(study, &study->series[k], (enum cgs_norm)norm, &e,
                     &study->series[k].orders[norm]);
}

void cgs_drawing_order(const struct cgs_study *study, enum cgs_fact fact, int series,
                       struct cgs_order *order)
{
    const struct cgs_series *s = &study->series[series];
    if (fact == CGS_FACT_consistency)
        cgs_study_fit_consistency(study, s, order);
    for (int norm = 0; norm < CGS_NORMS; norm++)
        if (cgs_error_facts[norm] == fact)
            *order = s->orders[norm];
}
