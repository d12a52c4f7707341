/* Products with B_z (x) B_y (x) B_x, a banded matrix in each direction, on the CPU: the transfers
 * between orders (orders.h). Each plane of the result is made by one thread, line by line:
 *
 *     for each line y of the result:  lines of x summed over z, where the last one did not have
 *                                     them; their sum over y; B_x times that
 *
 * A ring of lines a thread keeps those that are summed over z. The order of sums depends on the
 * tables alone: the same bits for any number of threads.
 */
#pragma once

#include <omp.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/grid/orders.h"
#include "kernels/matrix_free/planes_cpu.h"
#include "kernels/precision.h"
#include "kernels/vectorise.h"

enum { CGS_BAND_LINES = CGS_ORDERS_REACH + 1 };

/* A direction: numbers first[i] ... + count[i] - 1 of `from` make number i of `to`. */
struct cgs_band {
    int64_t from, to;
    bool periodic; /* numbers are meant modulo `from` */
    int width;
    int32_t *first, *count;
    real *weight; /* k of number i at k to + i; 0 from count[i] to width */
};

struct cgs_bands {
    struct cgs_context *context;
    struct cgs_band x, y, z;
    real *lines; /* CGS_BAND_LINES of each thread */
};

/* y = sum of `count` lines times their weights, at least 1. */
static CGS_CLONES void cgs_sum_lines(int64_t n, int count, const real *weight, const real *const *x,
                                     real *restrict y)
{
    const real w0 = weight[0], w1 = weight[1], w2 = weight[2];
    if (count == 3) { /* nested grids */
        const real *restrict x0 = x[0], *restrict x1 = x[1], *restrict x2 = x[2];
        for (int64_t i = 0; i < n; i++)
            y[i] = w0 * x0[i] + w1 * x1[i] + w2 * x2[i];
        return;
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = w0 * x[0][i];
    for (int k = 1; k < count; k++)
        for (int64_t i = 0; i < n; i++)
            y[i] += weight[k] * x[k][i];
}

/* Returns the numbers of a thread's line: those of x, and as many beside them as a row reaches. */
static inline int64_t cgs_band_length(const struct cgs_bands *bands)
{
    return bands->x.from + 2 * CGS_ORDERS_REACH;
}

static inline real *cgs_band_line(const struct cgs_bands *bands, int64_t which)
{
    return bands->lines + (omp_get_thread_num() * CGS_BAND_LINES + which) * cgs_band_length(bands) +
           CGS_ORDERS_REACH;
}

/* Fills what is beside a line: zeros, or of a periodic one its other end. */
static inline void cgs_band_widen(const struct cgs_band *x, real *line)
{
    for (int k = 0; k < CGS_ORDERS_REACH; k++) {
        line[x->from + k] = x->periodic ? line[k % x->from] : 0;
        line[-1 - k] = x->periodic ? line[x->from - 1 - k % x->from] : 0;
    }
}

static CGS_CLONES void cgs_band_times_line(const struct cgs_band *x, const real *restrict line,
                                           bool add, real *restrict out)
{
    const int64_t n = x->to;
    const int32_t *restrict first = x->first;
    for (int k = 0; k < x->width; k++) {
        const real *restrict weight = x->weight + k * n;
        if (k == 0 && !add)
            for (int64_t i = 0; i < n; i++)
                out[i] = weight[i] * line[first[i]];
        else
            for (int64_t i = 0; i < n; i++)
                out[i] += weight[i] * line[first[i] + k];
    }
}

/* The numbers of row i of a band, with their weights; to be wrapped where it is periodic. */
static inline int cgs_band_row(const struct cgs_band *band, int64_t i, real *weight)
{
    for (int k = 0; k < CGS_ORDERS_REACH; k++)
        weight[k] = k < band->count[i] ? band->weight[k * band->to + i] : 0;
    return band->count[i];
}

static inline int64_t cgs_band_wrapped(const struct cgs_band *band, int64_t i)
{
    return band->periodic ? cgs_line_wrapped(band->from, i) : i;
}

/* The part of a product that is here: planes first ... last - 1 of the result; of both vectors the
 * first number that they point to. */
struct cgs_bands_part {
    int64_t first, last, in, out;
};

static inline void cgs_bands_plane(const struct cgs_bands *bands, const struct cgs_bands_part *part,
                                   int64_t z, bool add, const real *in, real *out)
{
    const struct cgs_band *by = &bands->y, *bz = &bands->z;
    const int64_t length = bands->x.from;
    real over[CGS_ORDERS_REACH], weight[CGS_ORDERS_REACH], *sum = cgs_band_line(bands, 0);
    const real *lines[CGS_ORDERS_REACH];
    const int planes = cgs_band_row(bz, z, over);
    int64_t made = by->first[0]; /* lines that are summed over z, so far */
    for (int64_t y = 0; y < by->to; y++) {
        const int64_t first = by->first[y];
        const int count = cgs_band_row(by, y, weight);
        for (made = made < first ? first : made; made < first + count; made++) {
            for (int k = 0; k < planes; k++)
                lines[k] = in + ((cgs_band_wrapped(bz, bz->first[z] + k) * by->from +
                                  cgs_band_wrapped(by, made)) *
                                     length -
                                 part->in);
            cgs_sum_lines(length, planes, over, lines,
                          cgs_band_line(bands, 1 + (made + CGS_ORDERS_REACH) % CGS_ORDERS_REACH));
        }
        for (int k = 0; k < count; k++)
            lines[k] = cgs_band_line(bands, 1 + (first + k + CGS_ORDERS_REACH) % CGS_ORDERS_REACH);
        cgs_sum_lines(length, count, weight, lines, sum);
        cgs_band_widen(&bands->x, sum);
        cgs_band_times_line(&bands->x, sum, add,
                            out + ((z * by->to + y) * bands->x.to - part->out));
    }
}

/* out = B in, or out + B in. */
static inline void cgs_bands_apply(const struct cgs_bands *bands, const struct cgs_queue *queue,
                                   const struct cgs_bands_part *part, bool add, const real *in,
                                   real *out)
{
    const int64_t n[] = {bands->x.to, bands->y.to, bands->z.to};
#pragma omp parallel for num_threads(cgs_threads_for(queue, n)) schedule(static)
    for (int64_t z = part->first; z < part->last; z++)
        cgs_bands_plane(bands, part, z, add, in, out);
}

static inline void cgs_bands_release(struct cgs_bands *bands)
{
    struct cgs_band *all[] = {&bands->x, &bands->y, &bands->z};
    for (int k = 0; k < 3; k++) {
        cgs_free(bands->context, all[k]->weight);
        cgs_free(bands->context, all[k]->first);
    }
    cgs_free(bands->context, bands->lines);
}

/* Makes a direction of the interpolation (up) or the restriction. */
static inline enum cgs_status cgs_band_make(struct cgs_context *context,
                                            const struct cgs_orders *orders, bool up,
                                            struct cgs_band *band)
{
    const struct cgs_line line = orders->line;
    *band = (struct cgs_band){.from = up ? line.m : line.n,
                              .to = up ? line.n : line.m,
                              .periodic = cgs_periodic(line.open),
                              .width = up ? orders->coarse + 1 : 2 * orders->fine - 1};
    CGS_TRY(
        cgs_alloc(context, 2 * band->to, sizeof *band->first, "transfer", (void **)&band->first));
    CGS_TRY(cgs_alloc(context, band->width * band->to, sizeof *band->weight, "transfer",
                      (void **)&band->weight));
    band->count = band->first + band->to;
    for (int64_t i = 0; i < band->to; i++) {
        struct cgs_orders_row row;
        (up ? cgs_orders_interpolation : cgs_orders_restriction)(orders, i, &row);
        band->first[i] = (int32_t)row.first;
        band->count[i] = row.count;
        for (int k = 0; k < band->width; k++)
            band->weight[k * band->to + i] = k < row.count ? (real)row.weight[k] : 0;
    }
    return CGS_OK;
}

/* Makes the interpolation (up) or the restriction; on failure what is made is to be released. */
static inline enum cgs_status cgs_bands_make(struct cgs_context *context,
                                             const struct cgs_orders orders[3], bool up,
                                             struct cgs_bands *bands)
{
    *bands = (struct cgs_bands){.context = context};
    CGS_TRY(cgs_band_make(context, &orders[0], up, &bands->x));
    CGS_TRY(cgs_band_make(context, &orders[1], up, &bands->y));
    CGS_TRY(cgs_band_make(context, &orders[2], up, &bands->z));
    return cgs_alloc(context, context->threads * CGS_BAND_LINES * cgs_band_length(bands),
                     sizeof *bands->lines, "transfer", (void **)&bands->lines);
}
