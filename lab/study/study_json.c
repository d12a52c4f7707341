/* The study for programs, as JSON and as CSV.
 *
 *     swept[]    names of the options that have several values
 *     points[]   values{}, file, resumed, disturbed, exit_status, error_message, seconds (of its
 *                process; absent where it is resumed or was not run), facts{} (study_facts.def)
 *     series[]   label, values{} (but N), points[] (indices), orders{}: of l2, nodal_l2, h1 and max
 *                where there is a fit: order, half, factor, count, limited_from_N, expected,
 *                tolerance, met; without order where one was asked for that cannot be fitted, or
 *                rounding leaves too few points
 *                limits{}: of least, most, mean and probe_1 ...: finest (the value there), and where
 *                they settle like a power of h order and value; without order where all are the same
 *     link       of a sweep of --gpus, what `foretold` supposes: measured, exchange_seconds, bandwidth_gbs, sum_seconds
 *
 * A line of CSV: the swept options, name, resumed, exit_status, seconds, disturbed, facts, and
 * KEY_order and KEY_limit of least, most, mean and each probe, by that point and the two coarser
 * ones before it. What is not known is absent (JSON) or empty (CSV).
 */
#include "lab/study/study_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/facts/report_json.h"
#include "core/io/json.h"
#include "lab/io/figures.h"
#include "lab/study/study_limits.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"
#include "lab/study/study_scaling.h"

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

void cgs_study_csv(FILE *file, const struct cgs_study *study)
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

enum cgs_status cgs_study_json(struct cgs_study *study, FILE *file)
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
