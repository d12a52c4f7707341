/* y = A x on the box of order p > 1 whose matrix is a star, without a matrix, on CUDA, and CG's
 * steps fused with it (order.cuh). */
#include "base/memory.h"
#include "fem/element/order_line.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/matrix_free/chunks.h"
#include "kernels/matrix_free/free.h"
#include "kernels/matrix_free/march_steps.cuh"
#include "kernels/matrix_free/order.cuh"

namespace
{

/* Tunable: shapes by order, of 6 to 14 measured on an H200 at 2e7 and 1.3e8 unknowns the quickest
 * within the 99 KiB of shared memory that all devices from sm_80 on have
 * (bench/results/2026-11-28-order-cuda.md). */
constexpr struct {
    int cells_x, cells_y, batch, threads, blocks;
} shape[CGS_ORDER_MOST + 1] = {
    {},
    {},
    {32, 8, 2, 512, 2},
    {16, 6, 3, 448, 2},
    {8, 4, 2, 512, 2},
    {6, 3, 3, 480, 2},
    {4, 3, 3, 448, 2},
    {4, 2, 4, 416, 2},
    {4, 2, 4, 512, 2},
};
/* Single precision has kernels of all faces alone, which take 3 to 6 % longer on an H200. */
template <int P, bool OPEN>
using shape_of = order_shape<P, shape[P].cells_x, shape[P].cells_y, shape[P].batch,
                             shape[P].threads, shape[P].blocks, true,
                             OPEN || sizeof(real) == sizeof(float)>;
constexpr int LONGEST = 128; /* planes of a chunk */

struct order {
    struct cgs_queue *queue;
    struct order_division division;
    const real *direction[3]; /* factors, each cell once */
    bool shared;              /* other ranks have parts of the sums */
    const struct order_form *form;
    real *tables; /* owned; factors, masses and factors of DIRECTION of x, y, z */
    real k[CGS_NODES_MOST * CGS_NODES_MOST]; /* as order_box.k */
};

/* Functions and sizes of an order, which is a parameter of templates. */
struct order_form {
    int x, y, blocks; /* unknowns of a tile; resident blocks a multiprocessor */
    int64_t shared;   /* most bytes of shared memory of a block */
    enum cgs_status (*ready)(struct cgs_context *context);
    enum cgs_status (*march)(const struct order *order, struct cgs_queue *queue, enum mode mode,
                             const struct fields &fields, struct cgs_cg_state *state,
                             enum cgs_sum sum);
};

template <enum mode KERNEL, class SHAPE> constexpr int64_t shared_of()
{
    return KERNEL == DIRECTION ? order_direction_shared<SHAPE>() : order_march_shared<SHAPE>();
}

template <enum mode KERNEL, class SHAPE> enum cgs_status opt_in(struct cgs_context *context)
{
    CGS_CUDA_TRY(context, cudaFuncSetAttribute(order_march<KERNEL, SHAPE>,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               (int)shared_of<KERNEL, SHAPE>()));
    return CGS_OK;
}

/* Lets the kernels of an order have their shared memory; loads them, too. */
template <int P, bool OPEN> enum cgs_status ready(struct cgs_context *context)
{
    using shape = shape_of<P, OPEN>;
    CGS_TRY((opt_in<RELAX, shape>(context)));
    CGS_TRY((opt_in<DIRECTION, shape>(context)));
    return opt_in<LATE, shape>(context);
}

template <enum mode KERNEL, int P, bool OPEN>
enum cgs_status launch(const struct order *order, struct cgs_queue *queue, enum mode mode,
                       const struct fields &fields, struct cgs_cg_state *state, enum cgs_sum sum)
{
    using shape = shape_of<P, OPEN>;
    const struct order_division &d = order->division;
    const struct cgs_launch_shape blocks = {.count = (int64_t)d.tiles_x * d.tiles_y * d.chunks,
                                            .threads = shape::THREADS,
                                            .shared = shared_of<KERNEL, shape>()};
    struct order_box<P> box = {
    };
    const bool shared =
        order->shared && (mode == DIRECTION || updates(mode)); /* else the caller reduces */
    const struct cgs_sum_way way = cgs_sum_way_of(queue, shared);
    const bool complete = !shared || way.ranks > 1;
    static_cast<struct order_division &>(box) = d;
    for (int k = 0; k < 3 && KERNEL == DIRECTION; k++)
        box.factor[k] = order->direction[k];
    for (int i = 0; i < (P + 1) * (P + 1); i++)
        box.k[i] = order->k[i];
    CGS_TRY(cgs_launch_early_blocks(queue, "order", order_march<KERNEL, shape>, blocks, box, mode,
                                    fields, state, complete, sum, way, queue->partials,
                                    queue->ticket));
    return complete ? CGS_OK : cgs_cuda_add_ranks(queue, state, sum, 1, mode == LATE);
}

template <int P, bool OPEN>
enum cgs_status march(const struct order *order, struct cgs_queue *queue, enum mode mode,
                      const struct fields &fields, struct cgs_cg_state *state, enum cgs_sum sum)
{
    const enum mode kernel = order_kernel(mode);
    return (kernel == DIRECTION ? launch<DIRECTION, P, OPEN>
            : kernel == LATE    ? launch<LATE, P, OPEN>
                                : launch<RELAX, P, OPEN>)(order, queue, mode, fields, state, sum);
}

template <int P, bool OPEN> constexpr struct order_form form_of()
{
    using shape = shape_of<P, OPEN>;
    const int64_t products = order_march_shared<shape>(),
                  direction = order_direction_shared<shape>();
    return {shape::X, shape::Y, shape::FIT, products > direction ? products : direction,
            ready<P, OPEN>, march<P, OPEN>};
}

template <bool OPEN> struct order_forms {
    static constexpr struct order_form of[CGS_ORDER_MOST + 1] = {
        {}, {}, form_of<2, OPEN>(), form_of<3, OPEN>(), form_of<4, OPEN>(), form_of<5, OPEN>(),
        form_of<6, OPEN>(), form_of<7, OPEN>(), form_of<8, OPEN>()};
};

const struct order_form &form_for(const struct cgs_mesh *mesh)
{
    const bool open = cgs_mesh_open(mesh) || mesh->reaction != 0.0;
    return (open ? order_forms<true>::of : order_forms<false>::of)[mesh->order];
}

struct order_steps {
    template <enum mode M>
    static enum cgs_status march(const void *self, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const struct fields &fields,
                                 bool, enum cgs_sum sum)
    {
        const struct order *order = static_cast<const struct order *>(self);
        return order->form->march(order, queue, M, fields, const_cast<struct cgs_cg_state *>(state),
                                  sum);
    }

    static int64_t numbers(const void *self)
    {
        const struct order_division &d = static_cast<const struct order *>(self)->division;
        return d.plane * d.n[2];
    }
};

using steps = march_steps<order_steps>;

/* Returns the numbers of the first cell before unknown 0 (order.cuh). */
int shift_of(const struct cgs_mesh *mesh, int k)
{
    return mesh->open[k] & 1 ? mesh->order - 1 : 0;
}

enum { TABLES = 9 }; /* three a direction */

/* Numbers of a table: those of the longest direction, to the end of the last tile and further. */
int64_t table_length(const struct cgs_mesh *mesh)
{
    const struct order_form &form = form_for(mesh);
    int64_t most = 0;
    for (int k = 0; k < 3; k++)
        most = mesh->n[k] > most ? mesh->n[k] : most;
    return most + form.x + form.y + 2 * mesh->order;
}

/* factor, direction: of the cells of order.cuh. */
void fill_factors(const struct cgs_mesh *mesh, const struct cgs_order_line *line, real *factor,
                  real *direction)
{
    const int64_t before = line->first == 0; /* a cell */
    const double end = 0.5 * line->length * line->stiff[0];
    for (int64_t c = 0; c < line->cells; c++)
        factor[before + c] = direction[before + c] =
            (real)(mesh->scale * 2.0 / (line->length * cgs_order_stretch(line, c)));
    for (int side = 0; side < 2 && !cgs_periodic(line->open); side++) {
        const int64_t c = side == 0 ? 0 : before + line->cells;
        if (line->transfer[side] != 0.0)
            factor[c] = direction[c] = (real)(mesh->scale * line->transfer[side] / end);
    }
    if (cgs_periodic(line->open))
        factor[0] = factor[line->cells];
}

void fill_tables(const struct cgs_mesh *mesh, real *tables, real *stiff)
{
    const int64_t length = table_length(mesh);
    const int p = mesh->order;
    for (int k = 0; k < 3; k++) {
        struct cgs_order_line line;
        cgs_order_line_make(mesh, k, &line);
        fill_factors(mesh, &line, tables + k * length, tables + (6 + k) * length);
        for (int64_t i = 0; i < line.n; i++)
            tables[(3 + k) * length + shift_of(mesh, k) + i] = (real)cgs_order_mass(&line, i);
        for (int a = 0; a <= p && k == 0; a++)
            for (int b = 0; b <= p; b++)
                stiff[a * (p + 1) + b] =
                    (real)(0.5 * line.length * line.stiff[a * CGS_NODES_MOST + b]);
    }
}

/* Leaves planes and a cell that other ranks have out of masses along z and sums of DIRECTION. */
void keep_part(const struct cgs_mesh *mesh, const struct cgs_planes_here *here, real *tables)
{
    const int64_t length = table_length(mesh);
    real *const mass = tables + 5 * length + shift_of(mesh, 2);
    for (int64_t z = 0; z < mesh->n[2]; z++)
        if (z < here->first || z >= here->first + here->count)
            mass[z] = 0;
    if (here->low < 0 && mesh->open[2] & 1)
        tables[8 * length + here->first / mesh->order] = 0;
}

enum cgs_status send_tables(const struct cgs_matrix *matrix, struct order *made)
{
    struct cgs_queue *queue = made->queue;
    const struct cgs_mesh *mesh = matrix->mesh;
    const struct cgs_planes_here here = cgs_planes_of(matrix->source->portion, mesh->n);
    const int64_t first = here.first;
    const int64_t length = table_length(mesh), all = TABLES * length;
    real *tables;
    CGS_TRY(cgs_cuda_alloc(queue, all, sizeof(real), "tables of the mesh",
                           (void **)&made->tables));
    CGS_TRY(cgs_alloc(queue->context, all, sizeof(real), "tables of the mesh", (void **)&tables));
    for (int64_t i = 0; i < all; i++)
        tables[i] = 0;
    fill_tables(mesh, tables, made->k);
    keep_part(mesh, &here, tables);
    const enum cgs_status status =
        cgs_cuda_send(queue, made->tables, tables, all * (int64_t)sizeof(real));
    cgs_free(queue->context, tables);
    for (int k = 0; k < 3; k++) {
        const int64_t cell = k == 2 ? first / mesh->order : 0, number = k == 2 ? first : 0;
        made->division.factor[k] = made->tables + k * length + cell;
        made->division.mass[k] = made->tables + (3 + k) * length + shift_of(mesh, k) + number;
        made->direction[k] = made->tables + (6 + k) * length + cell;
    }
    return status;
}

/* Returns the numbers of a direction from its first cell's on, as far as cells have a share. */
int64_t numbers_along(const struct cgs_mesh *mesh, int k, int64_t n, bool ends)
{
    return shift_of(mesh, k) + n + (ends && mesh->transfer[k][1] != 0.0);
}

/* Ranks own whole cells of z, without node 0, or, where the face z0 is free, without the last. */
struct order_division divide(const struct cgs_queue *queue, const struct cgs_matrix *matrix)
{
    const struct cgs_mesh *mesh = matrix->mesh;
    const struct cgs_planes_here here = cgs_planes_of(matrix->source->portion, mesh->n);
    const struct order_form &form = form_for(mesh);
    const int64_t slots =
        (int64_t)form.blocks * cgs_cuda_device(queue)->properties.multiProcessorCount;
    struct order_division d = {};
    for (int k = 0; k < 3; k++) {
        d.n[k] = (int)mesh->n[k];
        d.shift[k] = shift_of(mesh, k);
        d.period[k] = cgs_periodic(mesh->open[k]) ? (int)mesh->n[k] : 0;
    }
    d.n[2] = (int)here.count;
    d.reaction = (real)(mesh->scale * mesh->reaction);
    d.low = (int)here.low;
    d.high = (int)here.high;
    d.pitch = march_pitch(d.n[0]);
    d.plane = d.pitch * d.n[1];
    d.tiles_x = (int)((numbers_along(mesh, 0, d.n[0], true) + form.x - 1) / form.x);
    d.tiles_y = (int)((numbers_along(mesh, 1, d.n[1], true) + form.y - 1) / form.y);
    d.cells = (int)((numbers_along(mesh, 2, d.n[2], here.first + here.count == mesh->n[2]) +
                     mesh->order - 1) /
                    mesh->order);
    d.chunks = cgs_choose_chunks(d.cells, (int64_t)d.tiles_x * d.tiles_y, slots, CGS_MOST_BLOCKS, 1,
                                 LONGEST / mesh->order);
    return d;
}

} // namespace

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "order", 1, sizeof(struct order));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "tables of the mesh", TABLES * table_length(matrix->mesh),
                 sizeof(real));
}

static void release(void *self)
{
    struct order *order = static_cast<struct order *>(self);
    cgs_cuda_free(order->queue, order->tables);
    cgs_free(order->queue->context, order);
}

static enum cgs_status check_device(struct cgs_queue *queue, const struct cgs_mesh *mesh)
{
    const int64_t there = cgs_cuda_device(queue)->properties.sharedMemPerBlockOptin;
    const int64_t wanted = form_for(mesh).shared;
    if (wanted <= there)
        return CGS_OK;
    return cgs_fail(queue->context, CGS_DEVICE,
                    "cells of order %d want %lld KiB of shared memory a block, and this device has "
                    "%lld: take \1backend=cpu",
                    mesh->order, (long long)(wanted >> 10), (long long)(there >> 10));
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    const struct cgs_mesh *mesh = matrix->mesh;
    struct order *made;
    CGS_TRY(check_device(queue, mesh));
    CGS_TRY(form_for(mesh).ready(queue->context));
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "order", (void **)&made));
    *made = {};
    made->queue = queue;
    made->form = &form_for(mesh);
    made->division = divide(queue, matrix);
    made->shared = matrix->source->portion != NULL;
    const enum cgs_status status = send_tables(matrix, made);
    if (status == CGS_OK)
        *self = made;
    else
        release(made);
    return status;
}

/* The multiply-adds of order.cuh, and those of masses and factors. */
static struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    const int64_t p = matrix->mesh->order;
    struct cgs_traffic traffic = cgs_free_traffic(matrix);
    traffic.operations = matrix->rows * (6 * (p + 1) * (p + 1) / p + 6);
    return traffic;
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_order) = {
    .capturable = true,
    .reproducible = true,
    .shared = true,
    .accepts = cgs_order_accepts,
    .plan = plan,
    .layout = march_layout,
    .prepare = prepare,
    .traffic = traffic,
    .steps = {.completes = true,
              .apply = steps::apply,
              .apply_dot = steps::apply_dot,
              .residual = steps::residual,
              .residual_norm = steps::residual_norm,
              .relax = steps::relax,
              .direction_apply_dot = steps::direction_apply_dot,
              .update = steps::update,
              .update_conclude = steps::update_conclude,
              .direction_moves = {2, 1, 1},
              .update_moves = {3, 2, 1},
              .update_conclude_moves = {2.5, 1.5, 1},
              .finish = steps::finish,
              .release = release},
};
