/* Table of cgsolve spmv as JSON and CSV, from one list of columns:
 *
 *     spmv.matrix   origin ("box", "file", "random"), file, random, N; rows, columns, nonzeros,
 *                   bytes_crs, row_shortest, row_longest, row_mean, row_deviation, rows_empty
 *     spmv          precision, repeat, cold, cached, chosen (index into kernels), kernels[]
 *     choice        explanation[], products, chosen, candidates[] of --kernel=auto
 *
 * Unknown values are absent (JSON) or empty (CSV).
 */
#include "src/io/figures.h"
#include "src/io/json.h"
#include "src/report/report_json.h"
#include "src/spmv/lab.h"

static int figures_of(const struct cgs_lab *lab, const struct cgs_lab_row *r,
                      struct cgs_figure out[CGS_FIGURES_MOST])
{
    const bool sell = cgs_format_chunked(r->format), tried = r->state != CGS_TRIAL_SKIPPED;
    const bool verified = r->state == CGS_TRIAL_OPEN || r->state == CGS_TRIAL_DROPPED;
    const bool sent = r->transfer_bytes > 0 && r->transfer_seconds > 0.0;
    const struct cgs_figure figures[] = {
        cgs_figure_text("name", r->name),
        cgs_figure_text("device", cgs_device_name(r->device)),
        cgs_figure_text("format", cgs_format_name(r->format)),
        cgs_figure_whole("chunk", r->chunk, sell && r->chunk > 0),
        cgs_figure_whole("sigma", r->sigma, sell && r->sigma > 0),
        cgs_figure_whole("threads", r->threads, r->device == CGS_CPU && r->threads > 0),
        cgs_figure_yes("reference", r->reference),
        cgs_figure_yes("foreign", r->foreign),
        cgs_figure_yes("beside", r->beside),
        cgs_figure_yes("chosen", lab->chosen >= 0 && r == &lab->rows[lab->chosen]),
        cgs_figure_text("state", cgs_trial_state_name(r->state)),
        cgs_figure_text("reason", r->reason),
        cgs_figure_whole("wrong_row", r->wrong_row, r->wrong_row >= 0),
        cgs_figure_real("worst_error", r->worst_error, verified),
        cgs_figure_whole("bytes_before", r->bytes_before, tried),
        cgs_figure_whole("bytes_after", r->bytes_after, tried && r->bytes_after > 0),
        cgs_figure_whole("padding_bytes", r->padding, tried && r->bytes_after > 0),
        cgs_figure_real("convert_seconds", r->convert_seconds, tried && r->convert_seconds > 0.0),
        cgs_figure_real("transfer_seconds", r->transfer_seconds, sent),
        cgs_figure_whole("transfer_bytes", r->transfer_bytes, sent),
        cgs_figure_real("transfer_gbs",
                        sent ? 1e-9 * (double)r->transfer_bytes / r->transfer_seconds : 0.0, sent),
        cgs_figure_real("prepare_seconds", r->prepare_seconds, tried && r->prepare_seconds > 0.0),
        cgs_figure_whole("products", r->products, verified),
        cgs_figure_real("median_seconds", r->median, verified),
        cgs_figure_real("min_seconds", r->least, verified),
        cgs_figure_real("max_seconds", r->most, verified),
        cgs_figure_real("gbs", r->gbs, verified && r->gbs > 0.0),
        cgs_figure_real("attainable_gbs", r->attainable_gbs, verified && r->attainable_gbs > 0.0),
        cgs_figure_text("attainable_kind",
                        verified && r->attainable_gbs > 0.0 ? r->attainable_kind : ""),
        cgs_figure_real("roofline", r->attainable_gbs > 0.0 ? r->gbs / r->attainable_gbs : 0.0,
                        verified && r->attainable_gbs > 0.0),
        cgs_figure_real("vendor_ratio", r->vendor_ratio, r->vendor_ratio > 0.0),
        cgs_figure_real("speedup", r->speedup, r->speedup > 0.0),
        cgs_figure_whole("break_even", r->break_even, verified && r->break_even >= 0),
    };
    const int count = (int)(sizeof figures / sizeof *figures);
    for (int i = 0; i < count; i++)
        out[i] = figures[i];
    return count;
}

void cgs_lab_csv(FILE *file, const struct cgs_lab *lab)
{
    struct cgs_figure figures[CGS_FIGURES_MOST];
    for (int i = 0; i < lab->count; i++) {
        const int count = figures_of(lab, &lab->rows[i], figures);
        if (i == 0)
            cgs_figures_csv_head(file, figures, count);
        cgs_figures_csv(file, figures, count);
    }
}

/* ---- JSON ---- */

static json_t *kernel(const struct cgs_lab *lab, const struct cgs_lab_row *row)
{
    struct cgs_figure figures[CGS_FIGURES_MOST];
    return cgs_figures_json(figures, figures_of(lab, row, figures));
}

static json_t *matrix(const struct cgs_lab *lab)
{
    json_t *o = json_object();
    cgs_put_input(o, lab->options, lab->input);
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
    cgs_put_yes(o, "cold", lab->options->cold);
    cgs_put_yes(o, "cached", lab->cached);
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
    report.has_machine = lab->machine->backend != NULL;
    report.has_bandwidth = lab->bandwidth[CGS_CPU].read_gbs > 0.0;
    report.host_bandwidth = lab->bandwidth[CGS_CPU];
    report.bandwidth = lab->bandwidth[lab->machine->device];
    json_t *root = cgs_json_head(&report);
    if (lab->has_choice)
        json_object_set_new(root, "choice", cgs_json_choice(&lab->choice));
    if (lab->drawn)
        json_object_set_new(root, "spmv", spmv(lab));
    return cgs_json_end(context, file, root);
}
