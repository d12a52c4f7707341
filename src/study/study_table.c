/* The table of a study's points: a row each, the swept values, how it ended, what it reached; two
 * tables where one is wider than the page. */
#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "src/io/format.h"
#include "src/io/page.h"
#include "src/study/study.h"

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
    {"least", 7, SECONDS, CGS_FACT_solve_seconds_min},
    {"most", 7, SECONDS, CGS_FACT_solve_seconds_max},
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
            if (value > 0.0)
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
    "  L2, nodal L2, H1: errors; solve: seconds of a solve, the median of --solves;\n"
    "  MUPS: million unknown updates a second;\n"
    "  GB/s: of the product A x; of max: of the bandwidth that the run measured; status: ok, "
    "floor\n"
    "  (rounding stops it before --tol), or the exit status of a run that failed\n";

void cgs_study_table(FILE *file, const struct cgs_study *study)
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
    fprintf(file, "\n%s", legend);
}
