/* Transfers between grids (transfers.cuh) and orders (orders.cuh) and a dense product on CUDA
 * (kernels/grid.h).
 *
 * The dense product uses a warp a row: a few hundred rows keep all multiprocessors busy for the
 * time of a load or two, about the cost of a launch. Its columns have the layout of x, zero where a
 * line is padded, so that x is read in place.
 */
#include "base/memory.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/grid.h"
#include "kernels/grid/orders.cuh"
#include "kernels/grid/transfers.cuh"
#include "kernels/matrix_free/chunks.h"
#include "matrix/ranks/portion.h"

namespace
{

/* Layout of a vector on its grid; CGS_BUG if its lines are not those of the box, or its planes
 * not whole. */
enum cgs_status grid_of(const struct cgs_space *space, const int64_t *n, struct grid *grid)
{
    const struct cgs_layout *layout = &space->layout;
    const int64_t pitch = layout->pitch ? layout->pitch : n[0], lines = n[0] * n[1];
    const int64_t rows = layout->portion ? layout->portion->whole : layout->size;
    if (rows != lines * n[2] || layout->size % lines != 0 ||
        (layout->pitch && layout->length != n[0]) || layout->ghost != 0)
        return cgs_fail(space->queue->context, CGS_BUG,
                        "a grid of %lld x %lld x %lld numbers in a space of %lld, in lines of %lld",
                        (long long)n[0], (long long)n[1], (long long)n[2], (long long)layout->size,
                        (long long)layout->length);
    for (int d = 0; d < 3; d++)
        grid->n[d] = (int)n[d];
    grid->base = (int)(cgs_portion_first(layout->portion) / lines);
    grid->pitch = pitch;
    grid->plane = pitch * n[1];
    return CGS_OK;
}

/* Divides planes first ... last - 1. halo: additional cost of each chunk, in planes. */
struct division divide(const struct cgs_queue *queue, const struct grid &grid, int64_t first,
                       int64_t last, int fit, double halo)
{
    const int64_t processors = cgs_cuda_device(queue)->properties.multiProcessorCount;
    struct division d;
    d.tiles_x = (grid.n[0] + TILE_X - 1) / TILE_X;
    d.tiles_y = (grid.n[1] + TILE_Y - 1) / TILE_Y;
    d.first = (int)first;
    d.planes = (int)(last - first);
    d.chunks = cgs_choose_chunks(d.planes, (int64_t)d.tiles_x * d.tiles_y, fit * processors,
                                 1 << 30, halo, d.planes);
    return d;
}

int64_t blocks_of(const struct division &d)
{
    return d.planes > 0 ? (int64_t)d.tiles_x * d.tiles_y * d.chunks : 0;
}

const real *plane_0(const struct grid &grid, const void *vector)
{
    return static_cast<const real *>(vector) - grid.base * grid.plane;
}

/* Computes a table of direction d on the host and sends it to the device. */
template <class Entry>
enum cgs_status make_table(const struct transfer *t, int d, int64_t count,
                           Entry (*entry)(const struct transfer *, int, int64_t), Entry **table)
{
    struct cgs_queue *queue = t->queue;
    Entry *made, *there;
    CGS_TRY(cgs_cuda_alloc(queue, count, sizeof *there, "transfer", (void **)&there));
    *table = there;
    CGS_TRY(cgs_alloc(queue->context, count, sizeof *made, "transfer", (void **)&made));
    for (int64_t i = 0; i < count; i++)
        made[i] = entry(t, d, i);
    const enum cgs_status status = cgs_cuda_send(queue, there, made, count * (int64_t)sizeof *made);
    cgs_free(queue->context, made);
    return status;
}

/* Fine numbers that a coarse one reaches in a direction, at least 3, or 1 if it is not
 * coarsened. */
int reach_between(struct cgs_line line)
{
    int most = line.n == line.m ? 1 : 3;
    for (int64_t j = 0; j < line.m; j++) {
        const int count = cgs_line_reach(line, j).count;
        most = count > most ? count : most;
    }
    return most;
}

/* Window sizes of a kernel: 1 in directions that are not coarsened, one size in the others,
 * which CGS_REACH is if a line is shorter. */
void choose_windows(const int64_t *n, const int64_t *m, const int *open, int *window)
{
    int most = 1;
    for (int d = 0; d < 2; d++) {
        const int reach = reach_between({n[d], m[d], open[d]});
        most = reach > most ? reach : most;
    }
    for (int d = 0; d < 2; d++)
        if (n[d] != m[d] && n[d] < most)
            most = (int)CGS_REACH;
    for (int d = 0; d < 3; d++)
        window[d] = n[d] == m[d] ? 1 : d < 2 ? most : (int)CGS_REACH;
}

struct cgs_line line_of(const struct transfer *t, int d)
{
    return {t->fine.n[d], t->coarse.n[d], t->open[d]};
}

struct reach reach_of(const struct transfer *t, int d, int64_t j)
{
    const struct cgs_line_reach exact = cgs_line_reach(line_of(t, d), j);
    const int last = t->fine.n[d] - t->window[d]; /* last possible start of a window */
    struct reach r = {exact.first, exact.count, 0, {}};
    r.window = r.first < last ? r.first : last > 0 ? last : 0;
    if (cgs_periodic(t->open[d]))
        r.window = r.first;
    for (int k = 0; k < r.count; k++)
        r.weight[r.first - r.window + k] = (real)exact.weight[k];
    return r;
}

struct point point_of(const struct transfer *t, int d, int64_t i)
{
    const struct cgs_line_point exact = cgs_line_point(line_of(t, d), i);
    struct point p = {exact.left, (real)exact.share};
    return p;
}

/* ---- orders ---- */

/* Transfers between order P and the one that follows it. */
struct order_form {
    enum cgs_status (*restrict_to)(const struct orders *t, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const real *f, real *c);
    enum cgs_status (*prolong)(const struct orders *t, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const real *c, real *f);
    struct {
        int x, y; /* cells of a tile */
        int fit;  /* resident blocks per multiprocessor */
    } down, up;
};

template <int P>
enum cgs_status restrict_order(const struct orders *t, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, const real *f, real *c)
{
    const struct cgs_launch_shape blocks = {.count = blocks_of(t->by_restriction),
                                            .threads = order_down<P>::THREADS};
    return cgs_launch_early_blocks(queue, "restriction", order_restrict_kernel<P>, blocks, *t,
                                   state, f, c);
}

template <int P>
enum cgs_status prolong_order(const struct orders *t, struct cgs_queue *queue,
                              const struct cgs_cg_state *state, bool add, const real *c, real *f)
{
    const struct cgs_launch_shape blocks = {.count = blocks_of(t->by_prolongation),
                                            .threads = order_up<P>::THREADS};
    return cgs_launch_early_blocks(queue, "prolongation", order_prolong_kernel<P>, blocks, *t,
                                   state, add, c, f);
}

template <int P> constexpr struct order_form form_of()
{
    using down = order_down<P>;
    using up = order_up<P>;
    return {restrict_order<P>,
            prolong_order<P>,
            {down::CELLS_X, down::CELLS_Y, down::FIT},
            {up::CELLS_X, up::CELLS_Y, FIT}};
}

constexpr struct order_form forms[CGS_ORDER_MOST + 1] = {{},           {},           form_of<2>(),
                                                         form_of<3>(), form_of<4>(), form_of<5>(),
                                                         form_of<6>(), form_of<7>(), form_of<8>()};

/* Divides the cells that own numbers, as `divide` does with planes. */
struct division divide_cells(const struct cgs_queue *queue, const struct orders *t, int x, int y,
                             int fit)
{
    const int64_t processors = cgs_cuda_device(queue)->properties.multiProcessorCount;
    struct division d;
    d.tiles_x = (t->cells[0] - t->first[0] + x - 1) / x;
    d.tiles_y = (t->cells[1] - t->first[1] + y - 1) / y;
    d.first = t->first[2];
    d.planes = t->cells[2] - t->first[2];
    d.chunks = cgs_choose_chunks(d.planes, (int64_t)d.tiles_x * d.tiles_y, fit * processors,
                                 1 << 30, 1, d.planes);
    return d;
}

/* Sets the layers of cells that own planes of a rank, and the planes that it reads: its own, inner
 * nodes of the cells beside them, and the coarse plane that ends these. */
void take_layers(const struct cgs_grid_pair *pair, int64_t planes, struct orders *t)
{
    const int p = pair->fine_order, base = t->fine.base;
    const bool part = pair->fine->layout.portion != NULL, open = t->open[2] & 1;
    const int end = base + (int)planes, inner = part ? p - 1 : 0, one = part;
    t->fine_own = {base, end};
    t->fine_read = {base - (open ? inner : 0), end + (open ? 0 : inner)};
    t->coarse_own = {(int)pair->first, (int)pair->last};
    t->coarse_read = {(int)pair->first - (open ? 0 : one), (int)pair->last + (open ? one : 0)};
    if (!part)
        return;
    t->first[2] = base / p - open;
    t->cells[2] = (end - open + p - 1) / p;
}

enum cgs_status make_orders(const struct cgs_grid_pair *pair, struct transfer *t)
{
    struct cgs_queue *queue = pair->fine->queue;
    const int p = pair->fine_order;
    struct orders *orders;
    const int64_t planes = pair->fine->size / (pair->fine_n[0] * pair->fine_n[1]);
    if (pair->coarse_order != (p + 1) / 2)
        return cgs_fail(queue->context, CGS_BUG, "a transfer of order %d to %d", p,
                        pair->coarse_order);
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *orders, "transfer", (void **)&orders));
    t->orders = orders;
    orders->fine = t->fine;
    orders->coarse = t->coarse;
    for (int d = 0; d < 3; d++) {
        const int open = pair->open[d];
        struct cgs_orders made;
        cgs_orders_make({pair->fine_n[d], pair->coarse_n[d], open}, p, pair->coarse_order, &made);
        orders->open[d] = open;
        orders->first[d] = cgs_periodic(open) ? 0 : -(open & 1);
        orders->cells[d] = (int)(cgs_line_cells(pair->fine_n[d], open) / p);
        for (int i = 0; i < CGS_NODES_MOST * CGS_NODES_MOST; i++)
            orders->value[i] = i / CGS_NODES_MOST <= p && i % CGS_NODES_MOST <= pair->coarse_order
                                   ? (real)made.value[i]
                                   : 0;
    }
    take_layers(pair, planes, orders);
    const struct order_form *form = &forms[p];
    t->form = form;
    orders->by_restriction =
        divide_cells(queue, orders, form->down.x, form->down.y, form->down.fit);
    orders->by_prolongation = divide_cells(queue, orders, form->up.x, form->up.y, form->up.fit);
    return CGS_OK;
}

/* ---- dense ---- */

struct dense {
    struct cgs_queue *queue;
    int rows, columns; /* numbers of x including padding */
    int length, pitch; /* of x's lines; natural order is one line */
    real *entries;     /* rows x columns, in device memory */
};

/* Entries of a row that a lane loads before the previous kernel has ended. */
constexpr int EARLY = 16, ROWS_OF_BLOCK = (int)CGS_THREADS / 32;

__host__ __device__ inline int place_of(const struct dense &d, int row)
{
    return row / d.length * d.pitch + row % d.length;
}

__global__ void __launch_bounds__(CGS_THREADS)
    dense_kernel(const struct dense d, const struct cgs_cg_state *state, const real *x, real *y)
{
    const int row = (int)blockIdx.x * ROWS_OF_BLOCK + (int)threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32;
    const real *entries = d.entries + (int64_t)min(row, d.rows - 1) * d.columns;
    real early[EARLY], sum = 0;
#pragma unroll
    for (int k = 0; k < EARLY; k++)
        early[k] = lane + 32 * k < d.columns ? entries[lane + 32 * k] : (real)0;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if ((state && !cgs_cg_going_on(state)) || row >= d.rows)
        return;
#pragma unroll
    for (int k = 0; k < EARLY; k++)
        if (lane + 32 * k < d.columns)
            sum += early[k] * x[lane + 32 * k];
#pragma unroll 8
    for (int j = lane + 32 * EARLY; j < d.columns; j += 32)
        sum += entries[j] * x[j];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0)
        y[place_of(d, row)] = sum;
}

enum cgs_status send_entries(struct dense *d, const double *entries)
{
    struct cgs_queue *queue = d->queue;
    const int64_t count = (int64_t)d->rows * d->columns;
    real *made;
    CGS_TRY(cgs_cuda_alloc(queue, count, sizeof *made, "coarsest grid", (void **)&d->entries));
    CGS_TRY(cgs_alloc(queue->context, count, sizeof *made, "coarsest grid", (void **)&made));
    for (int64_t i = 0; i < count; i++)
        made[i] = 0;
    for (int i = 0; i < d->rows; i++)
        for (int j = 0; j < d->rows; j++)
            made[(int64_t)i * d->columns + place_of(*d, j)] =
                (real)entries[(int64_t)i * d->rows + j];
    const enum cgs_status status =
        cgs_cuda_send(queue, d->entries, made, count * (int64_t)sizeof *made);
    cgs_free(queue->context, made);
    return status;
}

} // namespace

static void transfer_release(void *transfer)
{
    struct transfer *t = static_cast<struct transfer *>(transfer);
    if (!t)
        return;
    for (int d = 0; d < 3; d++) {
        cgs_cuda_free(t->queue, t->reaches[d]);
        cgs_cuda_free(t->queue, t->points[d]);
    }
    cgs_free(t->queue->context, t->orders);
    cgs_free(t->queue->context, t);
}

static enum cgs_status make_grids(const struct cgs_grid_pair *pair, struct transfer *t)
{
    const int64_t *n = pair->fine_n, *m = pair->coarse_n;
    for (int d = 0; d < 3; d++)
        t->open[d] = pair->open[d];
    choose_windows(n, m, t->open, t->window);
    const int64_t planes = pair->fine->size / (n[0] * n[1]);
    t->by_fine = divide(t->queue, t->fine, t->fine.base, t->fine.base + planes, FIT, 2);
    t->by_coarse = divide(t->queue, t->coarse, pair->first, pair->last,
                          fit_of(t->window[0] > t->window[1] ? t->window[0] : t->window[1]), 1);
    for (int d = 0; d < 3; d++) {
        CGS_TRY(make_table(t, d, n[d], point_of, &t->points[d]));
        CGS_TRY(make_table(t, d, m[d], reach_of, &t->reaches[d]));
    }
    return CGS_OK;
}

static enum cgs_status transfer_create(const struct cgs_grid_pair *pair, void **transfer)
{
    struct cgs_queue *queue = pair->fine->queue;
    struct grid from, to;
    struct transfer *t;
    CGS_TRY(grid_of(pair->fine, pair->fine_n, &from));
    CGS_TRY(grid_of(pair->coarse, pair->coarse_n, &to));
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *t, "transfer", (void **)&t));
    *t = {};
    t->queue = queue;
    t->fine = from;
    t->coarse = to;
    const enum cgs_status status =
        pair->fine_order > 1 ? make_orders(pair, t) : make_grids(pair, t);
    if (status == CGS_OK)
        *transfer = t;
    else
        transfer_release(t);
    return status;
}

/* MOST: the larger of the windows in x and y. */
template <int MOST> static auto kernel_of(const struct transfer &t)
{
    return t.window[0] == 1   ? restrict_kernel<1, MOST, false>
           : t.window[1] == 1 ? restrict_kernel<MOST, 1, false>
                              : restrict_kernel<MOST, MOST, false>;
}

static enum cgs_status restrict_to(const void *transfer, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c)
{
    const struct transfer *t = static_cast<const struct transfer *>(transfer);
    if (t->orders)
        return t->form->restrict_to(t->orders, queue, state, plane_0(t->fine, f),
                                    const_cast<real *>(plane_0(t->coarse, c)));
    const int wide = t->window[0] > t->window[1] ? t->window[0] : t->window[1];
    const bool periodic =
        cgs_periodic(t->open[0]) || cgs_periodic(t->open[1]) || cgs_periodic(t->open[2]);
    const auto kernel = periodic    ? (wide <= 3 ? restrict_kernel<3, 3, true>
                                                 : restrict_kernel<CGS_REACH, CGS_REACH, true>)
                        : wide == 1 ? restrict_kernel<1, 1, false>
                        : wide == 3 ? kernel_of<3>(*t)
                        : wide == 4 ? kernel_of<4>(*t)
                                    : kernel_of<CGS_REACH>(*t);
    if (blocks_of(t->by_coarse) == 0) /* a rank without planes of the coarse grid */
        return CGS_OK;
    return cgs_launch_early(queue, "restriction", kernel, blocks_of(t->by_coarse), *t, state,
                            plane_0(t->fine, f), const_cast<real *>(plane_0(t->coarse, c)));
}

static enum cgs_status prolong(const void *transfer, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f)
{
    const struct transfer *t = static_cast<const struct transfer *>(transfer);
    if (t->orders)
        return t->form->prolong(t->orders, queue, state, add, plane_0(t->coarse, c),
                                const_cast<real *>(plane_0(t->fine, f)));
    return cgs_launch_early(queue, "prolongation",
                            add ? prolong_kernel<true> : prolong_kernel<false>,
                            blocks_of(t->by_fine), *t, state, plane_0(t->coarse, c),
                            const_cast<real *>(plane_0(t->fine, f)));
}

static void dense_release(void *dense)
{
    struct dense *d = static_cast<struct dense *>(dense);
    if (!d)
        return;
    cgs_cuda_free(d->queue, d->entries);
    cgs_free(d->queue->context, d);
}

static enum cgs_status dense_create(const struct cgs_space *space, const double *entries,
                                    void **dense)
{
    struct cgs_queue *queue = space->queue;
    const struct cgs_layout *layout = &space->layout;
    struct dense *d;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *d, "coarsest grid", (void **)&d));
    *d = {};
    d->queue = queue;
    d->rows = (int)space->size;
    d->columns = (int)space->extent;
    d->length = layout->pitch ? (int)layout->length : d->rows;
    d->pitch = layout->pitch ? (int)layout->pitch : d->rows;
    const enum cgs_status status = send_entries(d, entries);
    if (status == CGS_OK)
        *dense = d;
    else
        dense_release(d);
    return status;
}

static enum cgs_status dense_apply(const void *dense, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct dense *d = static_cast<const struct dense *>(dense);
    return cgs_launch_early(queue, "coarsest grid", dense_kernel,
                            (d->rows + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK, *d, state,
                            static_cast<const real *>(x), static_cast<real *>(y));
}

/* Copies lines of owned numbers, whose starts are so many numbers apart. */
static enum cgs_status part_copy(const struct cgs_space *space, struct cgs_queue *queue,
                                 const void *from, int64_t from_pitch, void *to, int64_t to_pitch)
{
    const struct cgs_layout *layout = &space->layout;
    const int64_t lines = layout->pitch ? layout->rows : 1;
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpy2DAsync(to, (size_t)to_pitch * sizeof(real), from,
                                   (size_t)from_pitch * sizeof(real),
                                   (size_t)(layout->size / lines) * sizeof(real), (size_t)lines,
                                   cudaMemcpyDeviceToDevice, cgs_cuda_stream(queue)));
    return CGS_OK;
}

static int64_t pitch_of(const struct cgs_layout *layout)
{
    return layout->pitch ? layout->pitch : layout->size;
}

static enum cgs_status part_put(const struct cgs_space *space, struct cgs_queue *queue,
                                const struct cgs_cg_state *, const void *x, void *natural)
{
    const struct cgs_layout *layout = &space->layout;
    return part_copy(space, queue, x, pitch_of(layout), natural,
                     layout->pitch ? layout->length : layout->size);
}

static enum cgs_status part_get(const struct cgs_space *space, struct cgs_queue *queue,
                                const struct cgs_cg_state *, const void *natural, void *x)
{
    const struct cgs_layout *layout = &space->layout;
    return part_copy(space, queue, natural, layout->pitch ? layout->length : layout->size, x,
                     pitch_of(layout));
}

CGS_TABLE(struct cgs_multigrid_ops, cgs_cuda_grid) = {
    .transfer_create = transfer_create,
    .transfer_release = transfer_release,
    .restrict_to = restrict_to,
    .prolong = prolong,
    .dense_create = dense_create,
    .dense_release = dense_release,
    .dense_apply = dense_apply,
    .part_put = part_put,
    .part_get = part_get,
};
