/* Grids of a box as multigrid holds them (hierarchy.h). */
#pragma once

#include "core/setup/spec.h"
#include "matrix/crs.h"
#include "matrix/matrix.h"
#include "matrix/ranks/cut.h"
#include "solver/multigrid.h"

/* Origin of a bound of the eigenvalues of D^-1 A: the matrix of a cube's cell, steps of CG, or
 * coarser grids. */
enum cgs_bound { CGS_BOUND_PROVEN, CGS_BOUND_ESTIMATED, CGS_BOUND_COARSER };

struct cgs_hierarchy {
    int count;
    /* coarser grids have Galerkin products: level[l > 0] has neither source nor matrix */
    bool galerkin;
    struct cgs_level {
        struct cgs_mesh mesh;
        double *kappa; /* owned, of a coarser grid; NULL where it is no number a cell */
        struct cgs_row_source source;  /* of the whole grid */
        const struct cgs_portion *cut; /* of the finest grid's operator; borrowed, NULL: alone */
        struct cgs_portion portion;    /* of this rank's rows; empty: each rank has all of them */
        struct cgs_row_source owned;   /* these rows */
        struct cgs_matrix matrix;
        struct cgs_operator op;     /* of the finest grid perhaps CG's own: then `borrowed` */
        struct cgs_operator jacobi; /* empty where the diagonal is constant */
        bool borrowed;
        struct cgs_transfer transfer; /* to the next coarser grid; empty of the coarsest */
        struct cgs_traffic product;   /* of A x */
        enum cgs_bound bound;
        double high; /* of the eigenvalues of D^-1 A; 0 of the coarsest grid */
    } level[CGS_GRIDS];
    struct cgs_multigrid *multigrid;
    struct cgs_crs coarsest; /* its rows where `galerkin`, while the hierarchy is made */
    double galerkin_seconds; /* of drawing A and P, products, and the way to the host */
};

/* Lets sums on a coarser grid, of rows, go by planes, at which ranks are cut. */
static inline void cgs_level_sum_by_planes(struct cgs_level *level)
{
    const int64_t plane = cgs_mesh_plane(&level->mesh);
    level->op.domain.layout.plane = level->op.range.layout.plane = plane;
}
