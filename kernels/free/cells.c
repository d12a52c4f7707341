/* y = A x cell by cell, for any mesh and coefficient. */
#include "base/memory.h"
#include "kernels/free/free.h"
#include "kernels/vector/sum_cpu.h"

struct cells {
    struct cgs_context *context;
    struct cgs_mesh mesh;
};

static double row(const struct cgs_mesh *mesh, int64_t ix, int64_t iy, int64_t iz, const real *x)
{
    const int64_t n = mesh->n;
    double sum = 0.0;
    for (int q = 0; q < 8; q++) {
        const int64_t cx = ix + (q & 1), cy = iy + (q >> 1 & 1), cz = iz + (q >> 2);
        const struct cgs_cell_wave wave = cgs_mesh_cell_wave(mesh, cx, cy, cz);
        double corner[24], element[CGS_PACKED];
        cgs_mesh_corners(mesh, cx, cy, cz, corner);
        cgs_element_stiffness(corner, mesh->quadrature, cgs_cell_kappa(mesh, cx, cy, cz, &wave),
                              element);
        for (int b = 0; b < 8; b++) {
            const int64_t jx = cx + (b & 1) - 1, jy = cy + (b >> 1 & 1) - 1, jz = cz + (b >> 2) - 1;
            if (jx >= 0 && jx < n && jy >= 0 && jy < n && jz >= 0 && jz < n)
                sum += element[cgs_packed(7 ^ q, b)] * (double)x[(jz * n + jy) * n + jx];
        }
    }
    return mesh->scale * sum;
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct cgs_mesh *mesh = &((const struct cells *)self)->mesh;
    const int64_t n = mesh->n;
    if (state && !cgs_cg_going_on(state))
        return CGS_OK;
#pragma omp parallel for num_threads(queue->context->threads) schedule(static)
    for (int64_t i = 0; i < n * n * n; i++)
        ((real *)y)[i] = (real)row(mesh, i % n, i / n % n, i / (n * n), x);
    return CGS_OK;
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan_out)
{
    (void)matrix;
    cgs_plan_add(plan_out, CGS_HOST, "cells", 1, sizeof(struct cells));
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cells *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "cells", (void **)&made));
    *made = (struct cells){.context = queue->context, .mesh = *matrix->mesh};
    *self = made;
    return CGS_OK;
}

static void release(void *self)
{
    struct cells *made = self;
    if (made)
        cgs_free(made->context, made);
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_cells) = {
    .reproducible = true,
    .entryless = true,
    .accepts = cgs_free_accepts,
    .plan = plan,
    .prepare = prepare,
    .traffic = cgs_free_traffic,
    .steps = {.apply = apply, .release = release},
};
