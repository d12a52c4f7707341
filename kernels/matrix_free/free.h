/* What matrix-free operators share, on the CPU and on CUDA: which matrices they take, and what a
 * product moves. Plain C that .cu files include, too.
 *
 * They are kernels of format CGS_NONE: the matrix has no entries, only matrix->mesh
 * (fem/element.h), and their sums are in `real`, whatever the type of entries would be.
 */
#ifndef CGS_KERNELS_MATRIX_FREE_FREE_H
#define CGS_KERNELS_MATRIX_FREE_FREE_H

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

/* factor[c] = lambda / 8 of cgs_cell_plain: lambda of a w with c bits: sum_b K_0b (-1)^(bits that b and w share); K_0b is the stencil's
 * number over the 8 / 2^bits cells that two such nodes share. */
static inline void cgs_cell_factors(const struct cgs_mesh *mesh, real factor[4])
{
    const struct cgs_mesh plain = cgs_mesh_cube(mesh->n, mesh->quadrature, mesh->scale);
    double number[4];
    cgs_mesh_stencil(&plain, number);
    for (int c = 0; c < 4; c++) {
        double lambda = 0.0;
        for (int b = 0; b < 8; b++) {
            const int bits = (b & 1) + (b >> 1 & 1) + (b >> 2), w = (1 << c) - 1;
            const int odd = ((b & w) ^ (b & w) >> 1 ^ (b & w) >> 2) & 1;
            lambda += (odd ? -1.0 : 1.0) * number[bits] / (8 >> bits);
        }
        factor[c] = (real)(lambda / 8.0);
    }
}

/* cgs_cell_deformed's weight for kappa = 1: (h/2) / 64, scaled as the matrix is. */
static inline real cgs_cell_weight(const struct cgs_mesh *mesh)
{
    return (real)(mesh->scale * mesh->h / 128.0);
}

#endif
