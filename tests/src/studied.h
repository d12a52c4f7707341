/* Studies made by hand: points with reports as `solve` writes them, without a run. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/study/study_orders.h"
#include "tests/support/check.h"

enum { STUDIED_POINTS = 64, STUDIED_SERIES = 16 };

struct studied {
    struct cgs_context context;
    struct cgs_options options;
    struct cgs_study study;
    struct cgs_point points[STUDIED_POINTS];
    struct cgs_series series[STUDIED_SERIES];
    int members[STUDIED_SERIES][STUDIED_POINTS];
};

/* Facts of a report, but errors; `status` and `energy` (< 0: none) are the solver's. */
struct made {
    const char *problem, *quadrature, *kappa, *precision, *status;
    double deform, energy;
};

static const struct made plain = {"smooth", "gauss", "1", "double", "converged", 0.0, 1e-12};

static void start_study(struct studied *s)
{
    memset(s, 0, sizeof *s);
    cgs_context_init(&s->context);
    s->study = (struct cgs_study){
        .context = &s->context, .options = &s->options, .points = s->points, .series = s->series};
    snprintf(s->study.date, sizeof s->study.date, "2026-11-22T10:00:00Z");
}

static int add_series(struct studied *s, const char *label)
{
    const int k = s->study.series_count++;
    s->series[k].label = strdup(label);
    s->series[k].points = s->members[k];
    return k;
}

/* A point with these errors, in the order of enum cgs_norm; NaN: not in the report. */
static struct cgs_point *add_point(struct studied *s, int series, int n, const struct made *m,
                                   const double errors[CGS_NORMS])
{
    const int i = s->study.count++;
    struct cgs_point *p = &s->points[i];
    s->members[series][s->series[series].count++] = i;
    for (int f = 0; f < CGS_FACTS; f++)
        p->facts[f] = NAN;
    p->facts[CGS_FACT_n] = n;
    p->facts[CGS_FACT_unknowns] = (double)n * n * n;
    p->report = json_pack("{s{ss ss ss si sf} ss s{ss sf} s{}}", "problem", "name", m->problem,
                          "quadrature", m->quadrature, "kappa", m->kappa, "N", n, "deform",
                          m->deform, "precision", m->precision, "solver", "status", m->status,
                          "tolerance", 1e-12, "error");
    ck_assert_ptr_nonnull(p->report);
    if (m->energy >= 0.0)
        json_object_set_new(json_object_get(p->report, "solver"), "energy_error_estimate",
                            json_real(m->energy));
    for (int k = 0; k < CGS_NORMS; k++)
        p->facts[cgs_error_facts[k]] = errors[k];
    return p;
}

static void end_study(struct studied *s)
{
    for (int i = 0; i < s->study.count; i++)
        json_decref(s->points[i].report);
    for (int k = 0; k < s->study.series_count; k++)
        free(s->series[k].label);
}
