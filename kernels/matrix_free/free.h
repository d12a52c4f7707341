/* Shared by the matrix-free operators on CPU and CUDA: which matrices they accept, and the traffic
 * of a product. Plain C, included by .cu files, too.
 *
 * They are kernels of format CGS_NONE: the matrix has no entries, only matrix->mesh
 * (fem/element/element.h), and their sums are in `real`, whatever the type of entries would be.
 */
#pragma once

#include "fem/box.h"
#include "fem/element/element.h"
#include "fem/element/order_cells.h"
#include "fem/element/stencil.h"
#include "kernels/kernel.h"
#include "kernels/precision.h"
#include "kernels/queue.h"
#include "matrix/ranks/portion.h"

/* Planes of a rank, counted from its first one: planes low ... high - 1 of a vector can be read,
 * those beyond lie on the boundary. Planes inner_first ... inner_last - 1 read no ghosts. */
struct cgs_planes_here {
    int64_t first, count; /* first: in the box */
    int64_t low, high;
    int64_t inner_first, inner_last;
};

/* n: unknowns in x, y, z; portion NULL: all planes. */
static inline struct cgs_planes_here cgs_planes_of(const struct cgs_portion *portion,
                                                   const int64_t n[3])
{
    const int64_t plane = n[0] * n[1];
    struct cgs_planes_here here = {0, n[2], 0, n[2], 0, n[2]};
    if (!portion)
        return here;
    here.first = portion->first / plane;
    here.count = portion->count / plane;
    here.low = -(portion->below / plane);
    here.high = here.count + portion->above / plane;
    here.inner_first = (portion->inner_first + plane - 1) / plane;
    here.inner_last = portion->inner_last / plane;
    return here;
}

/* Accepts any matrix that has a mesh; a deformed one only where its cells were cubes, and no
 * face is free. */
static inline enum cgs_status cgs_free_accepts(struct cgs_context *context,
                                               const struct cgs_matrix *matrix)
{
    if (!matrix->mesh)
        return cgs_fail(context, CGS_USAGE,
                        "it computes from the mesh of the box, and this matrix has none");
    if (matrix->mesh->order > 1)
        return cgs_fail(context, CGS_USAGE,
                        "it computes cells of order 1, and those of this mesh have order %d",
                        matrix->mesh->order);
    if (matrix->mesh->deform != 0.0 && !cgs_mesh_cubic(matrix->mesh))
        return cgs_fail(context, CGS_USAGE,
                        "it computes a deformed mesh only on a cube with equal numbers of unknowns "
                        "in x, y and z");
    if (matrix->mesh->deform != 0.0 && cgs_mesh_open(matrix->mesh))
        return cgs_fail(context, CGS_USAGE, "it computes no free faces of a deformed mesh");
    if (matrix->mesh->n[2] > CGS_PARTIALS)
        return cgs_fail(context, CGS_USAGE,
                        "it adds up sums of at most %d planes, and the box has %lld",
                        (int)CGS_PARTIALS, (long long)matrix->mesh->n[2]);
    return CGS_OK;
}

/* Accepts a mesh of order p > 1 whose matrix is a star. */
static inline enum cgs_status cgs_order_accepts(struct cgs_context *context,
                                                const struct cgs_matrix *matrix)
{
    if (!matrix->mesh || matrix->mesh->order < 2)
        return cgs_fail(context, CGS_USAGE,
                        "it computes from the mesh of a box of order 2 or more, and this matrix "
                        "has none");
    if (!cgs_order_star(matrix->mesh))
        return cgs_fail(context, CGS_USAGE,
                        "the matrix is a star only on the undeformed box with kappa = 1 and the "
                        "rule of the nodes: take kernel 'order_cells'");
    return CGS_OK;
}

/* Tiles of a plane that kernels can add up, and the smallest that they have. */
enum { CGS_MOST_TILES = 1 << 20, CGS_LEAST_WIDE = 64, CGS_LEAST_HIGH = 16 };

/* Accepts a mesh whose cells are all equal: the matrix is a stencil. */
static inline enum cgs_status cgs_stencil_accepts(struct cgs_context *context,
                                                  const struct cgs_matrix *matrix)
{
    CGS_TRY(cgs_free_accepts(context, matrix));
    if (!cgs_mesh_plain(matrix->mesh))
        return cgs_fail(context, CGS_USAGE,
                        "the matrix is a stencil only on the undeformed box with kappa = 1, and "
                        "%s: take kernel 'cells'",
                        matrix->mesh->deform != 0.0   ? "this mesh is deformed"
                        : cgs_mesh_open(matrix->mesh) ? "here faces are free"
                        : matrix->mesh->kappa.kind == CGS_KAPPA_CELLS
                            ? "here each cell has a kappa of its own"
                            : "here kappa varies");
    const int64_t *n = matrix->mesh->n;
    if ((n[0] / CGS_LEAST_WIDE + 1) * (n[1] / CGS_LEAST_HIGH + 1) > CGS_MOST_TILES)
        return cgs_fail(context, CGS_USAGE, "planes of %lld by %lld unknowns have too many tiles",
                        (long long)n[0], (long long)n[1]);
    return CGS_OK;
}

/* Traffic without entries: x read, y written; operations those of the entries. */
static inline struct cgs_traffic cgs_free_traffic(const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic;
    traffic.matrix = 0;
    traffic.padding = 0;
    traffic.vectors = (matrix->columns + matrix->rows) * (int64_t)sizeof(real);
    traffic.operations = 2 * matrix->nonzeros;
    return traffic;
}

/* Eight numbers of the stencil, by the bits of the directions (cgs_mesh_stencil). */
static inline void cgs_stencil_numbers(const struct cgs_mesh *mesh, real number[8])
{
    double exact[8];
    cgs_mesh_stencil(mesh, exact);
    for (int b = 0; b < 8; b++)
        number[b] = (real)exact[b];
}

/* Returns true if numbers of as many directions are equal: then kernels share sums of y and z. */
static inline int cgs_stencil_cubic(const real number[8])
{
    return number[1] == number[2] && number[2] == number[4] && number[3] == number[5] &&
           number[5] == number[6];
}

/* Returns lambda_w / 8: lambda_w = sum_b K_0b (-1)^(common bits of b and w); entry[b]: K_0b of
 * the element matrix, times the scale. */
static inline real cgs_cell_factor(const double entry[8], double scale, int w)
{
    double lambda = 0.0;
    for (int b = 0; b < 8; b++) {
        const int common = b & w, odd = (common ^ common >> 1 ^ common >> 2) & 1;
        lambda += (odd ? -1.0 : 1.0) * (scale * entry[b]);
    }
    return (real)(lambda / 8.0);
}

/* Factors of cgs_cell_plain. Where cells are cubes, those of as many bits are equal to the bit. */
static inline void cgs_cell_factors(const struct cgs_mesh *mesh, real factor[8])
{
    double entry[8];
    cgs_box_classes(mesh, entry);
    for (int w = 0; w < 8; w++) {
        const int bits = (w & 1) + (w >> 1 & 1) + (w >> 2);
        factor[w] = cgs_cell_factor(entry, mesh->scale, cgs_mesh_cubic(mesh) ? (1 << bits) - 1 : w);
    }
}

/* Factors of cgs_cell_orthotropic. */
static inline void cgs_cell_parts(const struct cgs_mesh *mesh, real part[CGS_MOST_NUMBERS][8])
{
    for (int k = 0; k < CGS_MOST_NUMBERS; k++) {
        double entry[8];
        for (int b = 0; b < 8; b++)
            entry[b] = cgs_box_part(mesh, k, b);
        for (int w = 0; w < 8; w++)
            part[k][w] =
                k == CGS_REACTION || w >> k & 1 ? cgs_cell_factor(entry, mesh->scale, w) : 0;
    }
}

/* Factors of cgs_cell_face: of void cells outside a free face of each direction and, at
 * CGS_REACTION, of cells of the term c u alone; that of w = 0 is not zero. */
static inline void cgs_face_factors(const struct cgs_mesh *mesh, real factor[CGS_MOST_NUMBERS][8])
{
    double entry[8];
    for (int k = 0; k < CGS_MOST_NUMBERS; k++) {
        if (k < CGS_REACTION)
            cgs_box_face_classes(mesh, k, entry);
        for (int b = 0; b < 8 && k == CGS_REACTION; b++)
            entry[b] = cgs_box_part(mesh, CGS_REACTION, b);
        for (int w = 0; w < 8; w++)
            factor[k][w] = cgs_cell_factor(entry, mesh->scale, w);
    }
}

/* Returns the class of the cells of a line in x (cgs_cell_class), but for its ends. */
static inline int cgs_cell_class_of_line(const struct cgs_mesh *mesh, int64_t cy, int64_t cz)
{
    const int64_t c[3] = {0, cy, cz};
    int found = 0;
    for (int k = 1; k < 3; k++)
        if (cgs_mesh_void(mesh, k, c[k]))
            found = 1 + k;
    return found;
}

/* Weight of cgs_cell_deformed for kappa = 1: (h/2) / 64, with the scale of the matrix. Cells of
 * a deformed mesh are cubes but for the deformation. */
static inline real cgs_cell_weight(const struct cgs_mesh *mesh)
{
    return (real)(mesh->scale * mesh->h[0] / 128.0);
}

/* A/h of cgs_cell_line_of, where A is the displacement in space. */
static inline real cgs_cell_over(const struct cgs_mesh *mesh)
{
    return (real)(mesh->deform * mesh->size[0] / mesh->h[0]);
}

/* Length of tables by cells of a direction, the same for all three. */
static inline int64_t cgs_cell_table(const struct cgs_mesh *mesh)
{
    const int64_t xy = mesh->n[0] > mesh->n[1] ? mesh->n[0] : mesh->n[1];
    return (xy > mesh->n[2] ? xy : mesh->n[2]) + 1;
}
