/* Transfers between grids and a dense product on the CPU (kernels/grid.h).
 *
 * Both transfers compute their result plane by plane, one direction at a time: the inner loop runs
 * along a line in x, and each fine number is read or written once from memory:
 *
 *     prolongation, fine plane z:  for each coarse line y: 2 lines summed in z, interpolated in x;
 *                                  for each fine line y: the sum of two of these
 *     restriction, coarse plane z: for each fine line y: 3 lines summed over z (5 if grids do not
 *                                  nest); for each coarse line y: 3 of these, restricted in x
 *
 * A direction that is not coarsened takes one line, or copies it. Intermediate lines are kept for
 * the next y in a ring of a few lines a thread. Transfers between orders are in bands_cpu.h.
 */
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/grid.h"
#include "kernels/grid/bands_cpu.h"
#include "kernels/grid/line.h"
#include "kernels/matrix_free/planes_cpu.h"
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

enum { LINES = CGS_REACH + 1 };

/* One direction of a transfer. */
struct direction {
    int64_t n, m;          /* fine, coarse */
    int low, high;         /* 1: that face is free */
    bool periodic;         /* number n is number 0; low is 1 */
    bool same, nested;     /* n = m; every second fine number is a coarse one */
    struct point *points;  /* n: interpolation of the fine numbers of a line */
    struct reach *reaches; /* m: restriction to its coarse numbers */
};

struct transfer {
    struct cgs_context *context;
    struct direction x, y, z;
    int64_t begin, end;  /* fine rows of this rank; a vector points to the first one */
    int64_t base;        /* coarse row that a vector points to */
    int64_t first, last; /* coarse planes that are restricted here */
    real *lines;         /* LINES of them for each thread, x.n + 2 numbers each */
    bool orders;         /* between orders: x, y, z and lines are empty */
    struct cgs_bands up, down;
};

struct dense {
    struct cgs_context *context;
    int64_t n;
    real *entries; /* n x n */
};

/* ---- lines ---- */

/* y = a x + b z, or y = y + a x + b z. */
static CGS_CLONES void add_lines(int64_t n, bool add, real a, const real *restrict x, real b,
                                 const real *restrict z, real *restrict y)
{
    if (add)
        for (int64_t i = 0; i < n; i++)
            y[i] += a * x[i] + b * z[i];
    else
        for (int64_t i = 0; i < n; i++)
            y[i] = a * x[i] + b * z[i];
}

/* coarse: m numbers between two zeros, or if x is periodic before number 0 again; coarse[0] is
 * the first number. */
static CGS_CLONES void interpolate_line(const struct direction *x, const real *restrict coarse,
                                        real *restrict fine)
{
    const int64_t n = x->n, m = x->m;
    const struct point *restrict points = x->points;
    if (x->same) {
        memcpy(fine, coarse, (size_t)n * sizeof *fine);
        return;
    }
    if (x->nested) {
        /* the rest of the line, behind a free low face */
        const int64_t low = x->low, count = m - low;
        const real *restrict c = coarse + low;
        real *restrict f = fine + low;
        if (low)
            fine[0] = coarse[0];
        for (int64_t j = 0; j < count; j++) {
            f[2 * j] = (real)0.5 * (c[j - 1] + c[j]);
            f[2 * j + 1] = c[j];
        }
        if (!x->high)
            f[2 * count] = (real)0.5 * (c[count - 1] + c[count]);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const real *c = coarse + points[i].left;
        fine[i] = c[0] + points[i].share * (c[1] - c[0]);
    }
}

static CGS_CLONES void restrict_line(const struct direction *x, const real *restrict fine,
                                     real *restrict coarse)
{
    const int64_t n = x->n, m = x->m;
    const struct reach *restrict reaches = x->reaches;
    if (x->same) {
        memcpy(coarse, fine, (size_t)m * sizeof *coarse);
        return;
    }
    if (x->nested) {
        const int64_t low = x->low, count = m - low - x->high;
        const real *restrict f = fine + low;
        real *restrict c = coarse + low;
        if (low)
            coarse[0] = fine[0] + (real)0.5 * (x->periodic ? fine[1] + fine[n - 1] : fine[1]);
        for (int64_t j = 0; j < count; j++)
            c[j] = (real)0.5 * (f[2 * j] + f[2 * j + 2]) + f[2 * j + 1];
        if (x->high)
            coarse[m - 1] = (real)0.5 * fine[n - 2] + fine[n - 1];
        return;
    }
    for (int64_t j = 0; j < m; j++) {
        const struct reach *reach = &reaches[j];
        real sum = 0;
        if (reach->first < 0 || reach->first + reach->count > n) /* periodic */
            for (int k = 0; k < reach->count; k++)
                sum += reach->weight[k] * fine[cgs_line_wrapped(n, reach->first + k)];
        else
            for (int k = 0; k < reach->count; k++)
                sum += reach->weight[k] * fine[reach->first + k];
        coarse[j] = sum;
    }
}

/* ---- steps ---- */

static int threads_for(const struct transfer *t, const struct cgs_queue *queue)
{
    return cgs_threads_for(queue, (const int64_t[]){t->x.n, t->y.n, t->z.n});
}

static real *line_of_thread(const struct transfer *t, int64_t which)
{
    return t->lines + (omp_get_thread_num() * LINES + which) * (t->x.n + 2);
}

/* Interpolates coarse line y to fine plane z (in z, then x). Lines -1 and y.m lie on the boundary:
 * zero. */
static void prolong_coarse_line(const struct transfer *t, int64_t y, int64_t z, const real *c,
                                real *fine)
{
    const int64_t m = t->x.m, lines = t->y.m;
    const struct point p = t->z.points[z];
    const int64_t above = t->z.periodic ? cgs_line_wrapped(t->z.m, p.left + 1) : p.left + 1;
    const real weight[2] = {1 - p.share, p.share};
    real *line = line_of_thread(t, 2) + 1;
    if (t->y.periodic)
        y = cgs_line_wrapped(lines, y);
    if (y < 0 || y >= lines) {
        memset(fine, 0, (size_t)t->x.n * sizeof *fine);
        return;
    }
    const real *low = p.left < 0 ? NULL : c + ((p.left * lines + y) * m - t->base);
    const real *high =
        p.share == 0 || above >= t->z.m ? NULL : c + ((above * lines + y) * m - t->base);
    line[-1] = line[m] = 0;
    add_lines(m, false, low ? weight[0] : 0, low ? low : high, high ? weight[1] : 0,
              high ? high : low, line);
    if (t->x.periodic)
        line[m] = line[0];
    interpolate_line(&t->x, line, fine);
}

/* Interpolates what is here of fine plane z. The thread's lines 0 and 1 hold the coarse lines y
 * used last. */
static void prolong_plane(const struct transfer *t, int64_t z, bool add, const real *c, real *f)
{
    const int64_t n = t->x.n, lines = t->y.n;
    int64_t made = -2; /* last coarse line computed */
    for (int64_t y = 0; y < lines; y++) {
        const struct point p = t->y.points[y];
        const int64_t line = (z * lines + y) * n;
        const int64_t from = line > t->begin ? line : t->begin;
        const int64_t to = line + n < t->end ? line + n : t->end;
        if (from >= to)
            continue;
        for (int64_t j = made < p.left - 1 ? p.left : made + 1; j <= p.left + 1; j++)
            prolong_coarse_line(t, j, z, c, line_of_thread(t, j & 1));
        made = p.left + 1;
        add_lines(to - from, add, 1 - p.share, line_of_thread(t, p.left & 1) + (from - line),
                  p.share, line_of_thread(t, ~p.left & 1) + (from - line), f + (from - t->begin));
    }
}

static enum cgs_status prolong(const void *transfer, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f)
{
    const struct transfer *t = transfer;
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    const int64_t plane = t->orders ? t->up.x.to * t->up.y.to : t->x.n * t->y.n;
    const int64_t end = (t->end + plane - 1) / plane;
    if (t->orders) {
        const struct cgs_bands_part part = {t->begin / plane, end, t->base, t->begin};
        cgs_bands_apply(&t->up, queue, &part, add, c, f);
        return CGS_OK;
    }
#pragma omp parallel for num_threads(threads_for(t, queue)) schedule(static)
    for (int64_t z = t->begin / plane; z < end; z++)
        prolong_plane(t, z, add, c, f);
    return CGS_OK;
}

/* Restricts to coarse plane z. The thread's lines 0 ... CGS_REACH - 1 hold fine lines y, summed
 * over z, at y % CGS_REACH. */
static void restrict_to_plane(const struct transfer *t, int64_t z, const real *f, real *c)
{
    const int64_t n = t->x.n, m = t->x.m;
    const struct reach *rz = &t->z.reaches[z];
    const real *lines[CGS_REACH];
    /* Fine lines computed so far; below 0 and from n on they are those at the other end. */
    int64_t made = t->y.reaches[0].first;
    for (int64_t y = 0; y < t->y.m; y++) {
        const struct reach *ry = &t->y.reaches[y];
        for (; made < ry->first + ry->count; made++) {
            for (int k = 0; k < rz->count; k++)
                lines[k] = f + ((cgs_line_wrapped(t->z.n, rz->first + k) * t->y.n +
                                 cgs_line_wrapped(t->y.n, made)) *
                                    n -
                                t->begin);
            cgs_sum_lines(n, rz->count, rz->weight, lines,
                          line_of_thread(t, (made + CGS_REACH) % CGS_REACH));
        }
        for (int k = 0; k < ry->count; k++)
            lines[k] = line_of_thread(t, (ry->first + k + CGS_REACH) % CGS_REACH);
        real *line = line_of_thread(t, CGS_REACH);
        cgs_sum_lines(n, ry->count, ry->weight, lines, line);
        restrict_line(&t->x, line, c + ((z * t->y.m + y) * m - t->base));
    }
}

static enum cgs_status restrict_to(const void *transfer, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c)
{
    const struct transfer *t = transfer;
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    if (t->orders) {
        const struct cgs_bands_part part = {t->first, t->last, t->begin, t->base};
        cgs_bands_apply(&t->down, queue, &part, false, f, c);
        return CGS_OK;
    }
#pragma omp parallel for num_threads(threads_for(t, queue)) schedule(static)
    for (int64_t z = t->first; z < t->last; z++)
        restrict_to_plane(t, z, f, c);
    return CGS_OK;
}

static void release_direction(struct cgs_context *context, struct direction *d)
{
    cgs_free(context, d->reaches);
    cgs_free(context, d->points);
}

static void transfer_release(void *transfer)
{
    struct transfer *t = transfer;
    if (!t)
        return;
    struct cgs_context *context = t->context;
    cgs_bands_release(&t->down);
    cgs_bands_release(&t->up);
    cgs_free(context, t->lines);
    release_direction(context, &t->z);
    release_direction(context, &t->y);
    release_direction(context, &t->x);
    cgs_free(context, t);
}

/* On failure what is made is released with the transfer. */
static enum cgs_status make_direction(struct cgs_context *context, const struct cgs_grid_pair *pair,
                                      int axis, struct direction *d)
{
    const int64_t n = pair->fine_n[axis], m = pair->coarse_n[axis];
    const struct cgs_line line = {n, m, pair->open[axis]};
    *d = (struct direction){.n = n,
                            .m = m,
                            .low = line.open & 1,
                            .high = line.open >> 1 & 1,
                            .periodic = cgs_periodic(line.open),
                            .same = n == m,
                            .nested = cgs_line_nested(line)};
    CGS_TRY(cgs_alloc(context, n, sizeof *d->points, "transfer", (void **)&d->points));
    CGS_TRY(cgs_alloc(context, m, sizeof *d->reaches, "transfer", (void **)&d->reaches));
    for (int64_t i = 0; i < n; i++) {
        const struct cgs_line_point point = cgs_line_point(line, i);
        d->points[i] = (struct point){point.left, (real)point.share};
    }
    for (int64_t j = 0; j < m; j++) {
        const struct cgs_line_reach reach = cgs_line_reach(line, j);
        d->reaches[j] = (struct reach){.first = reach.first, .count = reach.count};
        for (int k = 0; k < CGS_REACH; k++)
            d->reaches[j].weight[k] = (real)reach.weight[k];
    }
    return CGS_OK;
}

static enum cgs_status make_orders(struct transfer *t, const struct cgs_grid_pair *pair)
{
    struct cgs_orders orders[3];
    t->orders = true;
    for (int k = 0; k < 3; k++)
        cgs_orders_make((struct cgs_line){pair->fine_n[k], pair->coarse_n[k], pair->open[k]},
                        pair->fine_order, pair->coarse_order, &orders[k]);
    CGS_TRY(cgs_bands_make(t->context, orders, true, &t->up));
    return cgs_bands_make(t->context, orders, false, &t->down);
}

static enum cgs_status make_tables(struct transfer *t, const struct cgs_grid_pair *pair)
{
    if (pair->fine_order > 1)
        return make_orders(t, pair);
    CGS_TRY(make_direction(t->context, pair, 0, &t->x));
    CGS_TRY(make_direction(t->context, pair, 1, &t->y));
    CGS_TRY(make_direction(t->context, pair, 2, &t->z));
    return cgs_alloc(t->context, t->context->threads * LINES * (t->x.n + 2), sizeof *t->lines,
                     "transfer", (void **)&t->lines);
}

static enum cgs_status transfer_create(const struct cgs_grid_pair *pair, void **transfer)
{
    struct cgs_context *context = pair->fine->queue->context;
    const int64_t begin = cgs_portion_first(pair->fine->layout.portion);
    struct transfer *t;
    CGS_TRY(cgs_alloc(context, 1, sizeof *t, "transfer", (void **)&t));
    *t = (struct transfer){.context = context,
                           .begin = begin,
                           .end = begin + pair->fine->size,
                           .base = cgs_portion_first(pair->coarse->layout.portion),
                           .first = pair->first,
                           .last = pair->last};
    const enum cgs_status status = make_tables(t, pair);
    if (status != CGS_OK) {
        transfer_release(t);
        return status;
    }
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

/* y += D x as a sum of D's rows times numbers of x, since D is symmetric: this form vectorises. */
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

/* Vectors of the CPU are in natural order: both ways. */
static enum cgs_status part_copy(const struct cgs_space *space, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const void *from, void *to)
{
    return space->ops->copy(space, queue, state, from, to);
}

CGS_TABLE(struct cgs_multigrid_ops, cgs_cpu_grid) = {
    .transfer_create = transfer_create,
    .transfer_release = transfer_release,
    .restrict_to = restrict_to,
    .prolong = prolong,
    .dense_create = dense_create,
    .dense_release = dense_release,
    .dense_apply = dense_apply,
    .part_put = part_copy,
    .part_get = part_copy,
};
