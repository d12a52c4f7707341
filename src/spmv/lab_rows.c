/* Fills the table's rows from trials, and computes the ratios between rows. */
#include <math.h>
#include <string.h>

#include "core/setup/measure.h"
#include "matrix/names.h"
#include "src/spmv/lab_rows.h"

static void note_product(const struct cgs_trial *trial, const struct cgs_lab *lab,
                         struct cgs_lab_row *row)
{
    const enum cgs_number real = cgs_precision_real(lab->precision);
    const int64_t bytes = trial->traffic.matrix + trial->traffic.vectors;
    struct cgs_bandwidth bandwidth = lab->bandwidth[row->device];
    const double read = cgs_trial_read_gbs(trial);
    row->median = cgs_trial_median(trial, &row->least, &row->most);
    row->products = trial->batches * trial->in_batch;
    if (!(row->median > 0.0))
        return;
    row->gbs = 1e-9 * (double)bytes / row->median;
    /* Measured on the same arrays between the batches; by one thread it is no part of what all
     * saw. */
    if (read > 0.0)
        bandwidth.read_gbs =
            trial->candidate->threads > 0 ? read : cgs_trusted_read(bandwidth.read_gbs, read);
    row->attainable_gbs = cgs_attainable(&bandwidth, lab->crs.rows * cgs_number_bytes(real), bytes,
                                         &row->attainable_kind);
    if (trial->candidate->threads > 0 && row->attainable_gbs != read)
        row->attainable_gbs = 0.0; /* measured with all threads, so no limit for one */
    if (lab->arithmetic[row->device] > 0.0 && trial->candidate->threads == 0) {
        row->gflops = 1e-9 * (double)trial->traffic.operations / row->median;
        row->attainable_gflops = lab->arithmetic[row->device];
        row->limit =
            cgs_nearer_limit(row->gbs, row->attainable_gbs, row->gflops, row->attainable_gflops);
    }
}

int64_t cgs_lab_least_bytes(const struct cgs_lab_row *row, int64_t vectors, bool unsaid)
{
    return vectors + (unsaid ? 0 : row->bytes_after);
}

void cgs_lab_hold_against_roof(const struct cgs_lab *lab, int64_t least_bytes,
                               struct cgs_lab_row *row)
{
    static const double MARGIN = 1.5; /* of what memory was seen to give */
    const double gbs = row->median > 0.0 ? 1e-9 * (double)least_bytes / row->median : 0.0;
    if (!row->plugin || lab->cached || !(gbs > MARGIN * row->attainable_gbs) ||
        row->attainable_gbs == 0.0)
        return;
    snprintf(
        row->reason, sizeof row->reason,
        "it takes %.3g s for a product, in which memory moves %.3g GB/s at most here, and it would "
        "need %.3g: something is left out, or it makes a layout of its own elsewhere than in "
        "`prepare`",
        row->median, row->attainable_gbs, gbs);
    row->state = CGS_TRIAL_FAILED;
}

void cgs_lab_name_row(const struct cgs_lab *lab, const struct cgs_candidate *c,
                      struct cgs_lab_row *row)
{
    snprintf(row->name, sizeof row->name, "%s",
             cgs_user_kernels_name(&lab->user_kernels, c->entry->name));
    row->file = c->plugin ? c->entry->name : NULL;
}

void cgs_lab_note(const struct cgs_trial *trial, const struct cgs_lab *lab, struct cgs_lab_row *row)
{
    const struct cgs_candidate *c = trial->candidate;
    const enum cgs_number value = cgs_precision_value(lab->precision);
    *row = (struct cgs_lab_row){
        .device = c->entry->device,
        .format = c->entry->format,
        .chunk = cgs_format_chunked(c->entry->format) ? c->chunk : 0,
        .sigma = cgs_format_chunked(c->entry->format) ? c->sigma : 0,
        .reference = trial->kernel && trial->kernel->reference,
        .plugin = c->plugin,
        .beside = c->beside,
        .standard = c->standard,
        .threads = c->entry->device != CGS_CPU ? 0
                   : c->threads > 0            ? c->threads
                                               : lab->context->threads,
        .state = trial->state,
        .wrong_row = trial->verdict.wrong_row,
        .worst_error = trial->verdict.worst_error,
        .bytes_before = lab->crs.nonzeros * (cgs_number_bytes(value) + (int64_t)sizeof(int32_t)) +
                        (lab->crs.rows + 1) * (int64_t)sizeof(int64_t),
        .bytes_after = trial->traffic.matrix,
        .padding = trial->traffic.padding,
        .convert_seconds = trial->convert_seconds,
        .transfer_seconds = trial->transfer_seconds,
        .transfer_bytes = trial->transfer_bytes,
        .prepare_seconds = trial->prepare_seconds,
        .attainable_kind = "",
        .break_even = -1,
    };
    cgs_lab_name_row(lab, c, row);
    snprintf(row->reason, sizeof row->reason, "%s", trial->verdict.reason);
    if (row->state == CGS_TRIAL_OPEN || row->state == CGS_TRIAL_DROPPED)
        note_product(trial, lab, row);
    const struct cgs_plugin *plugin = cgs_user_kernels_find(&lab->user_kernels, c->entry->name);
    row->tried = cgs_user_kernels_tried(&lab->user_kernels, c->entry->name);
    row->calls = plugin ? cgs_plugin_calls(plugin) : NULL;
    row->uncontained = plugin ? cgs_plugin_uncontained(plugin) : NULL;
    if (!plugin)
        return;
    const bool unsaid = cgs_plugin_prepares(plugin) && trial->kernel &&
                        row->bytes_after == trial->kernel->traffic(&trial->matrix).matrix;
    cgs_lab_hold_against_roof(lab, cgs_lab_least_bytes(row, trial->traffic.vectors, unsaid), row);
}

/* Returns true if the row has the time of a verified product. */
static bool has_time(const struct cgs_lab_row *row)
{
    return (row->state == CGS_TRIAL_OPEN || row->state == CGS_TRIAL_DROPPED) && row->median > 0.0;
}

void cgs_lab_hold_against_vendor(struct cgs_lab *lab, const int *items, int count)
{
    double best[CGS_DEVICES];
    for (int device = 0; device < CGS_DEVICES; device++)
        best[device] = INFINITY;
    for (int i = 0; i < count; i++) {
        const struct cgs_lab_row *row = &lab->rows[items[i]];
        if (row->reference && has_time(row) && row->median < best[row->device])
            best[row->device] = row->median;
    }
    for (int i = 0; i < count; i++) {
        struct cgs_lab_row *row = &lab->rows[items[i]];
        if (has_time(row) && isfinite(best[row->device]))
            row->vendor_ratio = best[row->device] / row->median;
    }
}

/* Returns the least k with prepare + k median <= that of `other`; -1: none. */
static int64_t break_even(const struct cgs_lab_row *row, const struct cgs_lab_row *other)
{
    const double more = row->prepare_seconds - other->prepare_seconds;
    const double gain = other->median - row->median;
    if (row == other)
        return 0;
    if (!(gain > 0.0))
        return -1;
    return more <= 0.0 ? 0 : (int64_t)ceil(fmin(more / gain, 9e18));
}

void cgs_lab_hold_against_baselines(struct cgs_lab *lab)
{
    const struct cgs_lab_row *best = NULL, *single = NULL, *standard = NULL;
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        if (row->standard && has_time(row))
            standard = row;
        if (row->device != CGS_CPU || row->plugin || !has_time(row))
            continue;
        const bool one = row->threads == 1 && (row->beside || row->standard) && !row->reference;
        if (one)
            single = row;
        if ((!one || row->standard) && (!best || row->median < best->median))
            best = row;
    }
    if (!best)
        best = single;
    for (int i = 0; i < lab->count; i++) {
        struct cgs_lab_row *row = &lab->rows[i];
        if (!has_time(row))
            continue;
        if (single)
            row->speedup = single->median / row->median;
        if (standard)
            row->default_ratio = standard->median / row->median;
        if (best)
            row->break_even = break_even(row, best);
    }
}

void cgs_lab_layout_name(const struct cgs_lab_row *row, char *text, size_t size)
{
    if (cgs_format_chunked(row->format))
        snprintf(text, size, "%s-%d-%d", cgs_format_word(row->format), (int)row->chunk,
                 (int)row->sigma);
    else
        snprintf(text, size, "%s", cgs_format_word(row->format));
}
