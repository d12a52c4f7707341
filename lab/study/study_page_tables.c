/* The tables of a study's page. */
#include <math.h>
#include <string.h>

#include "core/io/format.h"
#include "core/io/json.h"
#include "lab/study/study_page.h"
#include "lab/study/study_point.h"

static void append_text(json_t *array, const char *text)
{
    json_array_append_new(array, cgs_json_text(text));
}

/* ---- convergence ---- */

/* `column`: an index of cgs_error_facts. */
static struct cgs_order order_of(const struct cgs_study *study, const struct cgs_curve *curve,
                                 int column)
{
    struct cgs_order order;
    cgs_drawing_order(study, cgs_error_facts[column], curve->series, &order);
    return order;
}

/* An error, and the order between it and the one before. */
static json_t *error_of(const struct cgs_study *study, const struct cgs_curve *curve, int i,
                        int column)
{
    cgs_text error = "\342\200\223", local = "";
    const enum cgs_fact fact = cgs_error_facts[column];
    const struct cgs_order order = order_of(study, curve, column);
    const double e = study->points[curve->points[i]].facts[fact],
                 p = cgs_series_local_order(study, &study->series[curve->series], i, fact);
    if (isfinite(e))
        snprintf(error, sizeof error, "%.4e", e);
    if (isfinite(p))
        snprintf(local, sizeof local, "%.2f", p);
    return json_pack("{ss ss sb}", "error", error, "local", local, "out",
                     order.limited >= 0 && i >= order.limited);
}

static json_t *fit_of(const struct cgs_study *study, const struct cgs_curve *curve, int column)
{
    const struct cgs_order o = order_of(study, curve, column);
    const bool judged = column != CGS_ERROR_CONSISTENCY && o.expected && (o.fitted || !o.met);
    cgs_text order = "", half = "", due = "nothing is expected";
    if (o.fitted)
        snprintf(order, sizeof order, "%.3f", o.order);
    if (o.fitted && isfinite(o.half))
        snprintf(half, sizeof half, " \302\261 %.3f", o.half);
    if (judged)
        snprintf(due, sizeof due, "%g \302\261 %.2f: ", o.theory, o.tolerance);
    else if (o.expected)
        snprintf(due, sizeof due, "%g, %s", o.theory, o.fitted ? "not judged" : "too few points");
    return json_pack("{ss ss ss sb sb}", "order", order, "half", half, "due", due, "met",
                     judged && o.met, "unmet", judged && !o.met);
}

static json_t *curve_of(const struct cgs_study *study, const struct cgs_curve *curve,
                        const int *columns, int count)
{
    json_t *rows = json_array(), *fits = json_array();
    for (int i = 0; i < curve->count; i++) {
        json_t *cells = json_array();
        cgs_text n;
        snprintf(n, sizeof n, "%g", study->points[curve->points[i]].facts[CGS_FACT_n]);
        for (int c = 0; c < count; c++)
            json_array_append_new(cells, error_of(study, curve, i, columns[c]));
        json_array_append_new(rows, json_pack("{ss so}", "n", n, "cells", cells));
    }
    for (int c = 0; c < count; c++)
        json_array_append_new(fits, fit_of(study, curve, columns[c]));
    return json_pack("{so so so}", "label", cgs_json_text(curve->label), "rows", rows, "fits",
                     fits);
}

json_t *cgs_page_orders(const struct cgs_study *study, const struct cgs_curves *curves)
{
    int columns[CGS_ERROR_FACTS], count = 0;
    bool limited = false;
    json_t *heads = json_array(), *list = json_array();
    for (int c = 0; c < CGS_ERROR_FACTS && curves->axis == CGS_AXIS_N; c++)
        if (cgs_study_has(study, cgs_error_facts[c])) {
            append_text(heads, c == CGS_ERROR_CONSISTENCY ? "consistency" : cgs_norms[c].head);
            columns[count++] = c;
        }
    for (int k = 0; k < curves->count && count > 0; k++) {
        const struct cgs_curve *curve = &curves->curves[k];
        json_array_append_new(list, curve_of(study, curve, columns, count));
        for (int c = 0; c < count; c++)
            limited = limited || order_of(study, curve, columns[c]).limited >= 0;
    }
    cgs_text span;
    snprintf(span, sizeof span, "%d", 2 * count + 1);
    json_t *table = json_pack("{so ss so sb}", "columns", heads, "span", span, "curves", list,
                              "limited", limited);
    if (count > 0)
        return table;
    json_decref(table);
    return NULL;
}

/* ---- performance ---- */

enum style { COUNT, SECONDS, RATE, SHARE, PERCENT };

static const struct {
    const char *head;
    enum style style;
    enum cgs_fact fact;
} figures[] = {
    {"unknowns", COUNT, CGS_FACT_unknowns},
    {"iterations", COUNT, CGS_FACT_iterations},
    {"solve", SECONDS, CGS_FACT_solve_seconds},
    {"least", SECONDS, CGS_FACT_solve_seconds_min},
    {"most", SECONDS, CGS_FACT_solve_seconds_max},
    {"MUPS", RATE, CGS_FACT_mups},
    {"GPUs", COUNT, CGS_FACT_gpus},
    {"speedup", RATE, CGS_FACT_speedup},
    {"model", RATE, CGS_FACT_foretold},
    {"efficiency", PERCENT, CGS_FACT_efficiency},
    {"product A x", SECONDS, CGS_FACT_spmv_seconds},
    {"GB/s", RATE, CGS_FACT_spmv_gbs},
    {"of attainable", SHARE, CGS_FACT_attainable_gbs},
    {"assembly", SECONDS, CGS_FACT_assemble_seconds},
    {"conversion", SECONDS, CGS_FACT_convert_seconds},
    {"transfer", SECONDS, CGS_FACT_transfer_seconds},
    {"transfer GB/s", RATE, CGS_FACT_transfer_gbs},
    {"set-up", SECONDS, CGS_FACT_setup_seconds},
    {"total", SECONDS, CGS_FACT_total_seconds},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static const char *figure_text(const struct cgs_point *point, int f, cgs_text text)
{
    const double value = cgs_point_fact(point, figures[f].fact);
    if (!isfinite(value))
        return "\342\200\223";
    if (figures[f].style == COUNT)
        return cgs_count_text((int64_t)value, text);
    if (figures[f].style == SECONDS)
        return cgs_seconds_text(value, text);
    if (figures[f].style == RATE)
        return cgs_number_text(value, text);
    if (figures[f].style == PERCENT)
        return cgs_percent_text(value, 1.0, text);
    return cgs_percent_text(point->facts[CGS_FACT_spmv_gbs], value, text);
}

static const char *ending(const struct cgs_point *point, cgs_text text)
{
    const char *status = cgs_point_text(point, "solver.status");
    if (point->exit_status < 0)
        return "not run";
    if (point->exit_status == 0)
        return strcmp(status, "rounding_floor") == 0 ? "rounding floor" : "ok";
    snprintf(text, sizeof(cgs_text), "exit %d", point->exit_status);
    return text;
}

json_t *cgs_page_performance(const struct cgs_study *study)
{
    bool kernels = false, there[FIGURES];
    cgs_text text;
    json_t *swept = json_array(), *heads = json_array(), *rows = json_array();
    for (int i = 0; i < study->swept_count; i++)
        append_text(swept, cgs_option_table[study->swept[i]].name);
    for (int f = 0; f < FIGURES; f++)
        if ((there[f] = cgs_study_has(study, figures[f].fact)))
            append_text(heads, figures[f].head);
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        const char *kernel = cgs_point_text(point, "kernel");
        json_t *values = json_array(), *cells = json_array();
        for (int k = 0; k < study->swept_count; k++)
            append_text(values, point->values[study->swept[k]]);
        for (int f = 0; f < FIGURES; f++)
            if (there[f])
                append_text(cells, figure_text(point, f, text));
        kernels = kernels || kernel[0];
        json_array_append_new(rows, json_pack("{so so ss sb so}", "values", values, "kernel",
                                              cgs_json_text(kernel), "ended", ending(point, text),
                                              "failed", point->exit_status != 0, "cells", cells));
    }
    return json_pack("{so so so sb}", "swept", swept, "columns", heads, "rows", rows, "kernels",
                     kernels);
}
