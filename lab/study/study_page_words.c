/* The summary of a study's page, in sentences. */
#include "lab/study/study_page_words.h"

#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "core/io/json.h"
#include "lab/study/study_limits.h"
#include "lab/study/study_orders.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"

/* class: "good", "bad", "note" or ""; `strong` stands out between the other texts. Returns the
 * sentence, borrowed. */
static json_t *add(json_t *list, const char *class, const char *before, const char *strong,
                   const char *after)
{
    json_t *item = json_object();
    cgs_put_text(item, "class", class);
    cgs_put_text(item, "before", before);
    cgs_put_text(item, "strong", strong);
    cgs_put_text(item, "after", after);
    json_array_append_new(list, item);
    return item;
}

/* "1.98 ... 1.99", or "1.98" where they are the same. */
static void append_range(char *text, size_t size, double low, double high)
{
    cgs_append(text, size, "%.2f", low);
    if (high - low >= 0.005)
        cgs_append(text, size, " \342\200\246 %.2f", high);
}

static const char *named(const char *label)
{
    return label[0] ? label : "this study";
}

/* ---- orders ---- */

/* "L2 1.98 ... 1.99 (expected: 2), ...": the fitted orders of each norm and expected order. */
static void append_orders(char *text, size_t size, const struct cgs_study *study)
{
    for (int norm = 0; norm < CGS_NORMS; norm++)
        for (int k = 0; k < study->series_count; k++) {
            const struct cgs_order *o = &study->series[k].orders[norm];
            double low = o->order, high = o->order;
            bool first = o->fitted && o->expected;
            for (int j = 0; j < study->series_count && first; j++) {
                const struct cgs_order *other = &study->series[j].orders[norm];
                if (!other->fitted || !other->expected || other->theory != o->theory)
                    continue;
                first = j >= k;
                low = fmin(low, other->order);
                high = fmax(high, other->order);
            }
            if (!first)
                continue;
            cgs_append(text, size, "%s%s ", text[0] ? ", " : ": ", cgs_norms[norm].title);
            append_range(text, size, low, high);
            cgs_append(text, size, " (expected: %g)", o->theory);
        }
}

/* Names `most` of the orders that are not as expected. */
static void append_unmet(char *text, size_t size, const struct cgs_study *study, int most)
{
    int said = 0;
    for (int k = 0; k < study->series_count; k++)
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            const struct cgs_order *o = &study->series[k].orders[norm];
            if (o->met || said++ >= most)
                continue;
            cgs_append(text, size, "%s%s: %s ", said == 1 ? ": " : "; ",
                       named(study->series[k].label), cgs_norms[norm].title);
            if (o->fitted)
                cgs_append(text, size, "%.2f instead of %g", o->order, o->theory);
            else
                cgs_append(text, size, "cannot be fitted, %g was asked for", o->theory);
        }
    if (said > most)
        cgs_append(text, size, "; and %d more", said - most);
}

static void say_consistency(json_t *list, const struct cgs_study *study)
{
    double low = INFINITY, high = -INFINITY;
    char strong[64] = "";
    for (int k = 0; k < study->series_count; k++) {
        struct cgs_order o;
        cgs_study_fit_consistency(study, &study->series[k], &o);
        if (!o.fitted)
            continue;
        low = fmin(low, o.order);
        high = fmax(high, o.order);
    }
    if (low > high)
        return;
    append_range(strong, sizeof strong, low, high);
    add(list, "", "The consistency error is of order ", strong,
        " (theory: 2; it is shown, not judged).");
}

/* Why nothing is expected of the orders. */
static const char *no_expectation(const struct cgs_study *study)
{
    const struct cgs_problem *problem = NULL;
    const char *asked = study->options ? study->options->expect_order : NULL;
    for (int i = 0; i < study->count && !problem; i++)
        problem = cgs_problem_find(cgs_point_text(&study->points[i], "problem.name"));
    if (study->target_count > 0)
        return " of meshes that are found for --target-error, unless --expect-order asks.";
    if (asked && strcmp(asked, "none") == 0)
        return ": --expect-order=none.";
    if (asked && strcmp(asked, "theory") != 0)
        return " but of the norms that --expect-order names.";
    return problem && problem->product_rhs
               ? ": b = A u, whose discrete solution has no discretisation error at the nodes."
               : ": theory says nothing of this problem, mesh or way to stop.";
}

static void say_orders(json_t *list, const struct cgs_study *study)
{
    int due = 0, unmet = 0, fitted = 0;
    char strong[128], after[2048] = "";
    for (int k = 0; k < study->series_count; k++)
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            const struct cgs_order *o = &study->series[k].orders[norm];
            fitted += o->fitted;
            due += o->expected && (o->fitted || !o->met);
            unmet += !o->met;
        }
    if (unmet > 0) {
        snprintf(strong, sizeof strong, "%d of %d orders of convergence %s not as expected", unmet,
                 due, unmet == 1 ? "is" : "are");
        append_unmet(after, sizeof after - 1, study, 3);
    } else if (due > 0) {
        snprintf(strong, sizeof strong, "%s of convergence %s as expected",
                 due == 1 ? "The order" : "All orders", due == 1 ? "is" : "are");
        append_orders(after, sizeof after - 1, study);
    } else if (fitted > 0) {
        add(list, "", "Of the orders of convergence nothing is expected", "",
            no_expectation(study));
    }
    cgs_append(after, sizeof after, ".");
    if (unmet > 0 || due > 0)
        add(list, unmet > 0 ? "bad" : "good", "", strong, after);
    say_consistency(list, study);
}

/* ---- how large u becomes ---- */

static void say_largest(json_t *list, const struct cgs_study *study)
{
    enum { MOST = 1 };
    const struct cgs_series *series = study->series;
    const int i = study->series_count == 1 && cgs_study_says_limits(study)
                      ? cgs_series_finest(study, series, MOST)
                      : -1;
    if (i < 0)
        return;
    const struct cgs_point *point = &study->points[series->points[i]];
    const struct cgs_limit limit = cgs_series_limit(study, series, i, MOST);
    char strong[128], mesh[64], after[128] = "; no limit can be told.";
    snprintf(strong, sizeof strong, "%.7g with %s", cgs_point_quantity(point, MOST),
             cgs_point_mesh(point, mesh, sizeof mesh));
    if (limit.found && isfinite(limit.order))
        snprintf(after, sizeof after, "; extrapolated %.7g, by the observed order %.2f.",
                 limit.value, limit.order);
    else if (limit.found)
        snprintf(after, sizeof after, ", and so on coarser meshes.");
    add(list, "", "The largest u: ", strong, after);
}

/* ---- the fastest ---- */

static void say_fastest(json_t *list, const struct cgs_study *study)
{
    const struct cgs_point *best = NULL, *worst = NULL;
    double n = 0.0;
    char label[256], strong[512], after[512] = "";
    cgs_text seconds, most;
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *p = &study->points[i];
        const double took = p->facts[CGS_FACT_solve_seconds], size = p->facts[CGS_FACT_unknowns];
        if (!isfinite(took) || p->exit_status != 0 || !(size >= n))
            continue;
        if (size > n)
            best = worst = NULL;
        n = size;
        best = !best || took < best->facts[CGS_FACT_solve_seconds] ? p : best;
        worst = !worst || took > worst->facts[CGS_FACT_solve_seconds] ? p : worst;
    }
    if (!best)
        return;
    const double *b = best->facts, *w = worst->facts,
                 ratio = w[CGS_FACT_solve_seconds] / b[CGS_FACT_solve_seconds];
    cgs_point_label(study, best, false, label, sizeof label);
    snprintf(strong, sizeof strong, "%s took %s", label[0] ? label : "the run",
             cgs_seconds_text(b[CGS_FACT_solve_seconds], seconds));
    if (isfinite(b[CGS_FACT_solve_seconds_min]))
        cgs_append(strong, sizeof strong, " (median; %s to %s)",
                   cgs_seconds_text(b[CGS_FACT_solve_seconds_min], seconds),
                   cgs_seconds_text(b[CGS_FACT_solve_seconds_max], most));
    if (isfinite(b[CGS_FACT_mups]))
        cgs_append(after, sizeof after, ", at %s MUPS", cgs_number_text(b[CGS_FACT_mups], most));
    cgs_point_label(study, worst, true, label, sizeof label);
    if (best != worst && ratio >= 1.05 && !cgs_point_disturbed(best) &&
        !cgs_point_disturbed(worst) &&
        !(w[CGS_FACT_solve_seconds_min] <= b[CGS_FACT_solve_seconds_max]))
        cgs_append(after, sizeof after, "; the slowest (%s) took %s times as long", label,
                   cgs_number_text(ratio, seconds));
    cgs_append(after, sizeof after, ".");
    add(list, "",
        best == worst ? "The largest system: " : "The fastest solve of the largest system: ",
        strong, after);
}

/* ---- where rounding stops the convergence ---- */

/* The first point of the series that is left out of some fit; its count where there is none. */
static int first_limited(const struct cgs_series *s)
{
    int first = s->count;
    for (int norm = 0; norm < CGS_NORMS; norm++)
        if (s->orders[norm].limited >= 0 && s->orders[norm].limited < first)
            first = s->orders[norm].limited;
    return first;
}

static void say_limit(json_t *list, const struct cgs_study *study, const struct cgs_series *s,
                      const char *label)
{
    const struct cgs_point *point = &study->points[s->points[first_limited(s)]];
    char before[256], why[128], after[256];
    const char *comma = "";
    cgs_study_limit(point, why, sizeof why);
    snprintf(before, sizeof before, "%s: from N = %g on ", named(label), point->facts[CGS_FACT_n]);
    snprintf(after, sizeof after, " %s the convergence of ",
             strstr(why, " and ") ? "stop" : "stops");
    for (int norm = 0; norm < CGS_NORMS; norm++)
        if (s->orders[norm].limited >= 0) {
            cgs_append(after, sizeof after, "%s%s", comma, cgs_norms[norm].title);
            comma = ", ";
        }
    cgs_append(after, sizeof after, "; finer points are left out of that fit.");
    add(list, "note", before, why, after);
}

/* Rounding that ends iterations, but does not show in the errors. */
static void say_floor(json_t *list, const struct cgs_study *study)
{
    const struct cgs_point *first = NULL;
    char why[128], text[384] = "";
    for (int k = 0; k < study->series_count; k++) {
        const struct cgs_series *s = &study->series[k];
        for (int i = 0; i < s->count && first_limited(s) == s->count; i++) {
            const struct cgs_point *point = &study->points[s->points[i]];
            if (strcmp(cgs_point_text(point, "solver.status"), "rounding_floor") == 0 &&
                (!first || point->facts[CGS_FACT_unknowns] < first->facts[CGS_FACT_unknowns]))
                first = point;
        }
    }
    if (!first)
        return;
    if (isfinite(first->facts[CGS_FACT_n]))
        cgs_append(text, sizeof text, "From N = %g on ", first->facts[CGS_FACT_n]);
    cgs_append(text, sizeof text, "%s ends iterations before their tolerance%s.",
               cgs_study_limit(first, why, sizeof why),
               isfinite(first->facts[CGS_FACT_l2])
                   ? "; the errors of these points are still those of the mesh"
                   : "");
    add(list, "note", text, "", "");
}

static void say_limits(json_t *list, const struct cgs_study *study, const struct cgs_curves *curves)
{
    enum { MOST = 4 };
    int limited = 0;
    char text[128];
    for (int k = 0; k < curves->count && curves->axis == CGS_AXIS_N; k++) {
        const struct cgs_series *s = &study->series[curves->curves[k].series];
        if (first_limited(s) < s->count && limited++ < MOST)
            say_limit(list, study, s, curves->curves[k].label);
    }
    snprintf(text, sizeof text, "The same holds for %d more series, see the table.",
             limited - MOST);
    if (limited > MOST)
        add(list, "note", text, "", "");
    say_floor(list, study);
}

/* ---- points that are missing ---- */

static void say_missing(json_t *list, const struct cgs_study *study)
{
    int failed = 0, open = 0;
    char strong[96];
    for (int i = 0; i < study->count; i++) {
        failed += study->points[i].exit_status > 0;
        open += study->points[i].exit_status < 0;
    }
    snprintf(strong, sizeof strong, "%d of %d points failed", failed, study->count);
    if (failed > 0)
        add(list, "bad", "", strong, ", see below.");
    snprintf(strong, sizeof strong, "%d of %d points have not been run", open, study->count);
    if (open > 0) {
        json_t *sentence = add(list, "bad", "", strong, ": ");
        cgs_put_text(sentence, "code", "--resume");
        cgs_put_text(sentence, "end", " goes on with them.");
    }
}

void cgs_page_summary(json_t *page, const struct cgs_study *study, const struct cgs_curves *curves)
{
    char text[200];
    json_t *list = cgs_html_list(page, "summary");
    say_missing(list, study);
    say_orders(list, study);
    say_limits(list, study, curves);
    say_largest(list, study);
    say_fastest(list, study);
    if (cgs_study_mixed(study, text, sizeof text))
        add(list, "note", text, "", "");
    if (cgs_study_disturbed(study, text, sizeof text))
        add(list, "bad", text, "", "");
}
