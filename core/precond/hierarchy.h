/* The grids of multigrid for the box: meshes of about half the intervals each, their matrices
 * discretised anew in the run's format (or none), or Galerkin products (--coarse), diagonals and
 * eigenvalue bounds, made into a solver/multigrid.h. */
#ifndef CGS_CORE_PRECOND_HIERARCHY_H
#define CGS_CORE_PRECOND_HIERARCHY_H

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
        struct cgs_traffic product; /* of A x */
        enum cgs_bound bound;
        double high; /* of the eigenvalues of D^-1 A; 0 of the coarsest grid */
    } level[CGS_GRIDS];
    struct cgs_multigrid *multigrid;
    struct cgs_crs coarsest; /* its rows where `galerkin`, while the hierarchy is made */
    double galerkin_seconds; /* of drawing A and P, products, and the way to the host */
};

/* Returns the next coarser grid: (n + 1) / 2 intervals, rounded up, in each direction whose
 * cells are not much longer than the shortest ones, the others as they are (semi-coarsening):
 * smoothers leave alone what varies slowly along short sides only. */
struct cgs_mesh cgs_coarser(const struct cgs_mesh *finer);

/* Fills grid[0 ... count - 1] with the grids of grid[0] = *mesh, the last of which has at most
 * so many rows that a dense inverse of it pays on this device; returns count. */
int cgs_hierarchy_sizes(enum cgs_place place, const struct cgs_mesh *mesh,
                        struct cgs_mesh grid[CGS_GRIDS]);

/* The hierarchy under `op`, the run's operator on `mesh`, its cycles in numbers of type
 * `number`. To be released before op and machine. On several ranks at once: large grids are cut
 * at the finest grid's rows, small ones each rank has as a whole (sharing.h). */
enum cgs_status cgs_hierarchy_create(struct cgs_context *context, const struct cgs_spec *spec,
                                     const struct cgs_machine *machine, const struct cgs_mesh *mesh,
                                     const struct cgs_operator *op, enum cgs_number number,
                                     struct cgs_hierarchy *hierarchy);
/* An empty struct is nothing to release. */
void cgs_hierarchy_release(struct cgs_context *context, struct cgs_hierarchy *hierarchy);

/* ---- hierarchy_galerkin.c ---- */

/* Operators and diagonals of all grids but the finest, and hierarchy->coarsest, from the rows of
 * the finest grid's source: count, meshes and level[0].source are there. */
enum cgs_status cgs_hierarchy_project(const struct cgs_spec *spec,
                                      const struct cgs_machine *machine, enum cgs_number number,
                                      struct cgs_hierarchy *hierarchy);

#endif
