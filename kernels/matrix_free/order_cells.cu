/* y = A x on any mesh of order p > 1 without a matrix, on CUDA, and CG's steps fused with it
 * (order_cells.cuh). */
#include "base/integers.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/matrix_free/march_steps.cuh"
#include "kernels/matrix_free/order_cells.cuh"

namespace
{

typedef void multiply_kernel(struct cells_division, enum mode, struct fields, struct cgs_cg_state *,
                             enum cgs_sum, double *, unsigned *);

struct cells_kernel {
    multiply_kernel *multiply;
    int x, y, threads; /* cells of a block */
    int64_t shared;
};

template <int P, int Q, int TX, int TY, int FIT, bool MASS = false> struct cells_kernel kernel_of()
{
    using shape = cells_shape<P, Q, TX, TY, FIT, MASS>;
    return {order_cells<shape>, TX, TY, shape::THREADS, shape::SHARED};
}

/* By order, and by rule: of the nodes, Gauss's, Gauss's of the mass matrix. Tunable: within 96 KiB
 * of shared memory, which all devices but sm_75 have, the fastest iterations of CG on an H200 at
 * 2e7 and 1e8 unknowns; those of the mass matrix have the shapes of Gauss's, not yet chosen by
 * time. */
const struct cells_kernel *kernel_for(const struct cgs_mesh *mesh)
{
    static const struct cells_kernel kernels[CGS_ORDER_MOST - 1][3] = {
        {kernel_of<2, 3, 8, 4, 2>(), kernel_of<2, 4, 4, 2, 5>(), kernel_of<2, 4, 4, 2, 5, true>()},
        {kernel_of<3, 4, 4, 2, 4>(), kernel_of<3, 5, 5, 1, 4>(), kernel_of<3, 5, 5, 1, 4, true>()},
        {kernel_of<4, 5, 5, 1, 4>(), kernel_of<4, 6, 3, 1, 4>(), kernel_of<4, 6, 3, 1, 4, true>()},
        {kernel_of<5, 6, 2, 2, 3>(), kernel_of<5, 7, 3, 1, 3>(), kernel_of<5, 7, 3, 1, 3, true>()},
        {kernel_of<6, 7, 3, 1, 3>(), kernel_of<6, 8, 2, 1, 4>(), kernel_of<6, 8, 2, 1, 4, true>()},
        {kernel_of<7, 8, 2, 1, 4>(), kernel_of<7, 9, 3, 1, 2>(), kernel_of<7, 9, 3, 1, 2, true>()},
        {kernel_of<8, 9, 1, 1, 4>(), kernel_of<8, 10, 1, 1, 4>(),
         kernel_of<8, 10, 1, 1, 4, true>()},
    };
    return &kernels[mesh->order - 2][mesh->mass ? 2 : mesh->gauss != 0];
}

struct cells {
    struct cgs_queue *queue;
    bool shared; /* other ranks have parts of the sums */
    const struct cells_kernel *kernel;
    struct cells_division division; /* the first table and sides: owned, in device memory */
};

int64_t tiles_of(const struct cgs_mesh *mesh, int k)
{
    const struct cells_kernel *kernel = kernel_for(mesh);
    const int64_t wide = mesh->order * (k == 0 ? kernel->x : kernel->y);
    return (mesh->n[k] + wide) / wide;
}

/* Returns the layers of cells of a block: chunks of some 64 planes of nodes, shorter ones where
 * there are few tiles, but of two layers. */
int64_t chunk_of(const struct cgs_mesh *mesh)
{
    enum { BLOCKS = 2048, LONGEST = 64 };
    const int p = mesh->order;
    const int64_t cells = (mesh->n[2] + 1) / p, tiles = tiles_of(mesh, 0) * tiles_of(mesh, 1);
    int64_t chunks = (cells * p + LONGEST - 1) / LONGEST;
    chunks = cgs_most(chunks, (BLOCKS + tiles - 1) / tiles);
    chunks = cgs_least(cgs_least(chunks, (cells + 1) / 2), CGS_MOST_BLOCKS / tiles);
    return (cells + chunks - 1) / chunks;
}

/* Divides the box by the mesh alone, so that products have the same bits on every device and any
 * number of ranks, and sums on every device. */
struct cells_division divide(const struct cgs_mesh *mesh, const struct cgs_planes_here *here)
{
    const struct cells_kernel *kernel = kernel_for(mesh);
    const int p = mesh->order;
    struct cells_division d = {};
    d.tiles_x = (int)tiles_of(mesh, 0);
    d.tiles_y = (int)tiles_of(mesh, 1);
    d.chunk = (int)chunk_of(mesh);
    d.first = (int)(here->first / p % d.chunk);
    d.begin = d.first * p;
    d.low = (int)here->low;
    d.high = (int)here->high;
    d.owned = d.first + (int)((here->count + p - 1) / p);
    d.chunks = (d.first + (d.high + p - 1) / p + d.chunk - 1) / d.chunk;
    d.pitch = march_pitch(mesh->n[0]);
    d.plane = d.pitch * mesh->n[1];
    cells_divide_vectors(mesh->n, kernel->x * p, kernel->y * p, d.chunk * p, &d);
    return d;
}

/* Returns the planes of `rows` rows of a rank that has yet to be made, where they take the most
 * blocks. */
struct cgs_planes_here planes_foreseen(const struct cgs_mesh *mesh, int64_t rows)
{
    const bool part = rows < cgs_mesh_rows(mesh);
    struct cgs_planes_here here = {};
    here.first = part ? (chunk_of(mesh) - 1) * mesh->order : 0;
    here.count = rows / cgs_mesh_plane(mesh);
    here.high = here.count + (part ? mesh->order : 0);
    return here;
}

int64_t blocks_of(const struct cells_division &d)
{
    return (int64_t)d.tiles_x * d.tiles_y * d.chunks;
}

enum cgs_status multiply(const struct cells *cells, struct cgs_queue *queue, enum mode m,
                         struct fields fields, struct cgs_cg_state *state, enum cgs_sum sum)
{
    const struct cells_division &d = cells->division;
    const struct cells_kernel *kernel = cells->kernel;
    if (m == DIRECTION)
        fields.x = fields.z;
    return cgs_launch_early_blocks(
        queue, "cells of order p", kernel->multiply,
        {.count = blocks_of(d), .threads = kernel->threads, .shared = kernel->shared}, d, m, fields,
        state, sum, queue->partials, queue->ticket);
}

enum cgs_status finish_product(const struct cells *cells, struct cgs_queue *queue,
                          const struct cgs_cg_state *state, real *y)
{
    const struct cells_division &d = cells->division;
    const int64_t *n = d.form.n, most = cgs_most((d.tiles_x - 1) * n[1] * n[2],
                                                 cgs_most((d.tiles_y - 1) * n[0] * n[2],
                                                          (d.chunks - 1) * n[0] * n[1]));
    if (most == 0)
        return CGS_OK;
    return cgs_launch(queue, "sides of cells", order_cells_finish, cgs_blocks_for(queue, most), d,
                      y, state);
}

template <enum mode M>
enum cgs_status update(const struct cells *cells, struct cgs_queue *queue,
                       const struct fields &fields, struct cgs_cg_state *state)
{
    const struct cells_division &d = cells->division;
    const int64_t packs = d.plane / (int)WIDE * d.form.n[2];
    const bool shared = M == LATE && cells->shared; /* else the caller reduces */
    const struct cgs_sum_way way = cgs_sum_way_of(queue, shared);
    const bool complete = !shared || way.ranks > 1;
    CGS_TRY(cgs_launch(queue, "update of cells", order_cells_update<M>, cells_update_blocks(packs),
                       d, fields, state, complete, way, queue->partials, queue->ticket));
    return complete ? CGS_OK : cgs_cuda_add_ranks(queue, state, CGS_SUM_RR, 1, true);
}

struct cells_steps {
    template <enum mode M>
    static enum cgs_status march(const void *self, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const struct fields &fields,
                                 bool, enum cgs_sum sum)
    {
        const struct cells *cells = static_cast<const struct cells *>(self);
        struct cgs_cg_state *const changed = const_cast<struct cgs_cg_state *>(state);
        if constexpr (updates(M)) {
            return update<M>(cells, queue, fields, changed);
        } else if constexpr (reads_b(M)) {
            struct fields of_product = fields, after = fields;
            of_product.y = after.q = M == RELAX ? fields.q : fields.y;
            CGS_TRY(multiply(cells, queue, APPLY, of_product, changed, sum));
            return update<M>(cells, queue, after, changed);
        } else {
            CGS_TRY(multiply(cells, queue, M, fields, changed, sum));
            return M == DIRECTION ? CGS_OK : finish_product(cells, queue, state, fields.y);
        }
    }

    static int64_t numbers(const void *self)
    {
        const struct cells_division &d = static_cast<const struct cells *>(self)->division;
        return d.plane * d.form.n[2];
    }
};

using steps = march_steps<cells_steps>;

/* Lets the form have this rank's layers of cells and planes alone. */
void take_part(const struct cgs_planes_here *here, struct cells_division *d)
{
    struct cgs_order_form *form = &d->form;
    const int64_t before = here->first / form->order - d->first;
    real **const tables[] = {form->wave, form->step, form->middle, form->excess};
    for (real **table : tables)
        table[2] += before;
    form->n[2] = here->count;
    form->cells[2] = d->first + (d->high + form->order - 1) / form->order;
}

enum cgs_status send(struct cells *made, const struct cgs_mesh *mesh)
{
    struct cgs_queue *queue = made->queue;
    struct cells_division *d = &made->division;
    const int64_t numbers = cgs_order_tables(mesh);
    real *there, *room;
    CGS_TRY(cgs_cuda_alloc(queue, blocks_of(*d) * d->side, sizeof(real), "sides of cells",
                           (void **)&d->sides));
    CGS_TRY(cgs_cuda_alloc(queue, numbers, sizeof(real), "tables of cells", (void **)&there));
    d->form.wave[0] = there;
    CGS_TRY(cgs_alloc(queue->context, numbers, sizeof(real), "tables of cells", (void **)&room));
    cgs_order_form_make(mesh, room, &d->form);
    for (int k = 0; k < 3; k++)
        d->factor[k] = d->form.factor[k] / d->form.factor[0];
    cgs_order_form_place(there, &d->form);
    const enum cgs_status status =
        cgs_cuda_send(queue, there, room, numbers * (int64_t)sizeof(real));
    cgs_free(queue->context, room);
    return status;
}

} // namespace

static enum cgs_status accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    CGS_TRY(cgs_order_cells_accepts_equal(context, matrix));
    if (tiles_of(matrix->mesh, 0) * tiles_of(matrix->mesh, 1) > CGS_MOST_BLOCKS)
        return cgs_fail(context, CGS_USAGE, "planes of %lld by %lld unknowns have too many tiles",
                        (long long)matrix->mesh->n[0], (long long)matrix->mesh->n[1]);
    return CGS_OK;
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const struct cgs_planes_here here = planes_foreseen(matrix->mesh, matrix->rows);
    const struct cells_division d = divide(matrix->mesh, &here);
    cgs_plan_add(plan, CGS_HOST, "cells", 1, sizeof(struct cells));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "tables of cells", cgs_order_tables(matrix->mesh),
                 sizeof(real));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "sides of cells", blocks_of(d) * d.side, sizeof(real));
}

static void release(void *self)
{
    struct cells *cells = static_cast<struct cells *>(self);
    cgs_cuda_free(cells->queue, cells->division.form.wave[0]);
    cgs_cuda_free(cells->queue, cells->division.sides);
    cgs_free(cells->queue->context, cells);
}

static enum cgs_status let_share(struct cgs_queue *queue, const struct cgs_mesh *mesh)
{
    const struct cells_kernel *kernel = kernel_for(mesh);
    const int64_t there = cgs_cuda_device(queue)->properties.sharedMemPerBlockOptin;
    if (kernel->shared > there)
        return cgs_fail(queue->context, CGS_DEVICE,
                        "cells of order %d want %lld KiB of shared memory a block, and this device "
                        "has %lld: take \1backend=cpu",
                        mesh->order, (long long)(kernel->shared >> 10), (long long)(there >> 10));
    CGS_CUDA_TRY(queue->context,
                 cudaFuncSetAttribute(kernel->multiply, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)kernel->shared));
    return CGS_OK;
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    const struct cgs_planes_here here = cgs_planes_of(matrix->source->portion, matrix->mesh->n);
    struct cells *made;
    CGS_TRY(let_share(queue, matrix->mesh));
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "cells", (void **)&made));
    *made = {};
    made->queue = queue;
    made->kernel = kernel_for(matrix->mesh);
    made->shared = matrix->source->portion != NULL;
    made->division = divide(matrix->mesh, &here);
    const enum cgs_status status = send(made, matrix->mesh);
    if (status == CGS_OK) {
        take_part(&here, &made->division);
        *self = made;
    } else {
        release(made);
    }
    return status;
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_order_cells) = {
    .capturable = true,
    .reproducible = true,
    .by_rows = true,
    .shared = true,
    .entryless = true,
    .work_vectors = 1, /* a second direction */
    .accepts = accepts,
    .plan = plan,
    .layout = march_layout,
    .prepare = prepare,
    .traffic = cgs_order_cells_traffic,
    .steps = {.apply = steps::apply,
              .apply_dot = steps::apply_dot,
              .residual = steps::residual,
              .relax_with = steps::relax_with,
              .direction_apply_dot = steps::direction_apply_dot,
              .update = steps::update,
              .update_conclude = steps::update_conclude,
              .update_conclude_moves = {3, 1.5, 0},
              .finish = steps::finish,
              .release = release},
};
