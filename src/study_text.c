/* The study's tables for people: points, orders, what failed, where the files are. */
#include <math.h>
#include <string.h>

#include "src/format.h"
#include "src/page.h"
#include "src/study.h"
#include "src/version.h"

enum { VALUE_WIDTH = 24, INDENT = 2 };

/* ---- a table of columns ---- */

enum style { COUNT, ERROR, RATE, SHARE, SECONDS };

struct column {
    const char *head;
    int width;
    enum style style;
    enum cgs_fact fact;
};

static const struct column accuracy[] = {
    {"unknowns", 10, COUNT, CGS_FACT_unknowns},
    {"iter.", 6, COUNT, CGS_FACT_iterations},
    {"L2", 8, ERROR, CGS_FACT_l2},
    {"nodal L2", 8, ERROR, CGS_FACT_nodal_l2},
    {"H1", 8, ERROR, CGS_FACT_h1},
};
static const struct column speed[] = {
    {"solve", 7, SECONDS, CGS_FACT_solve_seconds},
    {"MUPS", 6, RATE, CGS_FACT_mups},
    {"GB/s", 6, RATE, CGS_FACT_spmv_gbs},
    {"of max", 6, SHARE, CGS_FACT_attainable_gbs},
};
enum { ACCURACY = sizeof accuracy / sizeof *accuracy, SPEED = sizeof speed / sizeof *speed };

struct table {
    const struct column *columns[ACCURACY + SPEED];
    int count, width; /* beyond the swept values */
};

/* A column that no point fills is left out. */
static void add_columns(const struct cgs_study *study, const struct column *columns, int count,
                        struct table *table)
{
    for (int i = 0; i < count; i++) {
        bool there = false;
        for (int k = 0; k < study->count && !there; k++)
            there = isfinite(study->points[k].facts[columns[i].fact]);
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
            snprintf(text, sizeof text, "%.*f", value < 999.5 ? 1 : 0, value);
            break;
        case SHARE:
            snprintf(text, sizeof text, "%.0f %%", 100.0 * point->facts[CGS_FACT_spmv_gbs] / value);
            break;
        case SECONDS:
            cgs_seconds_text(value, text);
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
    if (kind == CGS_KIND_INT || kind == CGS_KIND_REAL)
        fprintf(file, " %*s", width, end);
    else
        fprintf(file, " %-*s", width, end);
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

/* One table where it fits the page, else two. */
static void write_points(FILE *file, const struct cgs_study *study)
{
    struct table one = {0}, two = {0};
    int width = INDENT + 9;
    for (int i = 0; i < study->swept_count; i++)
        width += value_width(study, study->swept[i]) + 1;
    add_columns(study, accuracy, ACCURACY, &one);
    add_columns(study, speed, SPEED, &two);
    if (width + one.width + two.width <= CGS_PAGE_WIDTH) {
        add_columns(study, speed, SPEED, &one);
        two.count = 0;
    }
    write_table(file, study, &one);
    if (two.count > 0)
        write_table(file, study, &two);
    fprintf(file,
            "\n  L2, nodal L2, H1: errors; MUPS: million unknown updates a second; GB/s: of the "
            "product A x,\n  of max: of the bandwidth that the run measured; status: ok, floor "
            "(rounding stops it before --tol)\n");
}

/* ---- the sections ---- */

static void write_head(const struct cgs_page *page, const struct cgs_study *study)
{
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "%d point%s%s", study->count,
                                   study->count == 1 ? "" : "s", study->swept_count > 0 ? ":" : "");
    for (int i = 0; i < study->swept_count; i++) {
        const struct cgs_list *list = &study->lists[study->swept[i]];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s =", i > 0 ? ";" : "",
                                 cgs_option_table[study->swept[i]].name);
        for (int k = 0; k < list->count && used < sizeof text - 128; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %.100s", k > 0 ? "," : "",
                                     list->values[k]);
        if (used >= sizeof text - 256)
            break;
    }
    fprintf(page->file, "cgsolve %s (%s), %s\n", cgs_version(), cgs_commit(), study->date);
    cgs_page_section(page, "Study");
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
}

static void write_order(const struct cgs_page *page, const struct cgs_study *study,
                        const struct cgs_series *series, enum cgs_norm norm)
{
    const struct cgs_order *o = &series->orders[norm];
    fprintf(page->file, "%s%s%s %.3f", series->label, series->label[0] ? ": " : "",
            cgs_norm_name(norm), o->order);
    if (isfinite(o->half))
        fprintf(page->file, " +- %.3f", o->half);
    fprintf(page->file, " (%d points", o->count);
    if (o->skipped > 0)
        fprintf(page->file, ", the %d coarsest left out", o->skipped);
    fputc(')', page->file);
    if (o->expected)
        fprintf(page->file, "; expected %g +- %g: %s", o->theory, o->tolerance,
                o->met ? "as expected" : "NOT AS EXPECTED");
    if (o->limited >= 0 && o->limited < series->count) {
        const double n = study->points[series->points[o->limited]].facts[CGS_FACT_n];
        fprintf(page->file, "; from N = %.0f on rounding rules", n);
    }
    fputc('\n', page->file);
}

static void write_orders(const struct cgs_page *page, const struct cgs_study *study)
{
    bool first = true;
    for (int i = 0; i < study->series_count; i++)
        for (int norm = 0; norm < CGS_NORMS; norm++) {
            if (!study->series[i].orders[norm].fitted)
                continue;
            if (first)
                fputc('\n', page->file);
            if (first)
                cgs_page_section(page, "Orders");
            else
                cgs_page_more(page);
            first = false;
            write_order(page, study, &study->series[i], (enum cgs_norm)norm);
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
        if (first)
            fputc('\n', page->file);
        if (first)
            cgs_page_section(page, "FAILED");
        else
            cgs_page_more(page);
        first = false;
        cgs_point_label(study, point, false, label, sizeof label);
        snprintf(text, sizeof text, "%s%s%.2000s", label, label[0] ? ": " : "",
                 point->message ? point->message : "it does not say why");
        cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    }
}

void cgs_study_text(FILE *file, const struct cgs_study *study, bool bold)
{
    const struct cgs_page page = {.file = file, .bold = bold};
    write_head(&page, study);
    write_points(file, study);
    write_orders(&page, study);
    write_failures(&page, study);
    if (study->temporary)
        return;
    fputc('\n', file);
    cgs_page_section(&page, "Files");
    fprintf(file, "%s: points/ (a report each), study.json%s\n", study->folder,
            study->context->status == CGS_OK || study->context->status == CGS_NOT_CONVERGED
                ? ", figures, report.html"
                : "");
}
