/* Table of cgsolve spmv as JSON and CSV, from the rows of facts_spmv.def and facts_spmv_kernel.def.
 * Unknown values are absent (JSON) or empty (CSV). */
#include "src/spmv/lab_json.h"
#include "core/facts/choice.h"
#include "core/facts/facts_put.h"
#include "core/facts/report_json.h"
#include "core/options/option_table.h"
#include "lab/io/figures.h"

static int figures_of(const struct cgs_lab *lab, const struct cgs_lab_row *r,
                      struct cgs_figure out[CGS_FIGURES_MOST])
{
    const bool sell = cgs_format_chunked(r->format), tried = r->state != CGS_TRIAL_SKIPPED;
    const bool verified = r->state == CGS_TRIAL_OPEN || r->state == CGS_TRIAL_DROPPED;
    const bool sent = r->transfer_bytes > 0 && r->transfer_seconds > 0.0;
    const struct cgs_figure figures[] = {
#define CGS_KERNEL_FACT CGS_FIGURE
#include "core/facts/facts_spmv_kernel.def"
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

static json_t *kernels(const struct cgs_lab *lab)
{
    struct cgs_figure figures[CGS_FIGURES_MOST];
    json_t *list = json_array();
    for (int i = 0; i < lab->count; i++)
        json_array_append_new(list,
                              cgs_figures_json(figures, figures_of(lab, &lab->rows[i], figures)));
    return list;
}

static json_t *matrix(const struct cgs_lab *lab)
{
    json_t *o = json_object();
    cgs_put_input(o, &lab->options->settings, lab->input);
    cgs_put_integer(o, "rows", lab->crs.rows);
    cgs_put_integer(o, "columns", lab->crs.columns);
    cgs_put_integer(o, "nonzeros", lab->crs.nonzeros);
    if (lab->count > 0)
        cgs_put_integer(o, "bytes_crs", lab->rows[0].bytes_before);
    cgs_put_part(o, "row_lengths", cgs_json_row_lengths(&lab->crs.statistics));
    return o;
}

enum cgs_status cgs_lab_json(struct cgs_context *context, FILE *file, const struct cgs_lab *lab)
{
    struct cgs_report report =
        cgs_report_start(context, &lab->options->settings, lab->argc, lab->argv);
    snprintf(report.date, sizeof report.date, "%s", lab->date);
    report.machine = *lab->machine;
    report.has_machine = lab->machine->backend != NULL;
    report.has_bandwidth = lab->bandwidth[CGS_CPU].read_gbs > 0.0;
    report.host_bandwidth = lab->bandwidth[CGS_CPU];
    report.bandwidth = lab->bandwidth[lab->machine->device];
    json_t *root = cgs_json_head(&report), *object;
    if (lab->has_choice)
        cgs_put_part(root, "choice", cgs_json_choice(&lab->choice));
#include "core/facts/facts_spmv.def"
    return cgs_json_end(context, file, root);
}
