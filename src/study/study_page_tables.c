/* Tables of a study's page. */
#include <math.h>
#include <string.h>

#include "src/io/format.h"
#include "src/study/study_page.h"

static void open_table(FILE *file, const char *what)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", file);
    cgs_html_text(file, what);
    fputs("\">\n<table>\n<caption>", file);
    cgs_html_text(file, what);
    fputs("</caption>\n", file);
}

static void close_table(FILE *file)
{
    fputs("</table>\n</div>\n", file);
}

/* ---- convergence ---- */

/* Of a column: of cgs_error_facts. */
static struct cgs_order order_of(const struct cgs_study *study, const struct cgs_curve *curve,
                                 int column)
{
    struct cgs_order order;
    const struct cgs_series *series = &study->series[curve->series];
    if (column != CGS_ERROR_CONSISTENCY)
        return series->orders[column];
    cgs_study_fit_consistency(study, series, &order);
    return order;
}

static int find_columns(const struct cgs_study *study, int columns[CGS_ERROR_FACTS])
{
    int count = 0;
    for (int c = 0; c < CGS_ERROR_FACTS; c++) {
        bool there = false;
        for (int i = 0; i < study->count && !there; i++)
            there = isfinite(study->points[i].facts[cgs_error_facts[c]]);
        if (there)
            columns[count++] = c;
    }
    return count;
}

static void write_errors(FILE *file, const struct cgs_study *study, const struct cgs_curve *curve,
                         int i, const int *columns, int count)
{
    const struct cgs_series *series = &study->series[curve->series];
    const struct cgs_point *point = &study->points[curve->points[i]];
    cgs_html_format(file, "%g", point->facts[CGS_FACT_n]);
    fputs("</th>", file);
    for (int c = 0; c < count; c++) {
        const enum cgs_fact fact = cgs_error_facts[columns[c]];
        const double e = point->facts[fact], local = cgs_series_local_order(study, series, i, fact);
        const struct cgs_order order = order_of(study, curve, columns[c]);
        const char *class = order.limited >= 0 && i >= order.limited ? " class=\"out\"" : "";
        fprintf(file, "<td%s>", class);
        if (isfinite(e))
            fprintf(file, "%.4e", e);
        else
            fputs("\342\200\223", file);
        fprintf(file, "%s</td><td%s>", class[0] ? "*" : "", class);
        if (isfinite(local))
            fprintf(file, "%.2f", local);
        fputs("</td>", file);
    }
    fputs("</tr>\n", file);
}

static void write_fit(FILE *file, const struct cgs_order *o)
{
    if (!o->fitted)
        fputs("<td colspan=\"2\">\342\200\223</td>", file);
    else if (isfinite(o->half))
        fprintf(file, "<td colspan=\"2\"><strong>%.3f</strong> \302\261 %.3f</td>", o->order,
                o->half);
    else
        fprintf(file, "<td colspan=\"2\"><strong>%.3f</strong></td>", o->order);
}

static void write_verdict(FILE *file, const struct cgs_order *o)
{
    if (!o->expected)
        fputs("<td colspan=\"2\">nothing is expected</td>", file);
    else if (!o->fitted && o->met)
        fprintf(file, "<td colspan=\"2\">%g, too few points</td>", o->theory);
    else
        fprintf(file, "<td colspan=\"2\">%g \302\261 %.2f: <span class=\"%s\">%s</span></td>",
                o->theory, o->tolerance, o->met ? "good" : "bad",
                o->met ? "\342\234\223 as expected" : "\342\234\227 not as expected");
}

static void write_curve(FILE *file, const struct cgs_study *study, const struct cgs_curve *curve,
                        const int *columns, int count)
{
    fprintf(file, "<tbody>\n");
    if (curve->label[0]) {
        fprintf(file, "<tr class=\"group\"><th colspan=\"%d\" scope=\"rowgroup\"><span>",
                2 * count + 1);
        cgs_html_text(file, curve->label);
        fputs("</span></th></tr>\n", file);
    }
    for (int i = 0; i < curve->count; i++) {
        fputs("<tr><th scope=\"row\">", file);
        write_errors(file, study, curve, i, columns, count);
    }
    fputs("<tr class=\"fit\"><th scope=\"row\">fitted</th>", file);
    for (int c = 0; c < count; c++) {
        const struct cgs_order order = order_of(study, curve, columns[c]);
        write_fit(file, &order);
    }
    fputs("</tr>\n<tr class=\"due\"><th scope=\"row\">due</th>", file);
    for (int c = 0; c < count; c++) {
        const struct cgs_order order = order_of(study, curve, columns[c]);
        if (columns[c] == CGS_ERROR_CONSISTENCY && order.expected)
            fprintf(file, "<td colspan=\"2\">%g, not judged</td>", order.theory);
        else
            write_verdict(file, &order);
    }
    fputs("</tr>\n</tbody>\n", file);
}

void cgs_page_convergence(FILE *file, const struct cgs_study *study,
                          const struct cgs_curves *curves)
{
    int columns[CGS_ERROR_FACTS];
    const int count = find_columns(study, columns);
    bool limited = false;
    if (count == 0 || curves->axis != CGS_AXIS_N)
        return;
    open_table(file, "Errors, with the order between each point and the one before");
    fputs("<thead><tr><th scope=\"col\">N</th>", file);
    for (int c = 0; c < count; c++)
        fprintf(file, "<th scope=\"col\">%s</th><th scope=\"col\">order</th>",
                columns[c] == CGS_ERROR_CONSISTENCY ? "consistency" : cgs_norms[columns[c]].head);
    fputs("</tr></thead>\n", file);
    for (int k = 0; k < curves->count; k++) {
        write_curve(file, study, &curves->curves[k], columns, count);
        for (int c = 0; c < count; c++)
            limited = limited || order_of(study, &curves->curves[k], columns[c]).limited >= 0;
    }
    close_table(file);
    fputs("<p class=\"small\">Fitted: least squares of log error on log h, h = 1/(N+1), \302\261 "
          "half the 95 % confidence interval of the slope (Student's t). Due: the order of theory "
          "or of <code>--expect-order</code>, \302\261 what is accepted.",
          file);
    if (limited)
        fputs(" * Left out of the fit: the error is larger than the mesh explains, and what the "
              "solver left (rounding, the tolerance) may be as large.",
              file);
    fputs("</p>\n", file);
}

/* ---- performance ---- */

enum style { COUNT, SECONDS, RATE, SHARE };

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

static void write_figure(FILE *file, const struct cgs_point *point, int f)
{
    const double value = cgs_point_fact(point, figures[f].fact);
    cgs_text text = "\342\200\223";
    if (isfinite(value))
        switch (figures[f].style) {
        case COUNT:
            cgs_count_text((int64_t)value, text);
            break;
        case SECONDS:
            cgs_seconds_text(value, text);
            break;
        case RATE:
            snprintf(text, sizeof text, value < 999.5 ? "%.3g" : "%.0f", value);
            break;
        case SHARE:
            snprintf(text, sizeof text, "%.0f %%", 100.0 * point->facts[CGS_FACT_spmv_gbs] / value);
            break;
        }
    fputs("<td>", file);
    cgs_html_text(file, text);
    fputs("</td>", file);
}

static const char *ending(const struct cgs_point *point, char text[32])
{
    const char *status = cgs_point_text(point, "solver.status");
    if (point->exit_status < 0)
        return "not run";
    if (point->exit_status == 0 && strcmp(status, "rounding_floor") == 0)
        return "rounding floor";
    if (point->exit_status == 0)
        return "ok";
    snprintf(text, 32, "exit %d", point->exit_status);
    return text;
}

void cgs_page_performance(FILE *file, const struct cgs_study *study)
{
    bool there[FIGURES] = {false}, kernels = false;
    char text[32];
    for (int i = 0; i < study->count; i++)
        kernels = kernels || cgs_point_text(&study->points[i], "kernel")[0];
    for (int f = 0; f < FIGURES; f++)
        for (int i = 0; i < study->count; i++)
            there[f] = there[f] || isfinite(cgs_point_fact(&study->points[i], figures[f].fact));
    open_table(file, "All points");
    fputs("<thead><tr>", file);
    for (int i = 0; i < study->swept_count; i++)
        fprintf(file, "<th scope=\"col\">%s</th>", cgs_option_table[study->swept[i]].name);
    fprintf(file, "%s<th scope=\"col\" class=\"word\">ended</th>",
            kernels ? "<th scope=\"col\" class=\"word\">kernel</th>" : "");
    for (int f = 0; f < FIGURES; f++)
        if (there[f])
            fprintf(file, "<th scope=\"col\">%s</th>", figures[f].head);
    fputs("</tr></thead>\n<tbody>\n", file);
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        fputs("<tr>", file);
        for (int k = 0; k < study->swept_count; k++) {
            fputs("<th scope=\"row\">", file);
            cgs_html_text(file, point->values[study->swept[k]]);
            fputs("</th>", file);
        }
        fputs(kernels ? "<td class=\"word\">" : "", file);
        cgs_html_text(file, cgs_point_text(point, "kernel"));
        fputs(kernels ? "</td>" : "", file);
        fprintf(file, "<td class=\"%s\">%s</td>", point->exit_status == 0 ? "word" : "word bad",
                ending(point, text));
        for (int f = 0; f < FIGURES; f++)
            if (there[f])
                write_figure(file, point, f);
        fputs("</tr>\n", file);
    }
    fputs("</tbody>\n", file);
    close_table(file);
}

void cgs_page_failures(FILE *file, const struct cgs_study *study)
{
    bool first = true;
    char label[256];
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        if (point->exit_status <= 0)
            continue;
        fputs(first ? "<section>\n<h2>Points that failed</h2>\n<dl class=\"failed\">\n" : "", file);
        first = false;
        cgs_point_label(study, point, false, label, sizeof label);
        fputs("<dt>", file);
        cgs_html_format(file, "%s (exit status %d)", label[0] ? label : "the run",
                        point->exit_status);
        fputs("</dt><dd>", file);
        cgs_html_text(file, point->message ? point->message : "it does not say why");
        fputs("</dd>\n", file);
    }
    if (!first)
        fputs("</dl>\n</section>\n", file);
}
