/* A study from outside: outputs are made sure of first, then lists become points, which run;
 * their orders are fitted, figures and page drawn, and the facts are written, those of a study
 * that failed or was interrupted, too. */
#include "lab/study/study_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comm.h"
#include "core/facts/report_json.h"
#include "core/io/interrupt.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "core/options/options_input.h"
#include "lab/io/figures.h"
#include "lab/study/study_folder.h"
#include "lab/study/study_limits.h"
#include "lab/study/study_orders.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_page.h"
#include "lab/study/study_point.h"
#include "lab/study/study_points.h"
#include "lab/study/study_run.h"
#include "lab/study/study_scaling.h"
#include "lab/study/study_sheet.h"
#include "lab/study/study_targets.h"
#include "lab/study/study_text.h"

/* The study for programs, as JSON and as CSV.
 *
 *     swept[]    names of the options that have several values
 *     points[]   values{}, file, resumed, disturbed, exit_status, error_message, seconds (of its
 *                process; absent where it is resumed or was not run), facts{} (study_facts.def)
 *     series[]   label, values{} (but N), points[] (indices), orders{}: of l2, nodal_l2, h1 and max
 *                where there is a fit: order, half, factor, count, limited_from_N, expected,
 *                tolerance, met; without order where one was asked for that cannot be fitted, or
 *                rounding leaves too few points
 *                limits{}: of least, most, mean and probe_1 ...: finest (the value there), and
 *                where they settle like a power of h order and value; without order where all
 *                are the same
 *                targets[]: of each --target-error error, reached, cells, unknowns, seconds, and
 *                point (its index), or where none reaches it `why`, and extrapolated numbers
 *     link       of a sweep of --gpus, what `foretold` supposes: measured, exchange_seconds,
 *                bandwidth_gbs, sum_seconds
 *
 * A line of CSV: the swept options, name, resumed, exit_status, seconds, disturbed, facts, and
 * KEY_order and KEY_limit of least, most, mean and each probe, by that point and the two coarser
 * ones before it. What is not known is absent (JSON) or empty (CSV).
 */

/* ---- points ---- */

static struct cgs_figure value_of(enum cgs_option_id id, const char *value)
{
    const struct cgs_option *option = &cgs_option_table[id];
    if (option->kind == CGS_KIND_INT ||
        (option->kind == CGS_KIND_GPUS && strcmp(value, "all") != 0))
        return cgs_figure_integer(option->name, true, strtoll(value, NULL, 10));
    if (option->kind == CGS_KIND_REAL)
        return cgs_figure_real(option->name, true, strtod(value, NULL));
    return cgs_figure_text(option->name, true, value);
}

/* `but_n`: without N. */
static json_t *values_of(const struct cgs_study *study, const struct cgs_point *point, bool but_n)
{
    struct cgs_figure figures[CGS_OPTIONS];
    int count = 0;
    for (int i = 0; i < study->swept_count; i++)
        if (!but_n || !cgs_study_refines(study->swept[i]))
            figures[count++] = value_of(study->swept[i], point->values[study->swept[i]]);
    return cgs_figures_json(figures, count);
}

static bool whole(enum cgs_fact fact)
{
    return fact == CGS_FACT_n || fact == CGS_FACT_unknowns || fact == CGS_FACT_iterations ||
           fact == CGS_FACT_gpus;
}

static int facts_of(const struct cgs_point *point, struct cgs_figure *figures)
{
    for (int i = 0; i < CGS_FACTS; i++) {
        const double fact = point->facts[i];
        const bool there = isfinite(fact);
        figures[i] = whole((enum cgs_fact)i)
                         ? cgs_figure_integer(cgs_facts[i].name, there, there ? (int64_t)fact : 0)
                         : cgs_figure_real(cgs_facts[i].name, there, fact);
    }
    return CGS_FACTS;
}

/* Keys of quantities: they are borrowed by figures. */
struct keys {
    cgs_quantity_name key, order, limit;
};

static void name_keys(int quantity, struct keys *keys)
{
    cgs_quantity_name key;
    cgs_quantity_key(quantity, key);
    snprintf(keys->key, sizeof keys->key, "%s", key);
    snprintf(keys->order, sizeof keys->order, "%.20s_order", key);
    snprintf(keys->limit, sizeof keys->limit, "%.20s_limit", key);
}

/* Values at the probes. */
static int probes_of(const struct cgs_study *study, const struct cgs_point *point,
                     struct keys keys[CGS_QUANTITIES_MOST], struct cgs_figure *figures)
{
    const int quantities = cgs_study_quantities(study);
    int count = 0;
    for (int q = CGS_QUANTITIES; q < quantities; q++) {
        const double value = cgs_point_quantity(point, q);
        name_keys(q, &keys[q]);
        figures[count++] = cgs_figure_real(keys[q].key, isfinite(value), value);
    }
    return count;
}

/* The limit of a quantity by point `index` and those before it in its series. */
static struct cgs_limit limit_at(const struct cgs_study *study, int index, int quantity)
{
    for (int k = 0; k < study->series_count; k++)
        for (int i = 0; i < study->series[k].count; i++)
            if (study->series[k].points[i] == index)
                return cgs_series_limit(study, &study->series[k], i, quantity);
    return (struct cgs_limit){.order = NAN, .value = NAN};
}

static int limits_of(const struct cgs_study *study, int index,
                     struct keys keys[CGS_QUANTITIES_MOST], struct cgs_figure *figures)
{
    const int quantities = cgs_study_quantities(study);
    int count = 0;
    for (int q = 0; q < quantities; q++) {
        const struct cgs_limit limit = limit_at(study, index, q);
        name_keys(q, &keys[q]);
        figures[count++] = cgs_figure_real(keys[q].order, isfinite(limit.order), limit.order);
        figures[count++] = cgs_figure_real(keys[q].limit, isfinite(limit.value), limit.value);
    }
    return count;
}

static json_t *point_of(const struct cgs_study *study, const struct cgs_point *point)
{
    struct cgs_figure facts[CGS_FACTS + CGS_QUANTITIES_MOST];
    struct keys keys[CGS_QUANTITIES_MOST];
    json_t *o = json_object();
    json_object_set_new(o, "values", values_of(study, point, false));
    if (!study->temporary && point->report)
        cgs_put_text(o, "file", point->file);
    cgs_put_yes(o, "resumed", point->resumed);
    if (cgs_point_done(point)) {
        cgs_put_yes(o, "disturbed", cgs_point_disturbed(point));
        cgs_put_integer(o, "exit_status", point->exit_status);
    }
    cgs_put_text(o, "error_message", point->message);
    if (cgs_point_done(point) && !point->resumed)
        cgs_put_real(o, "seconds", point->seconds);
    int count = facts_of(point, facts);
    count += probes_of(study, point, keys, facts + count);
    json_object_set_new(o, "facts", cgs_figures_json(facts, count));
    return o;
}

static void study_csv(FILE *file, const struct cgs_study *study)
{
    struct cgs_figure figures[CGS_OPTIONS + CGS_FACTS + 8 + 3 * CGS_QUANTITIES_MOST];
    struct keys keys[CGS_QUANTITIES_MOST];
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        const bool done = cgs_point_done(point);
        int count = 0;
        for (int k = 0; k < study->swept_count; k++)
            figures[count++] = value_of(study->swept[k], point->values[study->swept[k]]);
        figures[count++] = cgs_figure_text("name", true, point->name);
        figures[count++] = cgs_figure_yes("resumed", true, point->resumed);
        figures[count++] = cgs_figure_integer("exit_status", done, point->exit_status);
        figures[count++] = cgs_figure_real("seconds", done && !point->resumed, point->seconds);
        figures[count++] = cgs_figure_yes("disturbed", done, cgs_point_disturbed(point));
        count += facts_of(point, figures + count);
        count += probes_of(study, point, keys, figures + count);
        count += limits_of(study, i, keys, figures + count);
        if (i == 0)
            cgs_figures_csv_head(file, figures, count);
        cgs_figures_csv(file, figures, count);
    }
}

/* ---- series ---- */

static json_t *order_of(const struct cgs_study *study, const struct cgs_series *series,
                        const struct cgs_order *order)
{
    json_t *o = json_object();
    if (order->fitted)
        cgs_put_real(o, "order", order->order);
    if (order->fitted && isfinite(order->half))
        cgs_put_real(o, "half", order->half);
    if (order->fitted)
        cgs_put_real(o, "factor", order->factor);
    cgs_put_integer(o, "count", order->count);
    if (order->limited >= 0 && order->limited < series->count) {
        const struct cgs_point *point = &study->points[series->points[order->limited]];
        if (isfinite(point->facts[CGS_FACT_n]))
            cgs_put_integer(o, "limited_from_N", (int64_t)point->facts[CGS_FACT_n]);
    }
    if (order->expected) {
        cgs_put_real(o, "expected", order->theory);
        cgs_put_real(o, "tolerance", order->tolerance);
        if (order->fitted || !order->met)
            cgs_put_yes(o, "met", order->met);
    }
    return o;
}

static json_t *limits_json(const struct cgs_study *study, const struct cgs_series *series)
{
    const int quantities = cgs_study_quantities(study);
    json_t *limits = json_object();
    for (int q = 0; q < quantities; q++) {
        const int finest = cgs_series_finest(study, series, q);
        cgs_quantity_name key;
        if (finest < 0)
            continue;
        const struct cgs_limit limit = cgs_series_limit(study, series, finest, q);
        json_t *o = json_object();
        cgs_put_real(o, "finest", cgs_point_quantity(&study->points[series->points[finest]], q));
        if (limit.found && isfinite(limit.order))
            cgs_put_real(o, "order", limit.order);
        if (limit.found)
            cgs_put_real(o, "value", limit.value);
        json_object_set_new(limits, cgs_quantity_key(q, key), o);
    }
    return limits;
}

static json_t *targets_json(const struct cgs_study *study, const struct cgs_series *series)
{
    json_t *targets = json_array();
    for (int t = 0; t < study->target_count; t++) {
        const struct cgs_target *target = &series->targets[t];
        json_t *o = json_object();
        cgs_put_real(o, "error", study->targets[t]);
        cgs_put_yes(o, "reached", target->place >= 0);
        if (target->place >= 0)
            cgs_put_integer(o, "point", series->points[target->place]);
        if (isfinite(target->cells))
            cgs_put_integer(o, "cells", (int64_t)target->cells);
        if (isfinite(target->unknowns)) /* of far extrapolation more than integers hold */
            cgs_put_real(o, "unknowns", target->unknowns);
        if (isfinite(target->seconds))
            cgs_put_real(o, "seconds", target->seconds);
        cgs_put_text(o, "why", target->why);
        json_array_append_new(targets, o);
    }
    return targets;
}

static json_t *series_of(const struct cgs_study *study, const struct cgs_series *series)
{
    json_t *o = json_object(), *points = json_array(), *orders = json_object();
    json_object_set_new(o, "label", cgs_json_text(series->label));
    json_object_set_new(o, "values", values_of(study, &study->points[series->points[0]], true));
    for (int i = 0; i < series->count; i++)
        json_array_append_new(points, json_integer(series->points[i]));
    json_object_set_new(o, "points", points);
    for (int norm = 0; norm < CGS_NORMS; norm++)
        if (cgs_order_said(&series->orders[norm]))
            json_object_set_new(orders, cgs_norms[norm].name,
                                order_of(study, series, &series->orders[norm]));
    json_object_set_new(o, "orders", orders);
    if (cgs_study_quantities(study) > 0)
        json_object_set_new(o, "limits", limits_json(study, series));
    if (study->target_count > 0)
        json_object_set_new(o, "targets", targets_json(study, series));
    return o;
}

static json_t *link_of(const struct cgs_study *study)
{
    json_t *o = json_object();
    cgs_put_yes(o, "measured", study->linked);
    cgs_put_real(o, "exchange_seconds", study->link.exchange);
    cgs_put_real(o, "bandwidth_gbs", 1e-9 * study->link.bandwidth);
    cgs_put_real(o, "sum_seconds", study->link.sum);
    return o;
}

static enum cgs_status study_json(struct cgs_study *study, FILE *file)
{
    const struct cgs_report report =
        cgs_report_start(study->context, &study->options->settings, study->argc, study->argv);
    json_t *root = cgs_json_head(&report);
    json_t *swept = json_array(), *points = json_array(), *series = json_array();
    json_object_set_new(root, "date", cgs_json_text(study->date));
    for (int i = 0; i < study->swept_count; i++)
        json_array_append_new(swept, json_string(cgs_option_table[study->swept[i]].name));
    for (int i = 0; i < study->count; i++)
        json_array_append_new(points, point_of(study, &study->points[i]));
    for (int i = 0; i < study->series_count; i++)
        json_array_append_new(series, series_of(study, &study->series[i]));
    json_object_set_new(root, "swept", swept);
    json_object_set_new(root, "points", points);
    json_object_set_new(root, "series", series);
    if (cgs_scaling_swept(study))
        json_object_set_new(root, "link", link_of(study));
    return cgs_json_end(study->context, file, root);
}

struct outputs {
    struct cgs_output json, csv, own;
};

/* The points are checked before anything is made, and the folder is there before outputs, which may
 * be in it. What is refused is said in the JSON report nevertheless. */
static enum cgs_status open_outputs(struct cgs_study *study, struct outputs *outputs)
{
    struct cgs_context *context = study->context;
    const char *json = study->options->json;
    char own[4200];
    enum cgs_status status = cgs_study_make(study);
    if (status == CGS_OK)
        status = cgs_study_open(study);
    if (status == CGS_OK && cgs_options_check_kept(context, study->options) != CGS_OK)
        return context->status; /* as the folder shows, now that it is there */
    cgs_output_open(context, "the JSON report", json, 1, &outputs->json);
    CGS_TRY(context->status);
    CGS_TRY(cgs_output_open(context, "the table", study->options->csv, 0, &outputs->csv));
    if (study->temporary || study->options->draw) /* what ran says its study.json already */
        return CGS_OK;
    if (snprintf(own, sizeof own, "%s/study.json", study->folder) >= (int)sizeof own)
        return cgs_fail(context, CGS_USAGE,
                        "the name of the folder is too long: take a shorter one");
    return cgs_output_open(context, "the study's report", own, 0, &outputs->own);
}

static enum cgs_status resume(struct cgs_study *study, FILE *progress)
{
    int resumed, stale;
    CGS_TRY(cgs_study_resume(study, &resumed, &stale));
    if (!progress)
        return CGS_OK;
    fprintf(progress, "%d of %d points are there already", resumed, study->count);
    if (stale > 0 && study->options->draw)
        fprintf(progress, "; %d more, which did not end, or are of other options, are left out",
                stale);
    else if (stale > 0)
        fprintf(progress,
                "; %d more, which did not end, or are of other options, of files that have changed "
                "since, or of another version of cgsolve, %s run again",
                stale, stale == 1 ? "is" : "are");
    fputc('\n', progress);
    return CGS_OK;
}

static enum cgs_status run(struct cgs_study *study, FILE *progress)
{
    const bool draw = study->options->draw;
    if (study->options->resume || draw)
        CGS_TRY(resume(study, progress));
    if (draw && cgs_interrupted())
        return cgs_fail(study->context, CGS_INTERRUPTED, "interrupted while reports were read");
    if (draw && !cgs_study_reported(study))
        return cgs_fail(study->context, CGS_USAGE,
                        "no report in %s/points is of these options: take those of the study's "
                        "command, as \"arguments\" of its study.json says",
                        study->folder);
    cgs_scaling_link(study);
    enum cgs_status status = study->target_count > 0 ? cgs_targets_seek(study, progress) : CGS_OK;
    if (status == CGS_OK && !draw)
        status = cgs_study_run(study, progress);
    cgs_targets_conclude(study);
    cgs_study_fit(study);
    cgs_study_scale(study);
    if (study->temporary || (status != CGS_OK && status != CGS_INTERRUPTED))
        return status;
    const enum cgs_status drawn = cgs_study_figures(study);
    return drawn == CGS_OK || drawn == CGS_INTERRUPTED ? cgs_study_page(study) : drawn;
}

/* The points that failed, in one sentence. */
static void judge_points(struct cgs_study *study)
{
    const struct cgs_point *first = NULL;
    int failed = 0;
    char label[256];
    for (int i = 0; i < study->count; i++)
        if (study->points[i].exit_status > 0 && failed++ == 0)
            first = &study->points[i];
    if (!first)
        return;
    cgs_point_label(study, first, false, label, sizeof label);
    cgs_fail(study->context, CGS_NOT_CONVERGED, "%d of %d points failed%s%s: %.1000s", failed,
             study->count, label[0] ? "; the first is " : "", label,
             first->message ? first->message : "it does not say why");
}

/* The orders that are not as expected, likewise. */
static void judge_orders(struct cgs_study *study)
{
    struct cgs_context *context = study->context;
    const struct cgs_order *first = NULL;
    int unmet = 0;
    char name[400], why[500], all[64];
    for (int i = 0; i < study->series_count; i++)
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            const struct cgs_series *series = &study->series[i];
            const struct cgs_order *order = &series->orders[norm];
            if (order->met || unmet++ > 0)
                continue;
            first = order;
            snprintf(name, sizeof name, "%.300s%s%s", series->label, series->label[0] ? ": " : "",
                     cgs_norms[norm].name);
        }
    if (unmet == 0)
        return;
    if (first->fitted)
        snprintf(why, sizeof why, "%s %.3f instead of %g", name, first->order, first->theory);
    else
        snprintf(why, sizeof why, "%s cannot be fitted: too few points, and %g was asked for", name,
                 first->theory);
    snprintf(all, sizeof all, "%d order%s of convergence %s not as expected", unmet,
             unmet == 1 ? "" : "s", unmet == 1 ? "is" : "are");
    if (context->status == CGS_NOT_CONVERGED)
        cgs_fail_add(context, "; and %s; the first is %s", all, why);
    else
        cgs_fail(context, CGS_NOT_CONVERGED, "%s; the first is %s", all, why);
}

/* CSV, text, JSON: in this order, so that the JSON files know of all that could not be written. */
static void write_all(struct cgs_study *study, struct outputs *outputs, FILE *text)
{
    struct cgs_context *context = study->context;
    struct cgs_output *const reports[] = {&outputs->own, &outputs->json};
    const char *json = study->options->json;
    bool ran = study->interrupted;
    for (int i = 0; i < study->count && !ran; i++)
        ran = cgs_point_done(&study->points[i]);
    if (ran && outputs->csv.target && cgs_output_begin(context, &outputs->csv) == CGS_OK) {
        study_csv(outputs->csv.file, study);
        cgs_output_commit(context, &outputs->csv);
    }
    cgs_output_discard(&outputs->csv);
    if (ran && !(json && strcmp(json, "-") == 0)) {
        struct cgs_page page;
        cgs_page_open(&page, text);
        cgs_study_text(&page, study);
        cgs_page_close(context, &page);
        cgs_output_flush(context, text);
    }
    if (context->status == CGS_OK && cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted when all had been computed");
    for (int i = 0; i < 2; i++) {
        if (reports[i]->target && cgs_output_begin(context, reports[i]) == CGS_OK) {
            study_json(study, reports[i]->file);
            cgs_output_commit(context, reports[i]);
        }
        cgs_output_discard(reports[i]);
    }
}

enum cgs_status cgs_study(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_options *options = call->options;
    struct cgs_study study = {.context = context,
                              .solve = call->solve,
                              .options = options,
                              .argc = call->argc,
                              .argv = call->argv,
                              .lock = -1};
    struct outputs outputs = {0};
    cgs_date_now(study.date);
    cgs_interrupt_catch();
    if (!cgs_comm_first(context))
        return cgs_study_follow(context, call->solve);
    if (open_outputs(&study, &outputs) == CGS_OK)
        run(&study, call->said);
    if (context->status == CGS_OK) {
        judge_points(&study);
        judge_orders(&study);
    }
    write_all(&study, &outputs, call->text);
    cgs_study_dismiss(context);
    cgs_study_close(&study);
    cgs_study_release(&study);
    return context->status;
}
