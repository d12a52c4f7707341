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
 * and what the solver left may be half of that excess (study_theory.c, cgs_study_algebraic). An
 * order that is wrong without that evidence stays wrong. */
#include <math.h>

#include "lab/study/study_fit.h"

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
        if (is_error(p.h, p.e))
            coarsest = fmax(coarsest, p.h);
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
    struct cgs_expectation e = {.theory = true};
    const char *text = study->options ? study->options->expect_order : NULL;
    if (text)
        (void)!cgs_expectation_read(text, &e); /* it was read when it was taken */
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
