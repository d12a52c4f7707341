/* DIR/tables.tex: the tables of a study for LaTeX, errors with their orders, u with its limits, and
 * all points. Columns of numbers are of siunitx, `S[table-format=1.4e-1]`, as wide as their longest
 * number, so that decimal points are aligned:
 *
 *     \begin{longtable}{S[table-format=2.0] S[table-format=1.4e-1] S[table-format=1.2]}
 *     {N} & {L2} & {order} \\
 *     7 & 1.2345e-2 & {--} \\
 *
 * A table is written twice: first to measure its columns, then to the file. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/output.h"
#include "lab/io/latex.h"
#include "lab/study/study_limits.h"
#include "lab/study/study_page.h"
#include "lab/study/study_point.h"

/* A column: digits before and after the point and of the exponent of its numbers, at most; words:
 * it has others than numbers. */
struct column {
    int whole, part, exponent;
    bool minus, minus_exponent, words;
};

enum { COLUMNS = CGS_OPTIONS + CGS_QUANTITIES_MOST + 16 };

struct table {
    FILE *file; /* NULL: its columns are measured */
    struct column columns[COLUMNS];
    int count; /* of columns */
    int at;    /* column of the next cell */
    bool headed; /* the first row is written */
    const struct cgs_study *study;
    const struct cgs_curves *curves; /* merged */
};

/* Writes the rows of a table; the first one has its heads. */
typedef void rows(struct table *t);

/* ---- cells ---- */

/* Measures a number and returns true, or returns false. */
static bool measure(struct column *c, const char *text)
{
    struct column n = *c;
    const char *at = text + (*text == '-');
    const int whole = (int)strspn(at, "0123456789");
    int part = 0, exponent = 0;
    n.minus = n.minus || *text == '-';
    at += whole;
    if (*at == '.') {
        part = (int)strspn(at + 1, "0123456789");
        at += 1 + part;
    }
    if (*at == 'e') {
        n.minus_exponent = n.minus_exponent || at[1] == '-';
        at += 1 + (at[1] == '-');
        exponent = (int)strspn(at, "0123456789");
        at += exponent;
    }
    if (whole == 0 || *at)
        return false;
    n.whole = whole > n.whole ? whole : n.whole;
    n.part = part > n.part ? part : n.part;
    n.exponent = exponent > n.exponent ? exponent : n.exponent;
    *c = n;
    return true;
}

static void begin_cell(struct table *t)
{
    if (t->file && t->at > 0)
        fputs(" & ", t->file);
}

/* A number, or words, which make the column one of words. */
static void add_cell(struct table *t, const char *text)
{
    struct column *c = &t->columns[t->at];
    begin_cell(t);
    if (t->file)
        cgs_latex_text(t->file, text);
    else if (!measure(c, text))
        c->words = true;
    t->at++;
}

/* Words in a column of numbers. */
static void add_words(struct table *t, const char *text)
{
    begin_cell(t);
    if (t->file) {
        fputc('{', t->file);
        cgs_latex_text(t->file, text);
        fputc('}', t->file);
    }
    t->at++;
}

static void end_row(struct table *t)
{
    t->count = t->at;
    t->at = 0;
    if (t->file)
        fputs(t->headed ? " \\\\\n" : " \\\\\n\\hline\n\\endhead\n", t->file);
    t->headed = true;
}

static void add_group(struct table *t, const char *label)
{
    if (!t->file || !label[0])
        return;
    fprintf(t->file, "\\multicolumn{%d}{l}{\\itshape ", t->count);
    cgs_latex_text(t->file, label);
    fputs("} \\\\\n", t->file);
}

enum form { WHOLE, FIXED2, FIXED3, DIGITS7, SCIENTIFIC, RATE };

/* A number; a dash for none. */
static void add_number(struct table *t, double x, enum form form)
{
    char text[64];
    if (!isfinite(x)) {
        add_words(t, "--");
        return;
    }
    if (form == SCIENTIFIC)
        snprintf(text, sizeof text, "%.4e", x);
    else if (form == DIGITS7)
        snprintf(text, sizeof text, "%.7g", x);
    else if (form == RATE)
        snprintf(text, sizeof text, "%.*f", fabs(x) < 100.0 ? 3 : 0, x);
    else
        snprintf(text, sizeof text, "%.*f", form == WHOLE ? 0 : form == FIXED2 ? 2 : 3, x);
    char *e = strchr(text, 'e'); /* e-02 -> e-2 */
    if (e)
        snprintf(e + 1, 16, "%d", atoi(e + 1));
    add_cell(t, text);
}

/* ---- errors and orders ---- */

static void add_curve(struct table *t, const struct cgs_curve *curve, const int *norms, int count)
{
    const struct cgs_study *study = t->study;
    const struct cgs_series *series = &study->series[curve->series];
    struct cgs_order orders[CGS_ERROR_FACTS];
    bool bounded = false;
    for (int c = 0; c < count; c++) {
        cgs_drawing_order(study, cgs_error_facts[norms[c]], curve->series, &orders[c]);
        bounded = bounded || cgs_order_bounded(&orders[c]);
    }
    add_group(t, curve->label);
    for (int i = 0; i < curve->count; i++) {
        const struct cgs_point *point = &study->points[curve->points[i]];
        char mesh[64];
        if (point->values[CGS_OPTION_cells])
            add_cell(t, cgs_point_mesh(point, mesh, sizeof mesh));
        else
            add_number(t, point->facts[CGS_FACT_n], WHOLE);
        for (int c = 0; c < count; c++) {
            const enum cgs_fact fact = cgs_error_facts[norms[c]];
            add_number(t, point->facts[fact], SCIENTIFIC);
            add_number(t, cgs_series_local_order(study, series, i, fact), FIXED2);
        }
        end_row(t);
    }
    for (int half = 0; half <= bounded; half++) {
        add_words(t, half ? "95 % interval, half" : "fitted");
        for (int c = 0; c < count; c++) {
            const struct cgs_order *o = &orders[c];
            const bool there = half ? cgs_order_bounded(o) : o->fitted;
            add_words(t, "");
            add_number(t, !there ? NAN : half ? o->half : o->order, FIXED3);
        }
        end_row(t);
    }
}

static void write_orders(struct table *t)
{
    int norms[CGS_ERROR_FACTS], count = 0;
    for (int c = 0; c < CGS_ERROR_FACTS && t->curves->axis == CGS_AXIS_N; c++)
        if (cgs_study_has(t->study, cgs_error_facts[c]))
            norms[count++] = c;
    if (count == 0)
        return;
    add_words(t, t->study->points[0].values[CGS_OPTION_cells] ? "mesh" : "N");
    for (int c = 0; c < count; c++) {
        add_words(t, norms[c] == CGS_ERROR_CONSISTENCY ? "consistency" : cgs_norms[norms[c]].head);
        add_words(t, "order");
    }
    end_row(t);
    for (int k = 0; k < t->curves->count; k++)
        add_curve(t, &t->curves->curves[k], norms, count);
}

/* ---- u as the mesh is refined ---- */

static void add_limits(struct table *t, const struct cgs_series *series, int quantities, bool order)
{
    add_words(t, order ? "order" : "limit");
    for (int q = 0; q < quantities; q++) {
        const int finest = cgs_series_finest(t->study, series, q);
        const struct cgs_limit limit = finest < 0
                                           ? (struct cgs_limit){.order = NAN, .value = NAN}
                                           : cgs_series_limit(t->study, series, finest, q);
        add_number(t, order ? limit.order : limit.value, order ? FIXED3 : DIGITS7);
    }
    end_row(t);
}

static void write_limits(struct table *t)
{
    const int quantities = cgs_study_quantities(t->study);
    if (!cgs_study_says_limits(t->study))
        return;
    add_words(t, "mesh");
    for (int q = 0; q < quantities; q++)
        add_words(t, cgs_quantity_head(q, (cgs_quantity_name){0}));
    end_row(t);
    for (int k = 0; k < t->study->series_count; k++) {
        const struct cgs_series *series = &t->study->series[k];
        add_group(t, series->label);
        for (int i = 0; i < series->count; i++) {
            const struct cgs_point *point = &t->study->points[series->points[i]];
            char mesh[64];
            add_cell(t, cgs_point_mesh(point, mesh, sizeof mesh));
            for (int q = 0; q < quantities; q++)
                add_number(t, cgs_point_quantity(point, q), DIGITS7);
            end_row(t);
        }
        add_limits(t, series, quantities, true);
        add_limits(t, series, quantities, false);
    }
}

/* ---- all points ---- */

static const struct {
    const char *head;
    enum form form;
    enum cgs_fact fact;
} figures[] = {
    {"unknowns", WHOLE, CGS_FACT_unknowns},
    {"iterations", WHOLE, CGS_FACT_iterations},
    {"solve [s]", SCIENTIFIC, CGS_FACT_solve_seconds},
    {"MUPS", RATE, CGS_FACT_mups},
    {"speedup", FIXED2, CGS_FACT_speedup},
    {"efficiency", FIXED2, CGS_FACT_efficiency},
    {"product [s]", SCIENTIFIC, CGS_FACT_spmv_seconds},
    {"GB/s", RATE, CGS_FACT_spmv_gbs},
    {"attainable [GB/s]", RATE, CGS_FACT_attainable_gbs},
    {"total [s]", SCIENTIFIC, CGS_FACT_total_seconds},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static void write_points(struct table *t)
{
    const struct cgs_study *study = t->study;
    bool failed = false, disturbed = false;
    for (int i = 0; i < study->count; i++) {
        failed = failed || study->points[i].exit_status != 0;
        disturbed = disturbed || cgs_point_disturbed(&study->points[i]);
    }
    for (int k = 0; k < study->swept_count; k++)
        add_words(t, cgs_option_table[study->swept[k]].name);
    if (failed)
        add_words(t, "exit status");
    if (disturbed)
        add_words(t, "DISTURBED");
    for (int f = 0; f < FIGURES; f++)
        if (cgs_study_has(study, figures[f].fact))
            add_words(t, figures[f].head);
    end_row(t);
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        for (int k = 0; k < study->swept_count; k++)
            add_cell(t, point->values[study->swept[k]]);
        if (failed)
            add_number(t, point->exit_status < 0 ? NAN : point->exit_status, WHOLE);
        if (disturbed)
            add_words(t, cgs_point_disturbed(point) ? "yes" : "");
        for (int f = 0; f < FIGURES; f++)
            if (cgs_study_has(study, figures[f].fact))
                add_number(t, cgs_point_fact(point, figures[f].fact), figures[f].form);
        end_row(t);
    }
}

/* ---- the file ---- */

static void write_table(FILE *file, const struct cgs_study *study, const struct cgs_curves *curves,
                        const char *caption, rows *write)
{
    struct table t = {.study = study, .curves = curves};
    write(&t);
    if (t.count == 0)
        return;
    fputs("\n\\begin{longtable}{", file);
    for (int i = 0; i < t.count; i++) {
        const struct column *c = &t.columns[i];
        if (c->words || c->whole == 0) {
            fputs(i > 0 ? " l" : "l", file);
            continue;
        }
        fprintf(file, "%sS[table-format=%s%d.%d", i > 0 ? " " : "", c->minus ? "-" : "", c->whole,
                c->part);
        if (c->exponent > 0)
            fprintf(file, "e%s%d", c->minus_exponent ? "-" : "", c->exponent);
        fputc(']', file);
    }
    fputs("}\n\\caption{", file);
    cgs_latex_text(file, caption);
    fputs("}\\\\\n\\hline\n", file);
    t.file = file;
    t.headed = false;
    write(&t);
    fputs("\\hline\n\\end{longtable}\n", file);
}

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
        cgs_study_machines(study, machines, sizeof machines);
        cgs_study_days(study, days, sizeof days);
        fprintf(file, "%% \\usepackage{longtable,siunitx}\n%% %s, %s\n", machines, days);
        write_table(file, study, merged,
                    "Errors, with the order between each point and the one before", write_orders);
        write_table(file, study, merged, "u on each mesh, and the value that it goes to",
                    write_limits);
        write_table(file, study, merged, "All points", write_points);
        status = cgs_output_commit(study->context, &output);
    }
    cgs_output_discard(&output);
    return status;
}
