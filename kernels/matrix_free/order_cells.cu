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

template <int P, int Q, int TX, int TY, int FIT, enum cells_of OF = FORMULAS>
struct cells_kernel kernel_of()
{
    using shape = cells_shape<P, Q, TX, TY, FIT, OF>;
    return {order_cells<shape>, TX, TY, shape::THREADS, shape::SHARED};
}

/* Returns true if the matrix is by numbers of kappa and lengths, has free faces or a diagonal of
 * its own. */
bool by_numbers(const struct cgs_mesh *mesh)
{
    return cgs_order_cells_numbered(mesh) || cgs_order_cells_lumped(mesh);
}

/* Returns true if that diagonal has a number of each unknown. */
bool by_diagonal(const struct cgs_mesh *mesh)
{
    return cgs_order_cells_lumped(mesh) && (mesh->kappa.varying || mesh->gauss);
}

/* The rule of the nodes and Gauss's; Gauss's of the mass matrix; both by numbers. */
enum kind { NODES, GAUSS, GAUSS_MASS, NODES_BY_NUMBERS, GAUSS_BY_NUMBERS, KINDS };

enum kind kind_of(const struct cgs_mesh *mesh)
{
    if (mesh->mass)
        return GAUSS_MASS;
    if (by_numbers(mesh))
        return mesh->gauss ? GAUSS_BY_NUMBERS : NODES_BY_NUMBERS;
    return mesh->gauss ? GAUSS : NODES;
}

struct cells_kernels {
    struct cells_kernel of[KINDS];
};

/* Cells of a block and blocks of a multiprocessor by the rule of the nodes, then by Gauss's. */
template <int P, int TX, int TY, int FIT, int GAUSS_TX, int GAUSS_TY, int GAUSS_FIT>
struct cells_kernels kernels_of()
{
    return {{kernel_of<P, P + 1, TX, TY, FIT>(),
             kernel_of<P, P + 2, GAUSS_TX, GAUSS_TY, GAUSS_FIT>(),
             kernel_of<P, P + 2, GAUSS_TX, GAUSS_TY, GAUSS_FIT, VALUES>(),
             kernel_of<P, P + 1, TX, TY, FIT, NUMBERS>(),
             kernel_of<P, P + 2, GAUSS_TX, GAUSS_TY, GAUSS_FIT, NUMBERS>()}};
}

/* By order. Tunable: within 96 KiB of shared memory, which all devices but sm_75 have, the fastest
 * iterations of CG on an H200 at 2e7 and 1e8 unknowns; those of the mass matrix have the shapes of
 * Gauss's, and those by numbers the ones of formulas, not yet chosen by time. */
const struct cells_kernel *kernel_for(const struct cgs_mesh *mesh)
{
    static const struct cells_kernels kernels[CGS_ORDER_MOST - 1] = {
        kernels_of<2, 8, 4, 2, 4, 2, 5>(), kernels_of<3, 4, 2, 4, 5, 1, 4>(),
        kernels_of<4, 5, 1, 4, 3, 1, 4>(), kernels_of<5, 2, 2, 3, 3, 1, 3>(),
        kernels_of<6, 3, 1, 3, 2, 1, 4>(), kernels_of<7, 2, 1, 4, 3, 1, 2>(),
        kernels_of<8, 1, 1, 4, 1, 1, 4>(),
    };
    return &kernels[mesh->order - 2].of[kind_of(mesh)];
}

struct cells {
    struct cgs_queue *queue;
    bool shared; /* other ranks have parts of the sums */
    const struct cells_kernel *kernel;
    struct cells_division division; /* first table, sides and kappa: owned, in device memory */
};

int64_t cells_of_line(const struct cgs_mesh *mesh, int k)
{
    return cgs_mesh_cells(mesh, k) / mesh->order;
}

int64_t tiles_of(const struct cgs_mesh *mesh, int k)
{
    const struct cells_kernel *kernel = kernel_for(mesh);
    const int64_t wide = k == 0 ? kernel->x : kernel->y;
    return (cells_of_line(mesh, k) + wide - 1) / wide;
}

/* Returns the layers of cells of a block: chunks of some 64 planes of nodes, shorter ones where
 * there are few tiles, but of two layers. */
int64_t chunk_of(const struct cgs_mesh *mesh)
{
    enum { BLOCKS = 2048, LONGEST = 64 };
    const int p = mesh->order;
    const int64_t cells = cells_of_line(mesh, 2), tiles = tiles_of(mesh, 0) * tiles_of(mesh, 1);
    int64_t chunks = (cells * p + LONGEST - 1) / LONGEST;
    chunks = cgs_most(chunks, (BLOCKS + tiles - 1) / tiles);
    chunks = cgs_least(cgs_least(chunks, (cells + 1) / 2), CGS_MOST_BLOCKS / tiles);
    return (cells + chunks - 1) / chunks;
}

/* Returns the end of the layers that have so many planes of this rank. */
int layers_to(const struct cells_division &d, int64_t planes)
{
    const int p = d.form.order;
    return d.mine + (int)((planes - 1 + d.held[2] + p - 1) / p);
}

/* Divides the box by the mesh alone, so that products have the same bits on every device and any
 * number of ranks, and sums on every device. */
struct cells_division divide(const struct cgs_mesh *mesh, const struct cgs_planes_here *here)
{
    const struct cells_kernel *kernel = kernel_for(mesh);
    const int p = mesh->order;
    struct cells_division d = {};
    d.form.order = p;
    d.tiles_x = (int)tiles_of(mesh, 0);
    d.tiles_y = (int)tiles_of(mesh, 1);
    d.chunk = (int)chunk_of(mesh);
    const int below = here->low < 0 && mesh->open[2] & 1; /* a layer */
    d.first = (int)((here->first / p - below) % d.chunk);
    d.mine = d.first + below;
    d.begin = d.mine * p;
    d.low = (int)here->low;
    d.high = (int)here->high;
    for (int k = 0; k < 3; k++) {
        d.held[k] = !(mesh->open[k] & 1);
        d.period[k] = cgs_periodic(mesh->open[k]) ? (int)mesh->n[k] : 0;
    }
    d.owned = layers_to(d, here->count);
    d.chunks = (layers_to(d, d.high) + d.chunk - 1) / d.chunk;
    d.pitch = march_pitch(mesh->n[0]);
    d.plane = d.pitch * mesh->n[1];
    cells_divide_vectors(mesh->n, kernel->x * p, kernel->y * p, d.chunk * p, &d);
    return d;
}

/* Returns the planes of `rows` rows of a rank that has yet to be made, where they take the most
 * blocks. */
struct cgs_planes_here planes_foreseen(const struct cgs_mesh *mesh, int64_t rows)
{
    const bool part = rows < cgs_mesh_rows(mesh), open = mesh->open[2] & 1;
    struct cgs_planes_here here = {};
    here.first = part ? (chunk_of(mesh) - !open) * mesh->order : 0;
    here.count = rows / cgs_mesh_plane(mesh);
    here.low = part && open ? -mesh->order : 0;
    here.high = here.count + (!part ? 0 : open ? 1 : mesh->order);
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
    const int64_t *n = d.form.n, rows = n[0] * n[1] * n[2];
    int64_t most = 0;
    for (int k = 0; k < 3; k++)
        most = cgs_most(most, cells_planes_between(d, k) * (rows / n[k]));
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

/* Returns the first layer of the first block in the box. */
int64_t blocks_begin(const struct cgs_planes_here *here, const struct cells_division &d)
{
    return here->first / d.form.order - d.mine;
}

/* Lets the form have this rank's layers of cells and planes alone. */
void take_part(const struct cgs_planes_here *here, struct cells_division *d)
{
    struct cgs_order_form *form = &d->form;
    real **const tables[] = {form->wave, form->step, form->middle, form->excess, form->length};
    for (real **table : tables)
        table[2] += blocks_begin(here, *d);
    form->n[2] = here->count;
    form->cells[2] = layers_to(*d, d->high);
}

/* Returns the numbers of a line of cells. */
int64_t kappa_line(const struct cgs_mesh *mesh)
{
    return cells_of_line(mesh, 0) * mesh->kappa.points * mesh->kappa.points * mesh->kappa.points;
}

/* Returns the numbers of kappa in device memory in a direction: those of the layers here. */
int64_t kappa_numbers(const struct cgs_mesh *mesh, const struct cells_division &d)
{
    const int64_t here = layers_to(d, d.high) - d.first;
    return mesh->kappa.kind == CGS_KAPPA_CELLS
               ? kappa_line(mesh) * cells_of_line(mesh, 1) * cgs_least(here, cells_of_line(mesh, 2))
               : 0;
}

int64_t kappa_directions(const struct cgs_mesh *mesh)
{
    return mesh->kappa.orthotropic ? 3 : 1;
}

/* Returns the numbers of a piece of kappa on its way: whole lines of cells. */
int64_t kappa_piece(const struct cgs_mesh *mesh, const struct cells_division &d)
{
    enum { PIECE = 1 << 17 };
    const int64_t line = kappa_line(mesh), all = kappa_numbers(mesh, d);
    return all == 0 ? 0 : cgs_least(all, cgs_most(1, PIECE / line) * line);
}

/* Sends `all` numbers of kappa in pieces by way of `room`: the points of a cell, which are apart on
 * the host (cgs_order_kappa_place), side by side. */
enum cgs_status send_pieces(struct cgs_queue *queue, const struct cgs_mesh *mesh, int64_t piece,
                            real *room, const double *from, int64_t all, real *to)
{
    const int64_t across = cells_of_line(mesh, 0);
    const int64_t line = kappa_line(mesh), points = line / across;
    for (int64_t at = 0; at < all; at += piece) {
        const int64_t count = cgs_least(piece, all - at);
#pragma omp parallel for num_threads(queue->context->threads) schedule(static)
        for (int64_t row = 0; row < count / across; row++) {
            real *const out = room + row / points * line + row % points;
            for (int64_t cell = 0; cell < across; cell++)
                out[cell * points] = (real)from[at + row * across + cell];
        }
        CGS_TRY(cgs_cuda_send(queue, to + at, room, count * (int64_t)sizeof(real)));
    }
    return CGS_OK;
}

/* Sets kappa of the layers here. */
enum cgs_status send_kappa(struct cgs_queue *queue, const struct cgs_mesh *mesh,
                           const struct cgs_planes_here *here, struct cells_division *d)
{
    const int64_t part = kappa_numbers(mesh, *d), directions = kappa_directions(mesh);
    const int64_t piece = kappa_piece(mesh, *d), layer = kappa_line(mesh) * cells_of_line(mesh, 1);
    const int64_t first = (blocks_begin(here, *d) + d->first) * layer;
    real *kappa, *room;
    if (part == 0)
        return CGS_OK;
    d->points = (int)(kappa_line(mesh) / cells_of_line(mesh, 0));
    d->all = directions > 1 ? part : 0;
    CGS_TRY(cgs_cuda_alloc(queue, directions * part, sizeof(real), "kappa", (void **)&kappa));
    d->kappa = kappa;
    CGS_TRY(
        cgs_alloc(queue->context, piece, sizeof(real), "kappa of lines of cells", (void **)&room));
    enum cgs_status status = CGS_OK;
    for (int64_t k = 0; k < directions && status == CGS_OK; k++)
        status = send_pieces(queue, mesh, piece, room,
                             mesh->kappa.cells + k * layer * cells_of_line(mesh, 2) + first, part,
                             kappa + k * part);
    cgs_free(queue->context, room);
    return status;
}

/* Returns the planes of the diagonal that are sent at once: some 1e5 numbers, or one plane. */
int64_t planes_at_once(const struct cells_division &d, int64_t planes)
{
    enum { PIECE = 1 << 17 };
    return cgs_least(planes, cgs_most(1, PIECE / d.plane));
}

/* Sets the diagonal's numbers. */
enum cgs_status send_diagonal(struct cgs_queue *queue, const struct cgs_mesh *mesh,
                              const struct cgs_planes_here *here, struct cells_division *d)
{
    const int64_t most = planes_at_once(*d, here->count);
    enum cgs_status status = CGS_OK;
    real *diagonal, *room;
    if (!by_diagonal(mesh))
        return CGS_OK;
    CGS_TRY(cgs_cuda_alloc(queue, d->plane * here->count, sizeof(real), "reaction and transfer",
                           (void **)&diagonal));
    d->diagonal = diagonal;
    CGS_TRY(cgs_alloc(queue->context, d->plane * most, sizeof(real),
                      "reaction and transfer of planes", (void **)&room));
    for (int64_t z = 0; z < here->count && status == CGS_OK; z += most) {
        const int64_t planes = cgs_least(most, here->count - z);
        cgs_order_lumped_planes(queue->context->threads, mesh, here->first + z, planes, d->pitch,
                                room);
        status = cgs_cuda_send(queue, diagonal + z * d->plane, room,
                               planes * d->plane * (int64_t)sizeof(real));
    }
    cgs_free(queue->context, room);
    return status;
}

/* Sets the numbers of reaction and transfer, on faces along z of the ranks that have them. */
void set_lumped(const struct cgs_mesh *mesh, const struct cgs_planes_here *here,
                struct cells_division *d)
{
    const struct cgs_mesh cells = cgs_order_mesh_of_cells(mesh);
    const double *const h = cells.h;
    const int64_t begin = blocks_begin(here, *d), end = begin + layers_to(*d, d->high);
    d->lumped = cgs_order_cells_lumped(mesh) && !by_diagonal(mesh);
    d->reaction = (real)(mesh->scale * mesh->reaction * 0.125 * h[0] * h[1] * h[2]);
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++)
            d->transfer[k][side] = (real)(mesh->scale * mesh->transfer[k][side] * 0.25 *
                                          h[(k + 1) % 3] * h[(k + 2) % 3]);
    if (begin > 0)
        d->transfer[2][0] = 0;
    if (end < cells_of_line(mesh, 2))
        d->transfer[2][1] = 0;
}

enum cgs_status send(struct cells *made, const struct cgs_mesh *mesh,
                     const struct cgs_planes_here *here)
{
    struct cgs_queue *queue = made->queue;
    struct cells_division *d = &made->division;
    const int64_t numbers = cgs_order_tables(mesh);
    real *there, *room;
    CGS_TRY(cgs_cuda_alloc(queue, blocks_of(*d) * d->side, sizeof(real), "sides of cells",
                           (void **)&d->sides));
    CGS_TRY(cgs_cuda_alloc(queue, numbers, sizeof(real), "tables of cells", (void **)&there));
    d->form.wave[0] = there;
    CGS_TRY(send_kappa(queue, mesh, here, d));
    CGS_TRY(send_diagonal(queue, mesh, here, d));
    set_lumped(mesh, here, d);
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
    const struct cgs_mesh *mesh = matrix->mesh;
    CGS_TRY(cgs_order_cells_accepts(context, matrix));
    if (by_numbers(mesh) && (mesh->deform != 0.0 || mesh->kappa.kind == CGS_KAPPA_SMOOTH ||
                             mesh->kappa.kind == CGS_KAPPA_JUMP))
        return cgs_fail(context, CGS_USAGE,
                        "it computes numbers of kappa, graded cells, free faces and reactions of "
                        "the undeformed box: take \1backend=cpu");
    if (tiles_of(mesh, 0) * tiles_of(mesh, 1) > CGS_MOST_BLOCKS)
        return cgs_fail(context, CGS_USAGE, "planes of %lld by %lld unknowns have too many tiles",
                        (long long)mesh->n[0], (long long)mesh->n[1]);
    return CGS_OK;
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const struct cgs_planes_here here = planes_foreseen(matrix->mesh, matrix->rows);
    const struct cells_division d = divide(matrix->mesh, &here);
    cgs_plan_add(plan, CGS_HOST, "cells", 1, sizeof(struct cells));
    cgs_plan_add(plan, CGS_HOST, "kappa of lines of cells", kappa_piece(matrix->mesh, d),
                 sizeof(real));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "tables of cells", cgs_order_tables(matrix->mesh),
                 sizeof(real));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "sides of cells", blocks_of(d) * d.side, sizeof(real));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "kappa",
                 kappa_directions(matrix->mesh) * kappa_numbers(matrix->mesh, d), sizeof(real));
    if (!by_diagonal(matrix->mesh))
        return;
    cgs_plan_add(plan, CGS_HOST, "reaction and transfer of planes",
                 d.plane * planes_at_once(d, here.count), sizeof(real));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "reaction and transfer", d.plane * here.count,
                 sizeof(real));
}

static struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic = cgs_order_cells_traffic(matrix, sizeof(real));
    if (by_diagonal(matrix->mesh))
        traffic.matrix += matrix->rows * (int64_t)sizeof(real);
    return traffic;
}

static void release(void *self)
{
    struct cells *cells = static_cast<struct cells *>(self);
    cgs_cuda_free(cells->queue, cells->division.form.wave[0]);
    cgs_cuda_free(cells->queue, cells->division.sides);
    cgs_cuda_free(cells->queue, const_cast<real *>(cells->division.kappa));
    cgs_cuda_free(cells->queue, const_cast<real *>(cells->division.diagonal));
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
    const enum cgs_status status = send(made, matrix->mesh, &here);
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
    .traffic = traffic,
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
