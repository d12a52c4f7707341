/* The tables of a study's page. */
#include "lab/study/study_page_tables.h"

#include <math.h>
#include <string.h>

#include "core/io/format.h"
#include "lab/study/study_drawings.h"
#include "lab/study/study_limits.h"
#include "lab/study/study_orders.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"
#include "lab/study/study_targets.h"

/* ---- convergence ---- */

/* `column`: an index of cgs_error_facts. */
static struct cgs_order order_of(const struct cgs_study *study, const struct cgs_curve *curve,
                                 int column)
{
    struct cgs_order order;
    cgs_drawing_order(study, cgs_error_facts[column], curve->series, &order);
    return order;
}

/* Adds an error, and the order between it and the one before. */
static void add_error(json_t *row, const struct cgs_study *study, const struct cgs_curve *curve,
                      int i, int column)
{
    cgs_text error = "\342\200\223", local = "";
    const enum cgs_fact fact = cgs_error_facts[column];
    const struct cgs_order order = order_of(study, curve, column);
    const bool out = order.limited >= 0 && i >= order.limited;
    const double e = study->points[curve->points[i]].facts[fact],
                 p = cgs_series_local_order(study, &study->series[curve->series], i, fact);
    if (isfinite(e))
        snprintf(error, sizeof error, "%.4e%s", e, out ? "*" : "");
    if (isfinite(p))
        snprintf(local, sizeof local, "%.2f", p);
    cgs_html_cell(row, out ? "out" : "", error);
    cgs_html_cell(row, out ? "out" : "", local);
}

/* Adds the fitted order and what is expected of it. */
static void add_fit(json_t *fitted, json_t *expected, const struct cgs_study *study,
                    const struct cgs_curve *curve, int column)
{
    const struct cgs_order o = order_of(study, curve, column);
    const bool judged = column != CGS_ERROR_CONSISTENCY && o.expected && (o.fitted || !o.met);
    cgs_text order = "", half = "", due = "nothing is expected";
    if (o.fitted)
        snprintf(order, sizeof order, "%.3f", o.order);
    if (cgs_order_bounded(&o))
        snprintf(half, sizeof half, " \302\261 %.3f", o.half);
    if (judged)
        snprintf(due, sizeof due, "%g \302\261 %.2f: ", o.theory, o.tolerance);
    else if (o.expected)
        snprintf(due, sizeof due, "%g, %s", o.theory, o.fitted ? "not judged" : "too few points");
    json_t *cell = cgs_html_cell(fitted, "", o.fitted ? half : "\342\200\223");
    cgs_put_text(cell, "loud", order);
    cgs_put_text(cell, "wide", "2");
    cell = cgs_html_cell(expected, "", due);
    cgs_put_text(cell, "wide", "2");
    if (judged)
        cgs_put_text(cell, o.met ? "good" : "bad", o.met ? "as expected" : "not as expected");
}

static void add_curve(json_t *table, const struct cgs_study *study, const struct cgs_curve *curve,
                      const int *columns, int count)
{
    json_t *body = cgs_html_add(table, "bodies");
    cgs_text text;
    cgs_put_text(body, "group", curve->label);
    snprintf(text, sizeof text, "%d", 2 * count + 1);
    cgs_put_text(body, "span", text);
    for (int i = 0; i < curve->count; i++) {
        json_t *row = cgs_html_add(body, "rows");
        snprintf(text, sizeof text, "%g", study->points[curve->points[i]].facts[CGS_FACT_n]);
        cgs_html_name(row, "", text);
        for (int c = 0; c < count; c++)
            add_error(row, study, curve, i, columns[c]);
    }
    json_t *fitted = cgs_html_add(body, "rows"), *due = cgs_html_add(body, "rows");
    cgs_put_text(fitted, "rank", "fit");
    cgs_html_name(fitted, "", "fitted");
    cgs_put_text(due, "rank", "due");
    cgs_html_name(due, "", "expected");
    for (int c = 0; c < count; c++)
        add_fit(fitted, due, study, curve, columns[c]);
}

void cgs_page_orders(json_t *section, const struct cgs_study *study,
                     const struct cgs_curves *curves)
{
    static const char title[] = "Errors, with the order between each point and the one before";
    static const char note[] =
        "Fitted: least squares of log error on log h, h = 1/(N+1), and, of more than three points, "
        "\302\261 half the 95 %% confidence interval of the slope (Student's t). Expected: the "
        "order of theory or of <code>--expect-order</code>, \302\261 what is accepted.%s";
    int columns[CGS_ERROR_FACTS], count = 0;
    bool limited = false;
    for (int c = 0; c < CGS_ERROR_FACTS && curves->axis == CGS_AXIS_N; c++)
        if (cgs_study_has(study, cgs_error_facts[c]))
            columns[count++] = c;
    if (count == 0)
        return;
    json_t *table = cgs_html_table(section, title, title, "N");
    for (int c = 0; c < count; c++) {
        cgs_html_head(table, columns[c] == CGS_ERROR_CONSISTENCY ? "consistency"
                                                                 : cgs_norms[columns[c]].head);
        cgs_html_head(table, "order");
    }
    for (int k = 0; k < curves->count; k++) {
        add_curve(table, study, &curves->curves[k], columns, count);
        for (int c = 0; c < count; c++)
            limited = limited || order_of(study, &curves->curves[k], columns[c]).limited >= 0;
    }
    char text[600];
    snprintf(text, sizeof text, note,
             limited ? " * Left out of the fit: the error is larger than the mesh explains, and "
                       "what the solver left (rounding, the tolerance) may be as large."
                     : "");
    cgs_put_text(section, "note", text);
}

/* ---- u as the mesh is refined ---- */

static void add_number(json_t *row, double value, int digits)
{
    cgs_text text = "\342\200\223";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.*g", digits, value);
    cgs_html_cell(row, "", text);
}

static void add_limits(json_t *body, const struct cgs_study *study, const struct cgs_series *series,
                       int quantities)
{
    json_t *order = cgs_html_add(body, "rows"), *value = cgs_html_add(body, "rows");
    cgs_put_text(order, "rank", "fit");
    cgs_html_name(order, "", "order");
    cgs_put_text(value, "rank", "due");
    cgs_html_name(value, "", "limit");
    for (int q = 0; q < quantities; q++) {
        const int finest = cgs_series_finest(study, series, q);
        const struct cgs_limit limit = finest < 0 ? (struct cgs_limit){.order = NAN, .value = NAN}
                                                  : cgs_series_limit(study, series, finest, q);
        add_number(order, limit.order, 3);
        add_number(value, limit.value, 7);
    }
}

void cgs_page_limits(json_t *page, const struct cgs_study *study)
{
    static const char title[] = "u on each mesh, and the value that it goes to";
    const int quantities = cgs_study_quantities(study);
    cgs_text text;
    if (!cgs_study_says_limits(study))
        return;
    json_t *section = cgs_html_section(page, "Solution");
    json_t *table = cgs_html_table(section, title, title, "mesh");
    for (int q = 0; q < quantities; q++)
        cgs_html_head(table, cgs_quantity_head(q, (cgs_quantity_name){0}));
    for (int k = 0; k < study->series_count; k++) {
        const struct cgs_series *series = &study->series[k];
        json_t *body = cgs_html_add(table, "bodies");
        cgs_put_text(body, "group", series->label);
        snprintf(text, sizeof text, "%d", quantities + 1);
        cgs_put_text(body, "span", text);
        for (int i = 0; i < series->count; i++) {
            const struct cgs_point *point = &study->points[series->points[i]];
            json_t *row = cgs_html_add(body, "rows");
            cgs_html_name(row, "", cgs_point_mesh(point, text, sizeof text));
            for (int q = 0; q < quantities; q++)
                add_number(row, cgs_point_quantity(point, q), 7);
        }
        add_limits(body, study, series, quantities);
    }
    cgs_put_text(
        section, "note",
        "Least, most and mean of u, and u at each <code>--probe</code>. Order p and limit: u "
        "= limit + c h^p through the three finest meshes (Richardson); a dash where the values "
        "do not settle like a power of h, or where there are fewer than three.");
}

/* ---- targets ---- */

static void add_target(json_t *body, const struct cgs_study *study, const struct cgs_series *series,
                       int t)
{
    static const char none[] = "\342\200\223";
    const struct cgs_target *target = &series->targets[t];
    const bool solved = target->place >= 0;
    const double *facts = solved ? study->points[series->points[target->place]].facts : NULL;
    cgs_text text;
    json_t *row = cgs_html_add(body, "rows");
    cgs_html_name(row, "", series->label[0] ? series->label : "this study");
    add_number(row, target->cells, 7);
    cgs_html_cell(row, "",
                  target->unknowns < 1e18 ? cgs_count_text((int64_t)target->unknowns, text) : none);
    snprintf(text, sizeof text, "%.2e", solved ? facts[CGS_FACT_l2] : NAN);
    cgs_html_cell(row, "", solved ? text : none);
    cgs_html_cell(row, "",
                  solved ? cgs_count_text((int64_t)facts[CGS_FACT_iterations], text) : none);
    cgs_html_cell(row, "", solved ? cgs_seconds_text(facts[CGS_FACT_once_seconds], text) : none);
    cgs_html_cell(row, "",
                  isfinite(target->seconds) ? cgs_seconds_text(target->seconds, text) : none);
    cgs_html_cell(row, solved ? "word" : "word bad",
                  target->why                            ? target->why
                  : cgs_target_fastest(study, series, t) ? "fastest"
                                                         : "");
}

void cgs_page_targets(json_t *page, const struct cgs_study *study)
{
    static const char title[] = "The smallest mesh that reaches each L2 error";
    static const char *const heads[] = {"cells", "unknowns", "L2 error", "iterations",
                                        "once",  "time",     "<"};
    enum { HEADS = sizeof heads / sizeof *heads };
    cgs_text text;
    if (study->target_count == 0)
        return;
    json_t *section = cgs_html_section(page, "Time to an error");
    json_t *table = cgs_html_table(section, title, title, "");
    for (int h = 0; h < HEADS; h++)
        cgs_html_head(table, heads[h]);
    for (int t = 0; t < study->target_count; t++) {
        json_t *body = cgs_html_add(table, "bodies");
        snprintf(text, sizeof text, "L2 error %g", study->targets[t]);
        cgs_put_text(body, "group", text);
        snprintf(text, sizeof text, "%d", HEADS + 1);
        cgs_put_text(body, "span", text);
        for (int k = 0; k < study->series_count; k++)
            add_target(body, study, &study->series[k], t);
    }
    cgs_put_text(section, "note",
                 "Cells in each direction, of 2 \342\200\246 16, 18 \342\200\246 32, 36 "
                 "\342\200\246 64 and so on. Time: what is made once (matrix, operators, "
                 "preconditioner, CG's vectors), and a solve. Where no error is given the mesh was "
                 "not solved, and its numbers are extrapolated.");
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
    {"once", SECONDS, CGS_FACT_once_seconds},
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

void cgs_page_performance(json_t *section, const struct cgs_study *study)
{
    bool kernels = false, disturbed = false;
    cgs_text text;
    json_t *table = cgs_html_table(section, "All points", "All points", "");
    for (int i = 0; i < study->count; i++) {
        kernels = kernels || cgs_point_text(&study->points[i], "kernel")[0];
        disturbed = disturbed || cgs_point_disturbed(&study->points[i]);
    }
    for (int i = 0; i < study->swept_count; i++)
        cgs_html_head(table, cgs_option_table[study->swept[i]].name);
    if (kernels)
        cgs_html_head(table, "<kernel");
    cgs_html_head(table, "<ended");
    if (disturbed)
        cgs_html_head(table, "<disturbed");
    for (int f = 0; f < FIGURES; f++)
        if (cgs_study_has(study, figures[f].fact))
            cgs_html_head(table, figures[f].head);
    json_t *body = cgs_html_add(table, "bodies");
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        json_t *row = cgs_html_add(body, "rows");
        for (int k = 0; k < study->swept_count; k++)
            cgs_html_name(row, "", point->values[study->swept[k]]);
        if (kernels)
            cgs_html_cell(row, "word", cgs_point_text(point, "kernel"));
        cgs_html_cell(row, point->exit_status != 0 ? "word bad" : "word", ending(point, text));
        if (disturbed)
            cgs_html_cell(row, "word bad", cgs_point_disturbed(point) ? "yes" : "");
        for (int f = 0; f < FIGURES; f++)
            if (cgs_study_has(study, figures[f].fact))
                cgs_html_cell(row, "", figure_text(point, f, text));
    }
}
