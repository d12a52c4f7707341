/* Shared by the matrix-free operators on CPU and CUDA: which matrices they accept, and the traffic
 * of a product. Plain C, included by .cu files, too.
 *
 * They are kernels of format CGS_NONE: the matrix has no entries, only matrix->mesh
 * (fem/element.h), and their sums are in `real`, whatever the type of entries would be.
 */
#ifndef CGS_KERNELS_MATRIX_FREE_FREE_H
#define CGS_KERNELS_MATRIX_FREE_FREE_H

#include "fem/element.h"
#include "kernels/kernel.h"
#include "kernels/precision.h"
#include "matrix/ranks/portion.h"

/* Planes of a rank, counted from its first one: planes low ... high - 1 of a vector can be read, those beyond
 * lie on the boundary. */
struct cgs_planes_here {
    int64_t first, count; /* first: in the box */
    int64_t low, high;
};

/* portion NULL: all n planes. */
static inline struct cgs_planes_here cgs_planes_of(const struct cgs_portion *portion, int64_t n)
{
    const int64_t first = portion ? portion->first / (n * n) : 0;
    const int64_t count = portion ? portion->count / (n * n) : n;
    struct cgs_planes_here here;
    here.first = first;
    here.count = count;
    here.low = first > 0 ? -1 : 0;
    here.high = first + count < n ? count + 1 : count;
    return here;
}

/* Accepts any matrix that has a mesh. */
static inline enum cgs_status cgs_free_accepts(struct cgs_context *context,
                                               const struct cgs_matrix *matrix)
{
    if (!matrix->mesh)
        return cgs_fail(context, CGS_USAGE,
                        "it computes from the mesh of the box, and this matrix has none");
    return CGS_OK;
}

/* Accepts a mesh whose cells are all equal: the matrix is a stencil. */
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

/* Traffic without entries: x read, y written. */
static inline struct cgs_traffic cgs_free_traffic(const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic;
    traffic.matrix = 0;
    traffic.padding = 0;
    traffic.vectors = (matrix->columns + matrix->rows) * (int64_t)sizeof(real);
    traffic.additions = matrix->nonzeros;
    return traffic;
}

/* Four numbers of the stencil: centre, face, edge, corner. */
static inline void cgs_stencil_numbers(const struct cgs_mesh *mesh, real number[4])
{
    double exact[4];
    cgs_mesh_stencil(mesh, exact);
    for (int distance = 0; distance < 4; distance++)
        number[distance] = (real)exact[distance];
}

/* factor[c] = lambda / 8 of cgs_cell_plain, for w with c bits: lambda = sum_b K_0b (-1)^(common
 * bits of b and w). K_0b is the stencil's number divided by the 8 / 2^bits cells that two such
 * nodes share. */
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

/* Weight of cgs_cell_deformed for kappa = 1: (h/2) / 64, with the scale of the matrix. */
static inline real cgs_cell_weight(const struct cgs_mesh *mesh)
{
    return (real)(mesh->scale * mesh->h / 128.0);
}

#endif
