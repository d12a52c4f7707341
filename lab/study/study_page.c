/* DIR/report.html: the study as one page that needs no other file. */
#include "lab/study/study_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "core/io/output.h"
#include "core/io/version.h"
#include "lab/command_line/options_list.h"
#include "lab/figure/gnuplot.h"
#include "lab/io/table_file.h"
#include "lab/study/study_curves.h"
#include "lab/study/study_drawings.h"
#include "lab/study/study_limits.h"
#include "lab/study/study_orders.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_page_tables.h"
#include "lab/study/study_page_words.h"
#include "lab/study/study_point.h"

/* DIR/tables.tex: the tables of a study for LaTeX, errors with their orders, u with its limits, and
 * all points. */

/* The study whose tables are written. */
struct sheet {
    const struct cgs_study *study;
    const struct cgs_curves *curves; /* merged */
};

enum form { WHOLE, FIXED2, FIXED3, DIGITS7, ERROR, SECONDS, RATE };

/* A number; a dash for none. */
static void add_number(struct cgs_table *t, double x, enum form form)
{
    static const struct {
        char form;
        int digits;
    } forms[] = {
        [WHOLE] = {'f', 0}, [FIXED2] = {'f', 2},  [FIXED3] = {'f', 3}, [DIGITS7] = {'g', 7},
        [ERROR] = {'e', 4}, [SECONDS] = {'e', 2}, [RATE] = {'f', 3},
    };
    const bool large = form == RATE && !(fabs(x) < 100.0);
    cgs_table_number(t, forms[form].form, large ? 0 : forms[form].digits, x, false);
}

/* ---- errors and orders ---- */

static void add_curve(struct cgs_table *t, const struct cgs_study *study,
                      const struct cgs_curve *curve, const int *norms, int count)
{
    const struct cgs_series *series = &study->series[curve->series];
    struct cgs_order orders[CGS_ERROR_FACTS];
    bool bounded = false;
    for (int c = 0; c < count; c++) {
        cgs_drawing_order(study, cgs_error_facts[norms[c]], curve->series, &orders[c]);
        bounded = bounded || cgs_order_bounded(&orders[c]);
    }
    cgs_table_group(t, curve->label);
    for (int i = 0; i < curve->count; i++) {
        const struct cgs_point *point = &study->points[curve->points[i]];
        char mesh[64];
        if (point->values[CGS_OPTION_cells])
            cgs_table_cell(t, cgs_point_mesh(point, mesh, sizeof mesh));
        else
            add_number(t, point->facts[CGS_FACT_n], WHOLE);
        for (int c = 0; c < count; c++) {
            const enum cgs_fact fact = cgs_error_facts[norms[c]];
            add_number(t, point->facts[fact], ERROR);
            add_number(t, cgs_series_local_order(study, series, i, fact), FIXED2);
        }
        cgs_table_end_row(t);
    }
    for (int half = 0; half <= bounded; half++) {
        cgs_table_words(t, half ? "+- (95 %)" : "fitted");
        for (int c = 0; c < count; c++) {
            const struct cgs_order *o = &orders[c];
            const bool there = half ? cgs_order_bounded(o) : o->fitted;
            cgs_table_words(t, "");
            add_number(t, !there ? NAN : half ? o->half : o->order, FIXED3);
        }
        cgs_table_end_row(t);
    }
}

static void write_orders(struct cgs_table *t, const void *self)
{
    const struct sheet *sheet = self;
    int norms[CGS_ERROR_FACTS], count = 0;
    for (int c = 0; c < CGS_ERROR_FACTS && sheet->curves->axis == CGS_AXIS_N; c++)
        if (cgs_study_has(sheet->study, cgs_error_facts[c]))
            norms[count++] = c;
    if (count == 0)
        return;
    cgs_table_words(t, sheet->study->points[0].values[CGS_OPTION_cells] ? "mesh" : "N");
    for (int c = 0; c < count; c++) {
        cgs_table_words(t, norms[c] == CGS_ERROR_CONSISTENCY ? "consistency"
                                                             : cgs_norms[norms[c]].head);
        cgs_table_words(t, "order");
    }
    cgs_table_end_row(t);
    for (int k = 0; k < sheet->curves->count; k++)
        add_curve(t, sheet->study, &sheet->curves->curves[k], norms, count);
}

/* ---- u as the mesh is refined ---- */

static void add_limits(struct cgs_table *t, const struct cgs_study *study,
                       const struct cgs_series *series, int quantities, bool order)
{
    cgs_table_words(t, order ? "order" : "limit");
    for (int q = 0; q < quantities; q++) {
        const int finest = cgs_series_finest(study, series, q);
        const struct cgs_limit limit = finest < 0 ? (struct cgs_limit){.order = NAN, .value = NAN}
                                                  : cgs_series_limit(study, series, finest, q);
        add_number(t, order ? limit.order : limit.value, order ? FIXED3 : DIGITS7);
    }
    cgs_table_end_row(t);
}

static void write_limits(struct cgs_table *t, const void *self)
{
    const struct sheet *sheet = self;
    const int quantities = cgs_study_quantities(sheet->study);
    if (!cgs_study_says_limits(sheet->study))
        return;
    cgs_table_words(t, "mesh");
    for (int q = 0; q < quantities; q++)
        cgs_table_words(t, cgs_quantity_head(q, (cgs_quantity_name){0}));
    cgs_table_end_row(t);
    for (int k = 0; k < sheet->study->series_count; k++) {
        const struct cgs_series *series = &sheet->study->series[k];
        cgs_table_group(t, series->label);
        for (int i = 0; i < series->count; i++) {
            const struct cgs_point *point = &sheet->study->points[series->points[i]];
            char mesh[64];
            cgs_table_cell(t, cgs_point_mesh(point, mesh, sizeof mesh));
            for (int q = 0; q < quantities; q++)
                add_number(t, cgs_point_quantity(point, q), DIGITS7);
            cgs_table_end_row(t);
        }
        add_limits(t, sheet->study, series, quantities, true);
        add_limits(t, sheet->study, series, quantities, false);
    }
}

/* ---- all points ---- */

static const struct {
    const char *head;
    enum form form;
    enum cgs_fact fact;
} figures[] = {
    {"unknowns", WHOLE, CGS_FACT_unknowns},
    {"iter.", WHOLE, CGS_FACT_iterations},
    {"solve [s]", SECONDS, CGS_FACT_solve_seconds},
    {"MUPS", RATE, CGS_FACT_mups},
    {"speedup", FIXED2, CGS_FACT_speedup},
    {"efficiency", FIXED2, CGS_FACT_efficiency},
    {"product [s]", SECONDS, CGS_FACT_spmv_seconds},
    {"GB/s", RATE, CGS_FACT_spmv_gbs},
    {"attainable", RATE, CGS_FACT_attainable_gbs},
    {"answer [s]", SECONDS, CGS_FACT_answer_seconds},
    {"total [s]", SECONDS, CGS_FACT_total_seconds},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static void write_points(struct cgs_table *t, const void *self)
{
    const struct sheet *sheet = self;
    const struct cgs_study *study = sheet->study;
    bool failed = false, disturbed = false;
    for (int i = 0; i < study->count; i++) {
        failed = failed || study->points[i].exit_status != 0;
        disturbed = disturbed || cgs_point_disturbed(&study->points[i]);
    }
    for (int k = 0; k < study->swept_count; k++)
        cgs_table_words(t, cgs_option_table[study->swept[k]].name);
    if (failed)
        cgs_table_words(t, "exit status");
    if (disturbed)
        cgs_table_words(t, "DISTURBED");
    for (int f = 0; f < FIGURES; f++)
        if (cgs_study_has(study, figures[f].fact))
            cgs_table_words(t, figures[f].head);
    cgs_table_end_row(t);
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        for (int k = 0; k < study->swept_count; k++)
            cgs_table_cell(t, point->values[study->swept[k]]);
        if (failed)
            add_number(t, point->exit_status < 0 ? NAN : point->exit_status, WHOLE);
        if (disturbed)
            cgs_table_words(t, cgs_point_disturbed(point) ? "yes" : "");
        for (int f = 0; f < FIGURES; f++)
            if (cgs_study_has(study, figures[f].fact))
                add_number(t, cgs_point_fact(point, figures[f].fact), figures[f].form);
        cgs_table_end_row(t);
    }
}

/* ---- the file ---- */

/* Writes DIR/tables.tex. `curves`: merged. */
static enum cgs_status study_tables(struct cgs_study *study, const struct cgs_curves *merged)
{
    char path[4096], machines[256], days[32];
    struct cgs_output output = {0};
    snprintf(path, sizeof path, "%s/tables.tex", study->folder);
    enum cgs_status status = cgs_output_open(study->context, "the tables", path, 0, &output);
    if (status == CGS_OK)
        status = cgs_output_begin(study->context, &output);
    if (status == CGS_OK) {
        FILE *file = output.file;
        const struct sheet sheet = {study, merged};
        cgs_study_machines(study, machines, sizeof machines);
        cgs_study_days(study, days, sizeof days);
        fprintf(file, "%s%% %s, %s\n", cgs_table_packages, machines, days);
        cgs_table_write(file, false, "Errors, with the order between each point and the one before",
                        write_orders, &sheet);
        cgs_table_write(file, false, "u on each mesh, and the value that it goes to", write_limits,
                        &sheet);
        cgs_table_write(file, false, "All points", write_points, &sheet);
        status = cgs_output_commit(study->context, &output);
    }
    cgs_output_discard(&output);
    return status;
}

/* ---- head ---- */

/* "N = 7, 15, 31, 63; quadrature = gauss, blended"; owned by the caller, NULL: no memory. */
static char *lists_of(const struct cgs_study *study)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < study->swept_count && file; i++) {
        const struct cgs_list *list = &study->lists[study->swept[i]];
        fprintf(file, "%s%s = ", i > 0 ? "; " : "", cgs_option_table[study->swept[i]].name);
        for (int k = 0; k < list->count; k++)
            fprintf(file, "%s%s", k > 0 ? ", " : "", list->values[k]);
    }
    if (file)
        fclose(file);
    return text;
}

/* The page, still without sections. */
static json_t *begin_page(const struct cgs_study *study, const struct cgs_curves *merged)
{
    char days[32], title[64], about[64], *lists = lists_of(study);
    cgs_study_days(study, days, sizeof days);
    snprintf(title, sizeof title, "cgsolve study, %s", days);
    snprintf(about, sizeof about, "%d point%s of cgsolve", study->count,
             study->count == 1 ? "" : "s");
    json_t *page = cgs_html_page(
        title, merged->axis == CGS_AXIS_N ? "Convergence and performance" : "Performance", about);
    cgs_put_text(page, "lists", lists);
    cgs_put_text(page, "remark", study->remark);
    free(lists);
    return page;
}

/* ---- what was run ---- */

static void add_fact(json_t *section, const char *name, const char *value)
{
    cgs_html_pair(section, "run", name, value);
}

static void add_time(json_t *section, const struct cgs_study *study)
{
    const bool draw = study->options->draw;
    double seconds = 0.0;
    int resumed = 0;
    char text[128];
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        seconds += draw ? fmax(0.0, point->facts[CGS_FACT_total_seconds]) : point->seconds;
        resumed += point->resumed && !draw;
    }
    snprintf(text, sizeof text, "%s", cgs_seconds_text(seconds, (cgs_text){0}));
    if (resumed == study->count)
        cgs_append(text, sizeof text, ": all points were there already");
    else if (resumed > 0)
        cgs_append(text, sizeof text, "; %d of %d points were there already", resumed,
                   study->count);
    add_fact(section, "time taken", text);
}

static void say_run(json_t *section, const struct cgs_study *study)
{
    static const char program[] = "cgsolve %s, commit %s";
    char text[512], first[128], second[320];
    const bool draw = study->options->draw;
    cgs_html_command(section, study->argc, study->argv);
    cgs_study_machines(study, text, sizeof text);
    add_fact(section, "machine", text);
    cgs_study_days(study, text, sizeof text);
    add_fact(section, "date", draw ? text : study->date);
    cgs_study_told(study, "cgsolve.version", cgs_version(), first, sizeof first);
    cgs_study_told(study, "cgsolve.commit", cgs_commit(), second, sizeof second);
    snprintf(text, sizeof text, program, first, second);
    add_fact(section, "program", text);
    cgs_study_told(study, "cgsolve.compiler", cgs_compiler(), first, sizeof first);
    cgs_study_told(study, "cgsolve.flags", cgs_flags(), second, sizeof second);
    snprintf(text, sizeof text, "%s, %s", first, second);
    add_fact(section, "built by", text);
    cgs_study_told(study, "cgsolve.cuda", NULL, text, sizeof text);
    add_fact(section, "CUDA", text);
    cgs_study_told(study, "device.driver", NULL, text, sizeof text);
    add_fact(section, "driver", text);
    snprintf(text, sizeof text, program, cgs_version(), cgs_commit());
    add_fact(section, "drawn by", draw ? text : "");
    add_fact(section, "figures", cgs_gnuplot_version(text, sizeof text) ? text : "");
    add_time(section, study);
}

/* ---- sections ---- */

/* The figures that are there, of errors or of performance. */
static void add_figures(json_t *section, const struct cgs_study *study,
                        const struct cgs_curves *curves, bool errors)
{
    for (int i = 0; i < CGS_DRAWINGS; i++) {
        char path[4096], caption[1024];
        const struct cgs_drawing_row *row = &cgs_drawings[i];
        if ((row->kind == CGS_DRAWN_ERROR) != errors)
            continue;
        snprintf(path, sizeof path, "%s/%s.svg", study->folder, row->file);
        cgs_drawing_caption(study, curves, (enum cgs_drawing)i, caption, sizeof caption);
        cgs_html_figure(section, i, path, row->file, row->title, caption);
    }
}

/* The section on errors where there are some. */
static void add_errors(json_t *page, const struct cgs_study *study, const struct cgs_curves *curves,
                       const struct cgs_curves *merged)
{
    char why[256];
    bool errors = false;
    for (int i = 0; i < CGS_DRAWINGS; i++)
        errors =
            errors || (cgs_drawings[i].kind == CGS_DRAWN_ERROR &&
                       cgs_drawing_wanted(study, curves, (enum cgs_drawing)i, why, sizeof why));
    if (!errors)
        return;
    json_t *section = cgs_html_section(page, "Convergence");
    cgs_put_text(section, "intro",
                 "Axes are logarithmic: an error of order p falls along a straight line of slope "
                 "p, as the triangles do. Series whose errors agree are drawn as one.");
    add_figures(section, study, merged, true);
    cgs_page_orders(section, study, merged);
}

static void add_failures(json_t *page, const struct cgs_study *study)
{
    json_t *section = NULL;
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        char label[256], name[300];
        if (point->exit_status <= 0)
            continue;
        if (!section)
            section = cgs_html_section(page, "Points that failed");
        cgs_point_label(study, point, false, label, sizeof label);
        snprintf(name, sizeof name, "%s (exit status %d)", label[0] ? label : "the run",
                 point->exit_status);
        cgs_html_pair(section, "failed", name,
                      point->message ? point->message : "it does not say why");
    }
}

/* Titles of the figures that lack something, together where they lack the same: "A, B: why." */
static void add_absent(json_t *page, const struct cgs_study *study, const struct cgs_curves *curves)
{
    char why[CGS_DRAWINGS][256];
    bool said[CGS_DRAWINGS];
    json_t *list = NULL;
    for (int i = 0; i < CGS_DRAWINGS; i++)
        said[i] = cgs_drawing_wanted(study, curves, (enum cgs_drawing)i, why[i], sizeof why[i]);
    for (int i = 0; i < CGS_DRAWINGS; i++) {
        char text[1024] = "";
        if (said[i])
            continue;
        if (!list)
            list = cgs_html_list(cgs_html_section(page, "What is not shown"), "items");
        for (int k = i; k < CGS_DRAWINGS; k++)
            if (!said[k] && strcmp(why[k], why[i]) == 0) {
                cgs_append(text, sizeof text, "%s%s", text[0] ? ", " : "", cgs_drawings[k].title);
                said[k] = true;
            }
        cgs_append(text, sizeof text, ": %s.", why[i]);
        json_array_append_new(list, cgs_json_text(text));
    }
}

/* ---- the page ---- */

static enum cgs_status write_page(struct cgs_study *study, const struct cgs_curves *curves,
                                  const struct cgs_curves *merged)
{
    char path[4096];
    json_t *page = begin_page(study, merged);
    snprintf(path, sizeof path, "%s/report.html", study->folder);
    cgs_page_summary(page, study, merged);
    add_errors(page, study, curves, merged);
    cgs_page_limits(page, study);
    cgs_page_targets(page, study);
    json_t *performance = cgs_html_section(page, "Performance");
    add_figures(performance, study, curves, false);
    cgs_page_performance(performance, study);
    add_failures(page, study);
    say_run(cgs_html_section(page, "What was run"), study);
    add_absent(page, study, curves);
    return cgs_html_write(study->context, "the page", path, page);
}

enum cgs_status cgs_study_page(struct cgs_study *study)
{
    struct cgs_curves curves, merged = {0};
    CGS_TRY(cgs_curves_make(study, &curves));
    if (cgs_curves_make(study, &merged) == CGS_OK &&
        cgs_curves_merge(study, &merged, cgs_error_facts, CGS_ERROR_FACTS) == CGS_OK)
        if (write_page(study, &curves, &merged) == CGS_OK)
            study_tables(study, &merged);
    cgs_curves_release(&merged);
    cgs_curves_release(&curves);
    return study->context->status;
}
