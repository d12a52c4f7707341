/* DIR/tables.tex: the tables of a study for LaTeX, errors with their orders, u with its limits, and
 * all points. */
#include "lab/study/study_tables.h"

#include <math.h>
#include <string.h>

#include "core/io/output.h"
#include "lab/io/table_file.h"
#include "lab/study/study_drawings.h"
#include "lab/study/study_limits.h"
#include "lab/study/study_orders.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"

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
    {"unknowns", WHOLE, CGS_FACT_unknowns},          {"iter.", WHOLE, CGS_FACT_iterations},
    {"solve [s]", SECONDS, CGS_FACT_solve_seconds},  {"MUPS", RATE, CGS_FACT_mups},
    {"speedup", FIXED2, CGS_FACT_speedup},           {"efficiency", FIXED2, CGS_FACT_efficiency},
    {"product [s]", SECONDS, CGS_FACT_spmv_seconds}, {"GB/s", RATE, CGS_FACT_spmv_gbs},
    {"attainable", RATE, CGS_FACT_attainable_gbs},   {"total [s]", SECONDS, CGS_FACT_total_seconds},
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

enum cgs_status cgs_study_tables(struct cgs_study *study, const struct cgs_curves *merged)
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
