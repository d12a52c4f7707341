/* Transfers between grids and a dense product on the CPU (kernels/grid.h).
 *
 * Both transfers go by lines in x. A fine line is the sum of four coarse lines, weighted in y and z,
 * then interpolated in x; a coarse line is the sum of the 9 (nested grids; 25 at most) fine lines
 * that it reaches, then restricted in x. So of a fine vector each number is read or written once
 * from memory, what is read again comes from the cache.
 */
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/grid.h"
#include "kernels/grid/line.h"
#include "kernels/precision.h"
#include "kernels/vector/state_cpu.h"
#include "kernels/vectorise.h"

struct point {
    int32_t left;
    real share;
};

struct reach {
    int32_t first, count;
    real weight[CGS_REACH];
};

struct transfer {
    struct cgs_context *context;
    int64_t n, m;         /* fine, coarse */
    struct point *points; /* n: of a line's fine numbers */
    struct reach *reaches; /* m: of its coarse ones */
    real *lines;          /* a line for each thread, n + 2 numbers each */
};

struct dense {
    struct cgs_context *context;
    int64_t n;
    real *entries; /* n x n */
};

/* ---- lines ---- */

/* y += a x */
static CGS_CLONES void add_line(int64_t n, real a, const real *restrict x, real *restrict y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* coarse: m numbers between two zeros, coarse[0] being the first number. */
static CGS_CLONES void interpolate_line(int64_t n, const struct point *restrict points, bool add,
                                        const real *restrict coarse, real *restrict fine)
{
    for (int64_t i = 0; i < n; i++) {
        const real *c = coarse + points[i].left;
        const real v = c[0] + points[i].share * (c[1] - c[0]);
        fine[i] = add ? fine[i] + v : v;
    }
}

static CGS_CLONES void restrict_line(int64_t m, const struct reach *restrict reaches,
                                     const real *restrict fine, real *restrict coarse)
{
    for (int64_t j = 0; j < m; j++) {
        const struct reach *reach = &reaches[j];
        real sum = 0;
        for (int k = 0; k < reach->count; k++)
            sum += reach->weight[k] * fine[reach->first + k];
        coarse[j] = sum;
    }
}

/* ---- steps ---- */

static real *line_of_thread(const struct transfer *transfer)
{
    return transfer->lines + omp_get_thread_num() * (transfer->n + 2);
}

/* Fine line (y, z). */
static void prolong_line(const struct transfer *t, int64_t y, int64_t z, bool add, const real *c,
                         real *f)
{
    const int64_t m = t->m;
    const struct point py = t->points[y], pz = t->points[z];
    real *line = line_of_thread(t);
    memset(line, 0, (size_t)(m + 2) * sizeof *line);
    for (int k = 0; k < 4; k++) {
        const int64_t j = py.left + (k & 1), l = pz.left + (k >> 1);
        const real weight = ((k & 1) ? py.share : 1 - py.share) * ((k >> 1) ? pz.share : 1 - pz.share);
        if (j >= 0 && j < m && l >= 0 && l < m && weight != 0)
            add_line(m, weight, c + (l * m + j) * m, line + 1);
    }
    interpolate_line(t->n, t->points, add, line + 1, f + (z * t->n + y) * t->n);
}

static enum cgs_status prolong(const void *transfer, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f)
{
    const struct transfer *t = transfer;
    if (cgs_cpu_stopped(state))
        return CGS_OK;
#pragma omp parallel for num_threads(queue->context->threads) schedule(static)
    for (int64_t z = 0; z < t->n; z++)
        for (int64_t y = 0; y < t->n; y++)
            prolong_line(t, y, z, add, c, f);
    return CGS_OK;
}

/* Coarse line (y, z). */
static void restrict_to_line(const struct transfer *t, int64_t y, int64_t z, const real *f, real *c)
{
    const int64_t n = t->n;
    const struct reach *ry = &t->reaches[y], *rz = &t->reaches[z];
    real *line = line_of_thread(t);
    memset(line, 0, (size_t)n * sizeof *line);
    for (int l = 0; l < rz->count; l++)
        for (int k = 0; k < ry->count; k++)
            add_line(n, rz->weight[l] * ry->weight[k],
                     f + ((rz->first + l) * n + ry->first + k) * n, line);
    restrict_line(t->m, t->reaches, line, c + (z * t->m + y) * t->m);
}

static enum cgs_status restrict_to(const void *transfer, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c)
{
    const struct transfer *t = transfer;
    if (cgs_cpu_stopped(state))
        return CGS_OK;
#pragma omp parallel for num_threads(queue->context->threads) schedule(static)
    for (int64_t z = 0; z < t->m; z++)
        for (int64_t y = 0; y < t->m; y++)
            restrict_to_line(t, y, z, f, c);
    return CGS_OK;
}

static void transfer_release(void *transfer)
{
    struct transfer *t = transfer;
    if (!t)
        return;
    struct cgs_context *context = t->context;
    cgs_free(context, t->lines);
    cgs_free(context, t->reaches);
    cgs_free(context, t->points);
    cgs_free(context, t);
}

static void fill_tables(struct transfer *t)
{
    for (int64_t i = 0; i < t->n; i++) {
        const struct cgs_line_point point = cgs_line_point(t->n, t->m, i);
        t->points[i] = (struct point){point.left, (real)point.share};
    }
    for (int64_t j = 0; j < t->m; j++) {
        const struct cgs_line_reach reach = cgs_line_reach(t->n, t->m, j);
        t->reaches[j] = (struct reach){.first = reach.first, .count = reach.count};
        for (int k = 0; k < CGS_REACH; k++)
            t->reaches[j].weight[k] = (real)reach.weight[k];
    }
}

static enum cgs_status transfer_create(const struct cgs_space *fine, int64_t fine_n,
                                       const struct cgs_space *coarse, int64_t coarse_n,
                                       void **transfer)
{
    struct cgs_context *context = fine->queue->context;
    struct transfer *t;
    (void)coarse; /* natural order, as the fine one */
    CGS_TRY(cgs_alloc(context, 1, sizeof *t, "transfer", (void **)&t));
    *t = (struct transfer){.context = context, .n = fine_n, .m = coarse_n};
    enum cgs_status status =
        cgs_alloc(context, fine_n, sizeof *t->points, "transfer", (void **)&t->points);
    if (status == CGS_OK)
        status = cgs_alloc(context, coarse_n, sizeof *t->reaches, "transfer", (void **)&t->reaches);
    if (status == CGS_OK)
        status = cgs_alloc(context, context->threads * (fine_n + 2), sizeof *t->lines, "transfer",
                           (void **)&t->lines);
    if (status != CGS_OK) {
        transfer_release(t);
        return status;
    }
    fill_tables(t);
    *transfer = t;
    return CGS_OK;
}

/* ---- dense ---- */

static void dense_release(void *dense)
{
    struct dense *d = dense;
    if (!d)
        return;
    struct cgs_context *context = d->context;
    cgs_free(context, d->entries);
    cgs_free(context, d);
}

static enum cgs_status dense_create(const struct cgs_space *space, const double *entries,
                                    void **dense)
{
    struct cgs_context *context = space->queue->context;
    const int64_t n = space->size;
    struct dense *d;
    CGS_TRY(cgs_alloc(context, 1, sizeof *d, "coarsest grid", (void **)&d));
    *d = (struct dense){.context = context, .n = n};
    const enum cgs_status status =
        cgs_alloc(context, n * n, sizeof *d->entries, "coarsest grid", (void **)&d->entries);
    if (status != CGS_OK) {
        dense_release(d);
        return status;
    }
    for (int64_t i = 0; i < n * n; i++)
        d->entries[i] = (real)entries[i];
    *dense = d;
    return CGS_OK;
}

/* Symmetric: the sum of its rows times the numbers of x, which vectorises as it stands. */
static CGS_CLONES void add_rows(int64_t n, const real *restrict entries, const real *restrict x,
                                real *restrict y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            y[i] += x[j] * entries[j * n + i];
}

static enum cgs_status dense_apply(const void *dense, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct dense *d = dense;
    (void)queue;
    if (!cgs_cpu_stopped(state))
        add_rows(d->n, d->entries, x, y);
    return CGS_OK;
}

CGS_TABLE(struct cgs_grid_ops, cgs_cpu_grid) = {
    .transfer_create = transfer_create,
    .transfer_release = transfer_release,
    .restrict_to = restrict_to,
    .prolong = prolong,
    .dense_create = dense_create,
    .dense_release = dense_release,
    .dense_apply = dense_apply,
};
