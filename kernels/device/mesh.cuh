/* A mesh that kernels can read: kappa of each cell (CGS_KAPPA_CELLS) in device memory. */
#pragma once

#include "fem/box.h"
#include "kernels/device/cuda.cuh"
#include "kernels/device/memory_cuda.cuh"

/* Numbers of kappa on the device; 0 unless it is an array. On several ranks all of the box. */
static inline int64_t cgs_cuda_mesh_numbers(const struct cgs_mesh *mesh)
{
    return mesh->kappa.kind == CGS_KAPPA_CELLS ? cgs_mesh_all_cells(mesh) * cgs_mesh_numbers(mesh)
                                               : 0;
}

/* Gives a mesh up; an unmade one, without kappa, is allowed. */
static inline void cgs_cuda_mesh_release(struct cgs_queue *queue, struct cgs_mesh *there)
{
    cgs_cuda_free(queue, const_cast<double *>(there->kappa.cells));
    there->kappa.cells = nullptr;
}

/* Makes *there, the same mesh with a copy of kappa, which it owns. CGS_MEMORY, CGS_DEVICE: then
 * without one. */
static inline enum cgs_status
cgs_cuda_mesh_create(struct cgs_queue *queue, const struct cgs_mesh *mesh, struct cgs_mesh *there)
{
    const int64_t numbers = cgs_cuda_mesh_numbers(mesh);
    void *kappa;
    *there = *mesh;
    there->kappa.cells = nullptr;
    if (numbers == 0)
        return CGS_OK;
    CGS_TRY(cgs_cuda_alloc(queue, numbers, sizeof(double), "kappa", &kappa));
    there->kappa.cells = static_cast<const double *>(kappa);
    const enum cgs_status status =
        cgs_cuda_send(queue, kappa, mesh->kappa.cells, numbers * (int64_t)sizeof(double));
    if (status != CGS_OK)
        cgs_cuda_mesh_release(queue, there);
    return status;
}

/* Element matrices of all classes of cells (cgs_cell_class) for the number 1 in kappa. */
struct cgs_cuda_classes {
    double value[4][8]; /* by a ^ b */
    /* The first by directions, and the mass matrix: where kappa is orthotropic. */
    double part[CGS_MOST_NUMBERS][8];
};

static inline struct cgs_cuda_classes cgs_cuda_classes_of(const struct cgs_mesh *mesh)
{
    struct cgs_cuda_classes classes;
    cgs_box_classes(mesh, classes.value[0]);
    for (int k = 0; k < 3; k++)
        cgs_box_face_classes(mesh, k, classes.value[1 + k]);
    for (int k = 0; k < CGS_MOST_NUMBERS; k++)
        for (int b = 0; b < 8; b++)
            classes.part[k][b] = cgs_box_part(mesh, k, b);
    return classes;
}
