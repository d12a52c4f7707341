/* The study's page for people: points, orders, what failed, where the files are. */
#include "lab/study/study_text.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "core/io/page.h"
#include "core/io/version.h"
#include "lab/command_line/options_list.h"
#include "lab/study/study_curves.h"
#include "lab/study/study_limits.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"
#include "lab/study/study_scaling.h"
#include "lab/study/study_targets.h"

/* ---- the table of points: a row each, the swept values, how it ended, what it reached; two
 * tables where one is wider than the page ---- */

enum { VALUE_WIDTH = 24, INDENT = 2 };

enum style { COUNT, ERROR, RATE, SHARE, SECONDS, DISTURBED };

struct column {
    const char *head;
    int width;
    enum style style;
    enum cgs_fact fact;
    int rank; /* where there is no room, those of the highest rank are left out first; 0: never */
};

static const struct column accuracy[] = {
    {"unknowns", 10, COUNT, CGS_FACT_unknowns, 2},
    {"iter.", 6, COUNT, CGS_FACT_iterations, 0},
    {"L2", 8, ERROR, CGS_FACT_l2, 0},
    {"nodal L2", 8, ERROR, CGS_FACT_nodal_l2, 1},
    {"H1", 8, ERROR, CGS_FACT_h1, 2},
};
static const struct column speed[] = {
    {"solve", 7, SECONDS, CGS_FACT_solve_seconds, 0},
    {"least", 7, SECONDS, CGS_FACT_solve_seconds_min, 3},
    {"most", 7, SECONDS, CGS_FACT_solve_seconds_max, 3},
    {"MUPS", 6, RATE, CGS_FACT_mups, 0},
    {"GB/s", 6, RATE, CGS_FACT_spmv_gbs, 2},
    {"of max", 6, SHARE, CGS_FACT_attainable_gbs, 1},
    {"DISTURBED", 9, DISTURBED, CGS_FACT_waited, 0},
};
enum { RANKS = 4 };
enum { ACCURACY = sizeof accuracy / sizeof *accuracy, SPEED = sizeof speed / sizeof *speed };

struct table {
    const struct column *columns[ACCURACY + SPEED];
    int count, width;
};

/* A column that no point fills is left out, and those of that rank or a higher one. */
static void add_columns(const struct cgs_study *study, const struct column *columns, int count,
                        int rank, struct table *table)
{
    for (int i = 0; i < count; i++) {
        bool there = false;
        if (columns[i].rank >= rank)
            continue;
        for (int k = 0; k < study->count && !there; k++)
            there = columns[i].style == DISTURBED
                        ? cgs_point_disturbed(&study->points[k])
                        : isfinite(study->points[k].facts[columns[i].fact]);
        if (there) {
            table->columns[table->count++] = &columns[i];
            table->width += columns[i].width + 1;
        }
    }
}

static void write_fact(FILE *file, const struct column *column, const struct cgs_point *point)
{
    const double value = point->facts[column->fact];
    cgs_text text = "-";
    if (isfinite(value))
        switch (column->style) {
        case COUNT:
            cgs_count_text((int64_t)value, text);
            break;
        case ERROR:
            snprintf(text, sizeof text, "%.2e", value);
            break;
        case RATE:
            cgs_number_text(value, text);
            break;
        case SHARE:
            cgs_percent_text(point->facts[CGS_FACT_spmv_gbs], value, text);
            break;
        case SECONDS:
            if (value > 0.0)
                cgs_seconds_text(value, text);
            break;
        case DISTURBED:
            snprintf(text, sizeof text, "%s", cgs_point_disturbed(point) ? "yes" : "");
            break;
        }
    fprintf(file, " %*s", column->width, text);
}

/* ---- the swept values, and how a point ended ---- */

static const char *ending(const struct cgs_point *point, char text[16])
{
    const json_t *solver = json_object_get(point->report, "solver");
    const char *status = json_string_value(json_object_get(solver, "status"));
    if (!cgs_point_done(point))
        return "not run";
    if (point->exit_status == 0)
        return status && strcmp(status, "rounding_floor") == 0 ? "floor" : "ok";
    snprintf(text, 16, "exit %d", point->exit_status);
    return text;
}

static int value_width(const struct cgs_study *study, enum cgs_option_id id)
{
    int width = (int)strlen(cgs_option_table[id].name);
    for (int i = 0; i < study->lists[id].count; i++) {
        const int length = (int)strlen(study->lists[id].values[i]);
        width = length > width ? length : width;
    }
    return width > VALUE_WIDTH ? VALUE_WIDTH : width;
}

/* Numbers to the right, words to the left; the end of a long path tells more than its beginning. */
static void write_value(FILE *file, const struct cgs_study *study, enum cgs_option_id id,
                        const char *value)
{
    const enum cgs_option_kind kind = cgs_option_table[id].kind;
    const int width = value_width(study, id), length = (int)strlen(value);
    const char *end = length > width ? value + length - width : value;
    if (kind == CGS_KIND_INT || kind == CGS_KIND_REAL || kind == CGS_KIND_GPUS)
        fprintf(file, " %*s", width, end);
    else
        fprintf(file, " %-*s", width, cgs_plain(end, (cgs_name){0}));
}

static void write_table(FILE *file, const struct cgs_study *study, const struct table *table)
{
    enum { ENDING = 8 };
    char text[16];
    fprintf(file, "\n%*s", INDENT - 1, "");
    for (int i = 0; i < study->swept_count; i++)
        write_value(file, study, study->swept[i], cgs_option_table[study->swept[i]].name);
    fprintf(file, " %-*s", ENDING, "status");
    for (int i = 0; i < table->count; i++)
        fprintf(file, " %*s", table->columns[i]->width, table->columns[i]->head);
    fputc('\n', file);
    for (int k = 0; k < study->count; k++) {
        const struct cgs_point *point = &study->points[k];
        fprintf(file, "%*s", INDENT - 1, "");
        for (int i = 0; i < study->swept_count; i++)
            write_value(file, study, study->swept[i], point->values[study->swept[i]]);
        fprintf(file, " %-*s", ENDING, ending(point, text));
        for (int i = 0; i < table->count; i++)
            write_fact(file, table->columns[i], point);
        fputc('\n', file);
    }
}

static const char legend[] =
    "L2, nodal L2, H1: errors; solve: time of a solve, the median of several where they are short "
    "(--solves); MUPS: million unknown updates a second; GB/s: of the product A x; of max: of the "
    "bandwidth that the run measured; status: ok, floor (rounding stops it before --tol), or the "
    "exit status of a run that failed";

/* A table of its own of these columns, as many as there is room for. */
static void write_columns(FILE *file, const struct cgs_study *study, const struct column *columns,
                          int count, const struct table *labels, int width)
{
    struct table table = *labels;
    for (int rank = RANKS; rank > 0; rank--) {
        table = *labels;
        add_columns(study, columns, count, rank, &table);
        if (table.width <= width)
            break;
    }
    if (table.count > 0)
        write_table(file, study, &table);
}

static void write_points(FILE *file, const struct cgs_study *study)
{
    const int width = cgs_page_width();
    struct table labels = {.width = INDENT + 9};
    for (int i = 0; i < study->swept_count; i++)
        labels.width += value_width(study, study->swept[i]) + 1;
    struct table all = labels;
    for (int rank = RANKS; rank >= RANKS - 1; rank--) {
        all = labels;
        add_columns(study, accuracy, ACCURACY, rank, &all);
        add_columns(study, speed, SPEED, rank, &all);
        if (all.width <= width)
            break;
    }
    if (all.width <= width) {
        write_table(file, study, &all);
    } else {
        write_columns(file, study, accuracy, ACCURACY, &labels, width);
        write_columns(file, study, speed, SPEED, &labels, width);
    }
    fputs("\n  ", file);
    cgs_page_wrap(file, legend, INDENT);
}

/* ---- the page ---- */

static void write_machine(const struct cgs_page *page, const struct cgs_study *study)
{
    char text[512];
    cgs_study_machines(study, text, sizeof text);
    if (!text[0])
        return;
    cgs_page_section(page, "Machine");
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
}

/* All options of the points, those that are not swept, too. */
static void write_head(const struct cgs_page *page, const struct cgs_study *study)
{
    enum { ROOM = 2048, VALUE = 100 };
    char text[ROOM], version[64], commit[128], days[32];
    size_t used = (size_t)snprintf(text, sizeof text, "%d point%s of", study->count,
                                   study->count == 1 ? "" : "s");
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const struct cgs_list *list = &study->lists[i];
        for (int k = 0; k < list->count && used < ROOM - 2 * VALUE; k++) {
            const char *value = list->values[k];
            if (k == 0)
                used += (size_t)snprintf(text + used, ROOM - used, " --%s%s",
                                         cgs_option_table[i].name, *value ? "=" : "");
            used += (size_t)snprintf(text + used, ROOM - used, "%s%.*s%s", k > 0 ? "," : "", VALUE,
                                     value, strlen(value) > VALUE ? "..." : "");
        }
    }
    cgs_study_told(study, "cgsolve.version", cgs_version(), version, sizeof version);
    cgs_study_told(study, "cgsolve.commit", cgs_commit(), commit, sizeof commit);
    cgs_study_days(study, days, sizeof days);
    fprintf(page->file, "cgsolve %s (%s), %s\n", version, commit,
            study->options->draw ? days : study->date);
    cgs_page_section(page, "Study");
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    write_machine(page, study);
}

/* A fit: order, half of its 95 % interval, what was expected, from where on it is left. */
static void write_order(const struct cgs_page *page, const struct cgs_study *study,
                        const struct cgs_series *series, enum cgs_norm norm)
{
    const struct cgs_order *o = &series->orders[norm];
    if (o->fitted)
        fprintf(page->file, "%-8s %7.3f ", cgs_norms[norm].head, o->order);
    else
        fprintf(page->file, "%-8s cannot be fitted", cgs_norms[norm].head);
    if (cgs_order_bounded(o))
        fprintf(page->file, "+- %-6.3f", o->half);
    else if (o->fitted)
        fprintf(page->file, "%9s", "");
    fprintf(page->file, " of %d point%s", o->count, o->count == 1 ? "" : "s");
    if (o->expected && !o->fitted && o->met)
        fprintf(page->file, "; expected %g", o->theory);
    else if (o->expected)
        fprintf(page->file, "; expected %g +- %.2g: %s", o->theory, o->tolerance,
                o->met ? "met" : "NOT MET");
    fputc('\n', page->file);
    if (o->limited < 0 || o->limited >= series->count)
        return;
    cgs_page_more(page);
    fprintf(page->file, "         from N = %.0f on rounding or --tol rules the error\n",
            study->points[series->points[o->limited]].facts[CGS_FACT_n]);
}

static void write_orders(const struct cgs_page *page, const struct cgs_study *study)
{
    bool first = true;
    for (int i = 0; i < study->series_count; i++) {
        const struct cgs_series *series = &study->series[i];
        bool named = series->label[0] == '\0';
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            if (!cgs_order_said(&series->orders[norm]))
                continue;
            if (first) {
                fputc('\n', page->file);
                cgs_page_section(page, "Orders");
                fprintf(page->file, "p of error = c h^p, least squares, +- half of the 95 %% "
                                    "interval (of more than "
                                    "three points)\n");
            }
            cgs_page_more(page);
            first = false;
            if (!named) {
                fprintf(page->file, "%s\n", series->label);
                cgs_page_more(page);
                named = true;
            }
            write_order(page, study, series, (enum cgs_norm)norm);
        }
    }
}

/* ---- u as the mesh is refined ---- */

enum { MESH_WIDTH = 12, QUANTITY_WIDTH = 14 };

static void write_cell(const struct cgs_page *page, double value, int digits)
{
    if (isfinite(value))
        fprintf(page->file, "%*.*g", QUANTITY_WIDTH, digits, value);
    else
        fprintf(page->file, "%*s", QUANTITY_WIDTH, "-");
}

/* Quantities first ... last - 1 of a series: a row for each mesh, then order and limit by the three
 * finest. */
static void write_quantities(const struct cgs_page *page, const struct cgs_study *study,
                             const struct cgs_series *series, int first, int last)
{
    cgs_quantity_name head;
    cgs_page_more(page);
    fprintf(page->file, "%-*s", MESH_WIDTH, "mesh");
    for (int q = first; q < last; q++)
        fprintf(page->file, "%*s", QUANTITY_WIDTH, cgs_quantity_head(q, head));
    for (int i = 0; i < series->count; i++) {
        const struct cgs_point *point = &study->points[series->points[i]];
        char mesh[32];
        fputc('\n', page->file);
        cgs_page_more(page);
        fprintf(page->file, "%-*s", MESH_WIDTH, cgs_point_mesh(point, mesh, sizeof mesh));
        for (int q = first; q < last; q++)
            write_cell(page, cgs_point_quantity(point, q), 7);
    }
    for (int row = 0; row < 2; row++) {
        fputc('\n', page->file);
        cgs_page_more(page);
        fprintf(page->file, "%-*s", MESH_WIDTH, row == 0 ? "order" : "limit");
        for (int q = first; q < last; q++) {
            const int finest = cgs_series_finest(study, series, q);
            const struct cgs_limit limit = finest < 0
                                               ? (struct cgs_limit){.order = NAN, .value = NAN}
                                               : cgs_series_limit(study, series, finest, q);
            write_cell(page, row == 0 ? limit.order : limit.value, row == 0 ? 3 : 7);
        }
    }
    fputc('\n', page->file);
}

static void write_limits(const struct cgs_page *page, const struct cgs_study *study)
{
    const int quantities = cgs_study_quantities(study);
    const int room = (cgs_page_width() - CGS_PAGE_COLUMN - MESH_WIDTH) / QUANTITY_WIDTH;
    const int most = room > 1 ? room : 1; /* in a line */
    if (!cgs_study_says_limits(study))
        return;
    fputc('\n', page->file);
    cgs_page_section(page, "Solution");
    cgs_page_wrap(page->file,
                  "u on each mesh; order p and limit of u = limit + c h^p through the three finest",
                  CGS_PAGE_COLUMN);
    for (int k = 0; k < study->series_count; k++) {
        const struct cgs_series *series = &study->series[k];
        if (series->label[0]) {
            cgs_page_more(page);
            fprintf(page->file, "%s\n", series->label);
        }
        for (int q = 0; q < quantities; q += most)
            write_quantities(page, study, series, q, q + most < quantities ? q + most : quantities);
    }
}

static void write_failures(const struct cgs_page *page, const struct cgs_study *study)
{
    bool first = true;
    char label[256], text[2400];
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        if (point->exit_status <= 0)
            continue;
        cgs_page_item(page, "FAILED", &first);
        cgs_point_label(study, point, false, label, sizeof label);
        snprintf(text, sizeof text, "%s%s%.2000s", label, label[0] ? ": " : "",
                 point->message ? point->message : "it does not say why");
        cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    }
}

static void write_files(const struct cgs_page *page, const struct cgs_study *study)
{
    char path[4200];
    fputc('\n', page->file);
    cgs_page_section(page, "Files");
    const char *folder = cgs_plain(study->folder, (cgs_name){0});
    fprintf(page->file, "%s/points/ (a report each), %s/study.json", folder, folder);
    snprintf(path, sizeof path, "%s/report.html", study->folder);
    if (access(path, F_OK) == 0)
        fprintf(page->file, ", %s/report.html (tables and figures)", folder);
    fputc('\n', page->file);
}

/* Rows of the points that differ from `first` in --gpus alone. */
static void write_scaled(const struct cgs_page *page, const struct cgs_study *study, int first)
{
    for (int i = first; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        const double *f = point->facts;
        cgs_text seconds, rate;
        if (!isfinite(f[CGS_FACT_speedup]) ||
            !cgs_points_alike(study, &study->points[first], point, CGS_OPTION_gpus))
            continue;
        cgs_page_more(page);
        fprintf(page->file, "%4.0f %6.0f %11s %9s %8.2f", f[CGS_FACT_gpus], f[CGS_FACT_n],
                cgs_seconds_text(f[CGS_FACT_solve_seconds] / f[CGS_FACT_iterations], seconds),
                cgs_number_text(f[CGS_FACT_mups], rate), f[CGS_FACT_speedup]);
        if (isfinite(f[CGS_FACT_foretold]))
            fprintf(page->file, " %8.2f", f[CGS_FACT_foretold]);
        else
            fprintf(page->file, " %8s", "-");
        fprintf(page->file, " %9.1f %%\n", 100.0 * f[CGS_FACT_efficiency]);
    }
}

static void write_scaling(const struct cgs_page *page, const struct cgs_study *study)
{
    enum cgs_option_id others[CGS_OPTIONS];
    int count = 0;
    bool any = false;
    char text[512];
    for (int i = 0; i < study->swept_count; i++)
        if (study->swept[i] != CGS_OPTION_gpus)
            others[count++] = study->swept[i];
    for (int i = 0; i < study->count; i++) {
        bool first = cgs_scaling_swept(study) && isfinite(study->points[i].facts[CGS_FACT_speedup]);
        for (int k = 0; k < i && first; k++)
            first = !isfinite(study->points[k].facts[CGS_FACT_speedup]) ||
                    !cgs_points_alike(study, &study->points[i], &study->points[k], CGS_OPTION_gpus);
        if (!first)
            continue;
        if (!any) {
            fputc('\n', page->file);
            cgs_page_section(page, "Scaling");
            fprintf(page->file, "%4s %6s %11s %9s %8s %8s %11s\n", "GPUs", "N", "iteration", "MUPS",
                    "speedup", "model", "efficiency");
        }
        any = true;
        cgs_curves_label(study, &study->points[i], others, count, text, sizeof text);
        if (text[0]) {
            cgs_page_more(page);
            fprintf(page->file, "%s\n", text);
        }
        write_scaled(page, study, i);
    }
    if (!any)
        return;
    cgs_scaling_source(study, text, sizeof text);
    cgs_page_more(page);
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
}

/* ---- the mesh of each target ---- */

/* width: of the label; brief: without what the points' table says, too. */
static void write_target(FILE *file, const struct cgs_study *study, const struct cgs_series *series,
                         int t, int width, bool brief)
{
    enum { ITERATIONS = 7, ONCE = 8 };
    const int gap = brief ? 0 : ITERATIONS + ONCE;
    const struct cgs_target *target = &series->targets[t];
    const bool solved = target->place >= 0;
    cgs_text text;
    fprintf(file, "%-*s", width, cgs_plain(series->label, (cgs_name){0}));
    if (solved) {
        const double *facts = study->points[series->points[target->place]].facts;
        fprintf(file, " %6.0f %11s", target->cells,
                cgs_count_text((int64_t)target->unknowns, text));
        fprintf(file, " %8.2e", facts[CGS_FACT_l2]);
        if (!brief)
            fprintf(file, " %6.0f %7s", facts[CGS_FACT_iterations],
                    cgs_seconds_text(facts[CGS_FACT_once_seconds], text));
        fprintf(file, " %10s%s\n", cgs_seconds_text(target->seconds, text),
                cgs_target_fastest(study, series, t) ? " *" : "");
    } else if (isfinite(target->seconds)) {
        snprintf(text, sizeof text, "~%.*g", target->cells < 99999.5 ? 5 : 1, target->cells);
        fprintf(file, " %6s %11.1e %8s%*s", text, target->unknowns, "", gap, "");
        snprintf(text, sizeof text, "~%.2g s", target->seconds);
        fprintf(file, " %10s   %s\n", text, target->why);
    } else {
        fprintf(file, " %6s %11s %8s%*s %10s   %s\n", "-", "-", "", gap, "", "-", target->why);
    }
}

static void write_targets(const struct cgs_page *page, const struct cgs_study *study)
{
    enum { FIGURES = 63 };
    int width = 6;
    if (study->target_count == 0)
        return;
    for (int k = 0; k < study->series_count; k++)
        if ((int)strlen(study->series[k].label) > width)
            width = (int)strlen(study->series[k].label);
    const bool brief = CGS_PAGE_COLUMN + width + FIGURES > cgs_page_width();
    fputc('\n', page->file);
    cgs_page_section(page, "Targets");
    cgs_page_wrap(
        page->file,
        "the smallest mesh whose L2 error is at most the target; cells a direction; time: "
        "what is made once, and a solve; *: the least; ~: extrapolated, as --time-limit, "
        "memory, size or rounding forbids",
        CGS_PAGE_COLUMN);
    for (int t = 0; t < study->target_count; t++) {
        char head[32];
        snprintf(head, sizeof head, "%g", study->targets[t]);
        cgs_page_more(page);
        fprintf(page->file, "%-*s %6s %11s %8s%s %10s\n", width, head, "cells", "unknowns", "L2",
                brief ? "" : "  iter.    once", "time");
        for (int k = 0; k < study->series_count; k++) {
            cgs_page_more(page);
            write_target(page->file, study, &study->series[k], t, width, brief);
        }
    }
}

void cgs_study_text(const struct cgs_page *page, const struct cgs_study *study)
{
    char text[200];
    write_head(page, study);
    write_points(page->file, study);
    write_scaling(page, study);
    write_targets(page, study);
    write_orders(page, study);
    write_limits(page, study);
    write_failures(page, study);
    if (!study->temporary)
        write_files(page, study);
    bool (*const notes[])(const struct cgs_study *, char *, size_t) = {cgs_study_mixed,
                                                                       cgs_study_disturbed};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (notes[i](study, text, sizeof text)) {
            cgs_page_section(page, "Note");
            cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
        }
    if (study->remark[0]) {
        cgs_page_section(page, "Figures");
        cgs_page_wrap(page->file, study->remark, CGS_PAGE_COLUMN);
    }
}
