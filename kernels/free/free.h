/* What matrix-free operators share, on the CPU and on CUDA: which matrices they take, and what a
 * product moves. Plain C that .cu files include, too.
 *
 * They are kernels of format CGS_NONE: the matrix has no entries, only matrix->mesh
 * (fem/element.h), and their sums are in `real`, whatever the type of entries would be.
 */
#ifndef CGS_KERNELS_FREE_FREE_H
#define CGS_KERNELS_FREE_FREE_H

#include "fem/element.h"
#include "kernels/kernel.h"
#include "kernels/precision.h"

/* A mesh is all that it takes. */
static inline enum cgs_status cgs_free_accepts(struct cgs_context *context,
                                               const struct cgs_matrix *matrix)
{
    if (!matrix->mesh)
        return cgs_fail(context, CGS_USAGE,
                        "it computes from the mesh of the box, and this matrix has none");
    return CGS_OK;
}

/* All cells have to be alike: the matrix is a stencil. */
static inline enum cgs_status cgs_stencil_accepts(struct cgs_context *context,
                                                  const struct cgs_matrix *matrix)
{
    CGS_TRY(cgs_free_accepts(context, matrix));
    if (!cgs_mesh_plain(matrix->mesh))
        return cgs_fail(context, CGS_USAGE,
                        "the matrix is a stencil only on the undeformed cube with kappa = 1, and "
                        "%s: take kernel 'cells'",
                        matrix->mesh->deform != 0.0 ? "this mesh is deformed"
                                                    : "here kappa varies");
    return CGS_OK;
}

/* No entries: x read, y written. */
static inline struct cgs_traffic cgs_free_traffic(const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic;
    traffic.matrix = 0;
    traffic.padding = 0;
    traffic.vectors = (matrix->columns + matrix->rows) * (int64_t)sizeof(real);
    traffic.additions = matrix->nonzeros;
    return traffic;
}

/* The four numbers of the stencil as the kernel takes them: centre, face, edge, corner. */
static inline void cgs_stencil_numbers(const struct cgs_mesh *mesh, real number[4])
{
    double exact[4];
    cgs_mesh_stencil(mesh, exact);
    for (int distance = 0; distance < 4; distance++)
        number[distance] = (real)exact[distance];
}

#endif
