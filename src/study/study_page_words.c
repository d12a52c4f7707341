/* What a study says, in sentences. */
#include <math.h>
#include <string.h>

#include "src/io/format.h"
#include "src/study/study_page.h"

static const char *named(const char *label)
{
    return label[0] ? label : "this study";
}

/* ---- orders ---- */

/* "L2 1.98 ... 1.99 (due: 2)", of the series where so much is due. */
static void say_range(FILE *file, const struct cgs_study *study, enum cgs_norm norm, double theory,
                      bool *first)
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < study->series_count; k++) {
        const struct cgs_order *o = &study->series[k].orders[norm];
        if (o->fitted && o->expected && o->theory == theory) {
            low = fmin(low, o->order);
            high = fmax(high, o->order);
        }
    }
    if (low > high)
        return;
    cgs_html_format(file, "%s%s %.2f", *first ? ": " : ", ", cgs_norms[norm].title, low);
    if (high - low >= 0.005)
        cgs_html_format(file, " \342\200\246 %.2f", high);
    cgs_html_format(file, " (due: %g)", theory);
    *first = false;
}

static void say_ranges(FILE *file, const struct cgs_study *study)
{
    bool first = true;
    for (int norm = 0; norm < CGS_NORMS; norm++)
        for (int k = 0; k < study->series_count; k++) {
            const struct cgs_order *o = &study->series[k].orders[norm];
            bool said = !o->fitted || !o->expected;
            for (int j = 0; j < k && !said; j++) {
                const struct cgs_order *other = &study->series[j].orders[norm];
                said = other->fitted && other->expected && other->theory == o->theory;
            }
            if (!said)
                say_range(file, study, (enum cgs_norm)norm, o->theory, &first);
        }
}

static void say_unmet(FILE *file, const struct cgs_study *study, int most)
{
    int said = 0;
    for (int k = 0; k < study->series_count; k++)
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            const struct cgs_order *o = &study->series[k].orders[norm];
            if (o->met || said++ >= most)
                continue;
            cgs_html_format(file, "%s%s: %s ", said == 1 ? ": " : "; ",
                            named(study->series[k].label), cgs_norms[norm].title);
            if (o->fitted)
                cgs_html_format(file, "%.2f instead of %g", o->order, o->theory);
            else
                cgs_html_format(file, "cannot be fitted, %g was asked for", o->theory);
        }
    if (said > most)
        cgs_html_format(file, "; and %d more", said - most);
}

static void say_consistency(FILE *file, const struct cgs_study *study)
{
    double low = INFINITY, high = -INFINITY;
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
    fprintf(file, "<li>The consistency error is of order <strong>%.2f", low);
    if (high - low >= 0.005)
        fprintf(file, " \342\200\246 %.2f", high);
    fputs("</strong> (theory: 2; it is shown, not judged).</li>\n", file);
}

/* Why nothing is expected of the orders. */
static const char *no_expectation(const struct cgs_study *study)
{
    const struct cgs_problem *problem = NULL;
    const char *asked = study->options ? study->options->expect_order : NULL;
    for (int i = 0; i < study->count && !problem; i++)
        problem = cgs_problem_find(cgs_point_text(&study->points[i], "problem.name"));
    if (asked && strcmp(asked, "none") == 0)
        return ": --expect-order=none";
    if (asked && strcmp(asked, "theory") != 0)
        return " but of the norms that --expect-order names";
    return problem && problem->product_rhs
               ? ": b = A u, whose discrete solution has no discretisation error at the nodes"
               : ": theory says nothing of this problem, mesh or way to stop";
}

static void say_orders(FILE *file, const struct cgs_study *study)
{
    int due = 0, unmet = 0, fitted = 0;
    for (int k = 0; k < study->series_count; k++)
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            const struct cgs_order *o = &study->series[k].orders[norm];
            fitted += o->fitted;
            due += o->expected && (o->fitted || !o->met);
            unmet += !o->met;
        }
    if (unmet > 0) {
        fprintf(file,
                "<li class=\"bad\"><strong>%d of %d orders of convergence %s not as "
                "expected</strong>",
                unmet, due, unmet == 1 ? "is" : "are");
        say_unmet(file, study, 3);
        fputs(".</li>\n", file);
    } else if (due > 0) {
        fprintf(file,
                "<li class=\"good\"><strong>%s order%s of convergence %s as "
                "expected</strong>",
                due == 1 ? "The" : "All", due == 1 ? "" : "s", due == 1 ? "is" : "are");
        say_ranges(file, study);
        fputs(".</li>\n", file);
    } else if (fitted > 0)
        fprintf(file, "<li>Of the orders of convergence nothing is expected%s.</li>\n",
                no_expectation(study));
    say_consistency(file, study);
}

/* ---- the fastest ---- */

static void say_fastest(FILE *file, const struct cgs_study *study)
{
    const struct cgs_point *best = NULL, *worst = NULL;
    double n = 0.0;
    char label[256];
    cgs_text seconds, most;
    for (int i = 0; i < study->count; i++)
        if (isfinite(study->points[i].facts[CGS_FACT_solve_seconds]) &&
            study->points[i].exit_status == 0)
            n = fmax(n, study->points[i].facts[CGS_FACT_unknowns]);
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *p = &study->points[i];
        const double took = p->facts[CGS_FACT_solve_seconds];
        if (!isfinite(took) || p->facts[CGS_FACT_unknowns] != n || p->exit_status != 0)
            continue;
        if (!best || took < best->facts[CGS_FACT_solve_seconds])
            best = p;
        if (!worst || took > worst->facts[CGS_FACT_solve_seconds])
            worst = p;
    }
    if (!best)
        return;
    cgs_point_label(study, best, false, label, sizeof label);
    fprintf(file, "<li>The %s: <strong>",
            best == worst ? "largest system" : "fastest solve of the largest system");
    cgs_html_format(file, "%s took %s", label[0] ? label : "the run",
                    cgs_seconds_text(best->facts[CGS_FACT_solve_seconds], seconds));
    if (isfinite(best->facts[CGS_FACT_solve_seconds_min]))
        cgs_html_format(file, " (median; %s to %s)",
                        cgs_seconds_text(best->facts[CGS_FACT_solve_seconds_min], seconds),
                        cgs_seconds_text(best->facts[CGS_FACT_solve_seconds_max], most));
    fputs("</strong>", file);
    if (isfinite(best->facts[CGS_FACT_mups]))
        cgs_html_format(file, ", at %.4g MUPS", best->facts[CGS_FACT_mups]);
    const double ratio = worst->facts[CGS_FACT_solve_seconds] / best->facts[CGS_FACT_solve_seconds];
    cgs_point_label(study, worst, true, label, sizeof label);
    if (best != worst && ratio >= 1.05 &&
        !(worst->facts[CGS_FACT_solve_seconds_min] <= best->facts[CGS_FACT_solve_seconds_max]))
        cgs_html_format(file, "; the slowest (%s) took %.*f times as long", label,
                        ratio < 9.95 ? 1 : 0, ratio);
    fputs(".</li>\n", file);
}

/* ---- where rounding stops the convergence ---- */

static bool is_limited(const struct cgs_series *s)
{
    for (int norm = 0; norm < CGS_NORMS; norm++)
        if (s->orders[norm].limited >= 0)
            return true;
    return false;
}

static void say_limit(FILE *file, const struct cgs_study *study, const struct cgs_series *s,
                      const char *label)
{
    int first = s->count, count = 0;
    char why[128];
    for (int norm = 0; norm < CGS_NORMS; norm++)
        if (s->orders[norm].limited >= 0 && s->orders[norm].limited < first)
            first = s->orders[norm].limited;
    const struct cgs_point *point = &study->points[s->points[first]];
    fputs("<li class=\"note\">", file);
    cgs_html_format(file, "%s: from N = %g on", named(label), point->facts[CGS_FACT_n]);
    fputs(" <strong>", file);
    cgs_html_text(file, cgs_study_limit(point, why, sizeof why));
    fputs("</strong> ", file);
    fprintf(file, "%s the convergence of ", strstr(why, " and ") ? "stop" : "stops");
    for (int norm = 0; norm < CGS_NORMS; norm++)
        if (s->orders[norm].limited >= 0)
            fprintf(file, "%s%s", count++ > 0 ? ", " : "", cgs_norms[norm].title);
    fputs("; finer points are left out of that fit.</li>\n", file);
}

static bool at_floor(const struct cgs_point *point)
{
    return strcmp(cgs_point_text(point, "solver.status"), "rounding_floor") == 0;
}

/* Rounding that ends iterations, but does not show in the errors. */
static void say_floor(FILE *file, const struct cgs_study *study)
{
    const struct cgs_point *first = NULL;
    char why[128];
    for (int k = 0; k < study->series_count; k++)
        for (int i = 0; i < study->series[k].count && !is_limited(&study->series[k]); i++) {
            const struct cgs_point *point = &study->points[study->series[k].points[i]];
            if (at_floor(point) &&
                (!first || point->facts[CGS_FACT_unknowns] < first->facts[CGS_FACT_unknowns]))
                first = point;
        }
    if (!first)
        return;
    fputs("<li class=\"note\">", file);
    if (isfinite(first->facts[CGS_FACT_n]))
        cgs_html_format(file, "From N = %g on ", first->facts[CGS_FACT_n]);
    cgs_html_format(file, "%s ends iterations before their tolerance",
                    cgs_study_limit(first, why, sizeof why));
    fputs(isfinite(first->facts[CGS_FACT_l2])
              ? "; the errors of these points are still those of the mesh.</li>\n"
              : ".</li>\n",
          file);
}

static void say_limits(FILE *file, const struct cgs_study *study, const struct cgs_curves *curves)
{
    int said = 0;
    for (int k = 0; k < curves->count && curves->axis == CGS_AXIS_N; k++) {
        const struct cgs_curve *curve = &curves->curves[k];
        if (is_limited(&study->series[curve->series]) && said++ < 4)
            say_limit(file, study, &study->series[curve->series], curve->label);
    }
    if (said > 4)
        fprintf(file, "<li class=\"note\">The same holds for %d more series, see the table.</li>\n",
                said - 4);
    say_floor(file, study);
}

/* ---- points that are missing ---- */

static void say_missing(FILE *file, const struct cgs_study *study)
{
    int failed = 0, open = 0;
    for (int i = 0; i < study->count; i++) {
        failed += study->points[i].exit_status > 0;
        open += study->points[i].exit_status < 0;
    }
    if (failed > 0)
        fprintf(file,
                "<li class=\"bad\"><strong>%d of %d points failed</strong>, see below.</li>\n",
                failed, study->count);
    if (open > 0)
        fprintf(file,
                "<li class=\"bad\"><strong>%d of %d points have not been run</strong>: "
                "<code>--resume</code> goes on with them.</li>\n",
                open, study->count);
}

static void say_mixed(FILE *file, const struct cgs_study *study)
{
    char text[200];
    if (!cgs_study_mixed(study, text, sizeof text))
        return;
    fputs("<li class=\"note\">", file);
    cgs_html_text(file, text);
    fputs("</li>\n", file);
}

void cgs_page_summary(FILE *file, const struct cgs_study *study, const struct cgs_curves *curves)
{
    fputs("<ul class=\"summary\">\n", file);
    say_missing(file, study);
    say_orders(file, study);
    say_limits(file, study, curves);
    say_fastest(file, study);
    say_mixed(file, study);
    fputs("</ul>\n", file);
}
