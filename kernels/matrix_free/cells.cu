/* y = A x cell by cell, for any mesh and coefficient, on CUDA (cells.cuh). */
#include "base/memory.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/mesh.cuh"
#include "kernels/matrix_free/cells.cuh"
#include "kernels/matrix_free/chunks.h"
#include "kernels/matrix_free/free.h"

namespace
{

struct cells {
    struct cgs_queue *queue;
    struct grid grid; /* grid.wave, grid.mesh.kappa.cells: owned, in device memory */
};

/* Length of the tables: cells in any direction to the end of the last band, and one band more. */
int64_t table_length(const struct cgs_mesh *mesh)
{
    return cgs_cell_table(mesh) + 2 * ROWS;
}

struct grid make_grid(const struct cgs_queue *queue, const struct cgs_matrix *matrix)
{
    const struct cgs_mesh *mesh = matrix->mesh;
    const struct cgs_planes_here here = cgs_planes_of(matrix->source->portion, mesh->n);
    const int64_t processors = cgs_cuda_device(queue)->properties.multiProcessorCount;
    const int n[2] = {(int)mesh->n[0], (int)mesh->n[1]};
    struct grid grid = {};
    grid.mesh = *mesh;
    grid.mesh.kappa.cells = nullptr;
    grid.n[0] = n[0];
    grid.n[1] = n[1];
    grid.planes = (int)here.count;
    grid.below = (int)here.first;
    grid.low = (int)here.low;
    grid.high = (int)here.high;
    grid.bands = (n[1] + ROWS - 1) / ROWS;
    for (int k = 0; k < 3; k++) {
        grid.periodic[k] = cgs_periodic(mesh->open[k]);
        grid.around = grid.around || grid.periodic[k];
    }
    grid.tiles = (grid.bands * (n[0] + 1 + grid.periodic[0]) + WIDTH - 1) / WIDTH;
    grid.chunks = cgs_choose_chunks(grid.planes, grid.tiles, FIT * WARPS * processors,
                                    (int64_t)CGS_MOST_BLOCKS * WARPS, 1, grid.planes);
    grid.over = cgs_cell_over(mesh);
    grid.sigma = (real)cgs_rule_point(mesh->quadrature);
    grid.weight = cgs_cell_weight(mesh);
    cgs_cell_factors(mesh, grid.factor);
    grid.open = cgs_mesh_open(mesh) || mesh->kappa.mass;
    cgs_face_factors(mesh, grid.face);
    cgs_cell_parts(mesh, grid.part);
    return grid;
}

struct fields fields_of(const void *x, void *y)
{
    struct fields f = {};
    f.x = static_cast<const real *>(x);
    f.y = static_cast<real *>(y);
    return f;
}

template <enum mode M>
enum cgs_status launch_multiply(const void *self, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const struct fields &fields,
                                enum cgs_sum sum, const char *name)
{
    const struct grid &grid = static_cast<const struct cells *>(self)->grid;
    const bool deformed = grid.mesh.deform != 0.0;
    const int64_t warps = (int64_t)grid.tiles * grid.chunks;
    return cgs_launch_early(queue, name,
                            grid.mesh.kappa.reaction      ? multiply<REACTION, M>
                            : grid.mesh.kappa.orthotropic ? multiply<ORTHOTROPIC, M>
                            : grid.mesh.kappa.kind == CGS_KAPPA_CELLS
                                ? (deformed ? multiply<DEFORMED_CELLS, M> : multiply<CELLS, M>)
                            : deformed                                 ? multiply<DEFORMED, M>
                            : grid.mesh.kappa.kind == CGS_KAPPA_SMOOTH ? multiply<SMOOTH, M>
                            : cgs_mesh_cubic(&grid.mesh)               ? multiply<CUBES, M>
                                                                       : multiply<BOXES, M>,
                            (warps + WARPS - 1) / WARPS, grid, fields,
                            const_cast<struct cgs_cg_state *>(state), sum, queue->partials,
                            queue->ticket);
}

} // namespace

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "cells", 1, sizeof(struct cells));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "tables of the mesh", table_length(matrix->mesh),
                 2 * sizeof(real));
    if (matrix->mesh->kappa.kind == CGS_KAPPA_CELLS)
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "kappa", cgs_cuda_mesh_numbers(matrix->mesh),
                     sizeof(double));
}

static void layout(const struct cgs_matrix *matrix, struct cgs_layout *domain,
                   struct cgs_layout *range)
{
    domain->plane = range->plane = cgs_mesh_plane(matrix->mesh);
}

static void release(void *self)
{
    struct cells *cells = static_cast<struct cells *>(self);
    cgs_cuda_mesh_release(cells->queue, &cells->grid.mesh);
    cgs_cuda_free(cells->queue, const_cast<real *>(cells->grid.wave));
    cgs_free(cells->queue->context, cells);
}

/* In all directions alike where the mesh is deformed; on other meshes nothing uses the wave. */
static enum cgs_status send_wave(struct cells *cells)
{
    struct cgs_queue *queue = cells->queue;
    const struct cgs_mesh *mesh = &cells->grid.mesh;
    const int64_t length = table_length(mesh);
    real *wave, *there;
    CGS_TRY(cgs_cuda_alloc(queue, length, 2 * sizeof(real), "tables of the mesh", (void **)&there));
    cells->grid.wave = there;
    CGS_TRY(
        cgs_alloc(queue->context, length, 2 * sizeof(real), "tables of the mesh", (void **)&wave));
    for (int64_t i = 0; i < length; i++) {
        double value = 0.0, step = 0.0;
        if (i <= mesh->n[0])
            cgs_mesh_wave(mesh, 0, i, &value, &step);
        wave[2 * i] = (real)value;
        wave[2 * i + 1] = (real)step;
    }
    const enum cgs_status status =
        cgs_cuda_send(queue, there, wave, length * 2 * (int64_t)sizeof(real));
    cgs_free(queue->context, wave);
    return status;
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cells *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "cells", (void **)&made));
    *made = {};
    made->queue = queue;
    made->grid = make_grid(queue, matrix);
    enum cgs_status status = send_wave(made);
    if (status == CGS_OK)
        status = cgs_cuda_mesh_create(queue, matrix->mesh, &made->grid.mesh);
    if (status == CGS_OK)
        *self = made;
    else
        release(made);
    return status;
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return launch_multiply<APPLY>(self, queue, state, fields_of(x, y), CGS_SUM_NOWHERE, "cells");
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return launch_multiply<APPLY_DOT>(self, queue, state, fields_of(x, y), sum, "cells with dot");
}

static enum cgs_status residual(const void *self, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const void *b, const void *x,
                                void *r)
{
    struct fields f = fields_of(x, r);
    f.b = static_cast<const real *>(b);
    return launch_multiply<RESIDUAL>(self, queue, state, f, CGS_SUM_NOWHERE, "cells with residual");
}

static enum cgs_status relax(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step)
{
    struct fields f = fields_of(step->x, step->y);
    f.b = static_cast<const real *>(step->b);
    f.d = static_cast<const real *>(step->d);
    f.on_x = (real)step->on_x;
    f.on_y = (real)step->on_y;
    f.c = (real)step->c;
    return launch_multiply<RELAX>(self, queue, state, f, CGS_SUM_NOWHERE, "cells with relaxation");
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_cells) = {
    .capturable = true,
    .reproducible = true,
    .by_rows = true,
    .shared = true,
    .entryless = true,
    .accepts = cgs_free_accepts,
    .plan = plan,
    .layout = layout,
    .prepare = prepare,
    .traffic = cgs_free_traffic,
    .steps = {.apply = apply,
              .apply_dot = apply_dot,
              .residual = residual,
              .relax = relax,
              .release = release},
};
