/* The table of a study's points: a row each, the swept values, how it ended, what it reached; two
 * tables where one is wider than the page. */
#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "core/io/page.h"
#include "lab/study/study.h"
#include "lab/study/study_fit.h"

enum { VALUE_WIDTH = 24, INDENT = 2 };

/* ---- a table of columns ---- */

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

void cgs_study_table(FILE *file, const struct cgs_study *study)
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
