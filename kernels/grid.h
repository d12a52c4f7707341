/* Grid operations of multigrid on a device: transfers between two grids, and the dense inverse
 * of the coarsest grid. One table a device and number type.
 *
 * Grids are those of a box with n unknowns in each direction, x fastest, zero on the boundary but
 * for free faces (fem/element/element.h), in reference coordinates: a deformed mesh is treated as
 * the cube. P is trilinear interpolation from the coarse grid, the tensor product over the
 * directions, each with n and m of its own, of
 *
 *     (P c)_i = (1 - w_i) c_l + w_i c_(l+1),   l = floor(t_i), w_i = t_i - l, t_i = (i + 1) (m + 1) / (n + 1) - 1
 *
 * (i, l from 0; c_-1 = c_m = 0), for nested grids and others, and as kernels/grid/line.h says where
 * a face is free; the identity in a direction with m = n. Between orders on the same cells P is
 * the interpolation of the polynomials of the coarse order (kernels/grid/orders.h). The restriction
 * is its transpose. All
 * steps queue their work and return; they are no-ops once the state has a reason to stop, and a
 * NULL state always runs.
 */
#pragma once

#include <stdint.h>

#include "base/linkage.h"
#include "kernels/space.h"

CGS_BEGIN_C

/* Two grids of fine_n and coarse_n numbers in x, y, z: in each direction equal, which is not
 * coarsened, or coarse_n < fine_n, twice the fine cells (n + 1 less the free faces) at most 5
 * times the coarse ones. On several ranks a space has a portion of its grid's rows, or all of
 * them; a transfer then finds the numbers that it reads in the vectors' room beside the owned
 * ones. */
struct cgs_grid_pair {
    const struct cgs_space *fine, *coarse; /* any layout; read in create only */
    /* Orders of the cells. fine_order p above 1: the coarse one is (p + 1) / 2, on the same cells,
     * of which a portion has whole layers along z, without their lowest plane or, where the low
     * face is free, without their highest one. */
    int fine_order, coarse_order;
    int64_t fine_n[3], coarse_n[3];
    int open[3];         /* free faces of both, as in struct cgs_mesh */
    int64_t first, last; /* restricts to coarse planes first ... last - 1, alone to all */
};

struct cgs_multigrid_ops {
    /* Creates the transfer between two grids. *transfer is owned by the caller. */
    enum cgs_status (*transfer_create)(const struct cgs_grid_pair *pair, void **transfer);
    void (*transfer_release)(void *transfer); /* NULL is allowed */
    /* c = P'f */
    enum cgs_status (*restrict_to)(const void *transfer, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c);
    /* f = P c, or f = f + P c */
    enum cgs_status (*prolong)(const void *transfer, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f);

    /* Creates a dense symmetric matrix of n = space->size rows on a space of any layout; `entries`
     * is copied. *dense is owned by the caller. */
    enum cgs_status (*dense_create)(const struct cgs_space *space, const double *entries,
                                    void **dense);
    void (*dense_release)(void *dense); /* NULL is allowed */
    /* y = D x */
    enum cgs_status (*dense_apply)(const void *dense, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *x, void *y);

    /* Copies the owned numbers of a vector of any layout to `natural`, in natural order, and
     * back. `natural` is a rank's part of a vector that it has as a whole, and begins at any
     * number. */
    enum cgs_status (*part_put)(const struct cgs_space *space, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const void *x, void *natural);
    enum cgs_status (*part_get)(const struct cgs_space *space, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const void *natural, void *x);
};

CGS_END_C
