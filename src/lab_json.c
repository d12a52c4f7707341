/* The laboratory's table for programs, as JSON and as CSV: one list of columns for both.
 *
 *     spmv.matrix   origin ("box", "file", "random"), file, random, N; rows, columns, nonzeros,
 * bytes_crs, row_shortest, row_longest, row_mean, row_deviation, rows_empty spmv precision, repeat,
 * cold, cached, chosen (index into kernels), kernels[] choice        explanation[], products,
 * chosen, candidates[] of --kernel=auto A figure that is not known is absent (JSON) or empty (CSV).
 */
#include <math.h>

#include "src/json.h"
#include "src/lab.h"
#include "src/report_json.h"

enum kind { TEXT, WHOLE, REAL, YES };

/* One figure of a row. */
struct figure {
    const char *key;
    enum kind kind;
    bool there;
    const char *text;
    int64_t whole; /* and YES */
    double real;
};

enum { FIGURES = 40 };

static struct figure text(const char *key, const char *value)
{
    return (struct figure){.key = key, .kind = TEXT, .there = value[0] != '\0', .text = value};
}

static struct figure whole(const char *key, int64_t value, bool there)
{
    return (struct figure){.key = key, .kind = WHOLE, .there = there, .whole = value};
}

static struct figure real(const char *key, double value, bool there)
{
    return (struct figure){.key = key, .kind = REAL, .there = there, .real = value};
}

static struct figure yes(const char *key, bool value)
{
    return (struct figure){.key = key, .kind = YES, .there = true, .whole = value};
}

static int figures_of(const struct cgs_lab *lab, const struct cgs_lab_row *r,
                      struct figure out[FIGURES])
{
    const bool sell = cgs_format_chunked(r->format), tried = r->state != CGS_LAB_SKIPPED;
    const bool verified = r->state == CGS_LAB_TIMED || r->state == CGS_LAB_DROPPED;
    const bool sent = r->transfer_bytes > 0 && r->transfer_seconds > 0.0;
    const struct figure figures[] = {
        text("name", r->name),
        text("device", cgs_device_name(r->device)),
        text("format", cgs_format_name(r->format)),
        whole("chunk", r->chunk, sell && r->chunk > 0),
        whole("sigma", r->sigma, sell && r->sigma > 0),
        whole("threads", r->threads, r->device == CGS_CPU && r->threads > 0),
        yes("reference", r->reference),
        yes("foreign", r->foreign),
        yes("beside", r->beside),
        yes("chosen", lab->chosen >= 0 && r == &lab->rows[lab->chosen]),
        text("state", cgs_lab_state_name(r->state)),
        text("reason", r->reason),
        whole("wrong_row", r->wrong_row, r->wrong_row >= 0),
        real("worst_error", r->worst_error, verified),
        whole("bytes_before", r->bytes_before, tried),
        whole("bytes_after", r->bytes_after, tried && r->bytes_after > 0),
        whole("padding_bytes", r->padding, tried && r->bytes_after > 0),
        real("convert_seconds", r->convert_seconds, tried && r->convert_seconds > 0.0),
        real("transfer_seconds", r->transfer_seconds, sent),
        whole("transfer_bytes", r->transfer_bytes, sent),
        real("transfer_gbs", sent ? 1e-9 * (double)r->transfer_bytes / r->transfer_seconds : 0.0,
             sent),
        real("prepare_seconds", r->prepare_seconds, tried && r->prepare_seconds > 0.0),
        whole("products", r->products, verified),
        real("median_seconds", r->median, verified),
        real("min_seconds", r->least, verified),
        real("max_seconds", r->most, verified),
        real("gbs", r->gbs, verified && r->gbs > 0.0),
        real("attainable_gbs", r->attainable_gbs, verified && r->attainable_gbs > 0.0),
        text("attainable_kind", verified && r->attainable_gbs > 0.0 ? r->attainable_kind : ""),
        real("roofline", r->attainable_gbs > 0.0 ? r->gbs / r->attainable_gbs : 0.0,
             verified && r->attainable_gbs > 0.0),
        real("vendor_ratio", r->vendor_ratio, r->vendor_ratio > 0.0),
        real("speedup", r->speedup, r->speedup > 0.0),
        whole("break_even", r->break_even, verified && r->break_even >= 0),
    };
    const int count = (int)(sizeof figures / sizeof *figures);
    for (int i = 0; i < count; i++)
        out[i] = figures[i];
    return count;
}

/* ---- CSV ---- */

static void write_quoted(FILE *file, const char *value)
{
    fputc('"', file);
    for (; *value; value++) {
        if (*value == '"')
            fputc('"', file);
        fputc(*value, file);
    }
    fputc('"', file);
}

static void write_figure(FILE *file, const struct figure *f)
{
    if (!f->there || (f->kind == REAL && !isfinite(f->real)))
        return;
    if (f->kind == TEXT)
        write_quoted(file, f->text);
    else if (f->kind == REAL)
        fprintf(file, "%.9g", f->real);
    else
        fprintf(file, "%lld", (long long)f->whole);
}

void cgs_lab_csv(FILE *file, const struct cgs_lab *lab)
{
    struct figure figures[FIGURES];
    for (int i = -1; i < lab->count; i++) { /* -1: the header */
        const int count = figures_of(lab, &lab->rows[i < 0 ? 0 : i], figures);
        for (int f = 0; f < count; f++) {
            if (f > 0)
                fputc(',', file);
            if (i < 0)
                fputs(figures[f].key, file);
            else
                write_figure(file, &figures[f]);
        }
        fputc('\n', file);
    }
}

/* ---- JSON ---- */

static json_t *kernel(const struct cgs_lab *lab, const struct cgs_lab_row *row)
{
    struct figure figures[FIGURES];
    const int count = figures_of(lab, row, figures);
    json_t *o = json_object();
    for (int i = 0; i < count; i++) {
        const struct figure *f = &figures[i];
        if (!f->there)
            continue;
        if (f->kind == TEXT)
            cgs_put_text(o, f->key, f->text);
        else if (f->kind == REAL)
            cgs_put_real(o, f->key, f->real);
        else if (f->kind == WHOLE)
            cgs_put_integer(o, f->key, f->whole);
        else
            json_object_set_new(o, f->key, json_boolean(f->whole));
    }
    return o;
}

static json_t *matrix(const struct cgs_lab *lab)
{
    static const char *const origins[] = {
        [CGS_INPUT_BOX] = "box", [CGS_INPUT_FILE] = "file", [CGS_INPUT_RANDOM] = "random"};
    const struct cgs_options *options = lab->options;
    const enum cgs_input_kind kind = cgs_input_kind(options);
    char random[96];
    json_t *o = json_object();
    cgs_put_text(o, "origin", origins[kind]);
    if (kind == CGS_INPUT_FILE)
        cgs_put_text(o, "file", options->matrix);
    if (kind == CGS_INPUT_BOX)
        cgs_put_integer(o, "N", options->n);
    if (kind == CGS_INPUT_RANDOM) {
        cgs_random_write(&options->random, random, sizeof random);
        cgs_put_text(o, "random", random);
    }
    cgs_put_integer(o, "rows", lab->crs.rows);
    cgs_put_integer(o, "columns", lab->crs.columns);
    cgs_put_integer(o, "nonzeros", lab->crs.nonzeros);
    if (lab->count > 0)
        cgs_put_integer(o, "bytes_crs", lab->rows[0].bytes_before);
    json_object_set_new(o, "row_lengths", cgs_json_row_lengths(&lab->crs.statistics));
    return o;
}

static json_t *spmv(const struct cgs_lab *lab)
{
    json_t *o = json_object(), *kernels = json_array();
    json_object_set_new(o, "matrix", matrix(lab));
    cgs_put_text(o, "precision", cgs_option_choice(lab->options, CGS_OPTION_precision));
    cgs_put_integer(o, "repeat", lab->options->repeat);
    json_object_set_new(o, "cold", json_boolean(lab->options->cold));
    json_object_set_new(o, "cached", json_boolean(lab->cached));
    if (lab->chosen >= 0)
        cgs_put_integer(o, "chosen", lab->chosen);
    for (int i = 0; i < lab->count; i++)
        json_array_append_new(kernels, kernel(lab, &lab->rows[i]));
    json_object_set_new(o, "kernels", kernels);
    return o;
}

enum cgs_status cgs_lab_json(struct cgs_context *context, FILE *file, const struct cgs_lab *lab)
{
    struct cgs_report report = cgs_report_start(context, lab->options, lab->argc, lab->argv);
    snprintf(report.date, sizeof report.date, "%s", lab->date);
    report.machine = *lab->machine;
    report.has_bandwidth = lab->bandwidth[CGS_CPU].read_gbs > 0.0;
    report.host_bandwidth = lab->bandwidth[CGS_CPU];
    report.bandwidth = lab->bandwidth[lab->machine->device];
    json_t *root = cgs_json_head(&report);
    if (lab->machine->backend)
        cgs_put_machine(root, &report);
    if (lab->has_choice)
        json_object_set_new(root, "choice", cgs_json_choice(&lab->choice));
    if (lab->drawn)
        json_object_set_new(root, "spmv", spmv(lab));
    return cgs_json_end(context, file, root);
}
