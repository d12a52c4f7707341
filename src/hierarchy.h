/* The grids of multigrid for the box: meshes of about half the intervals each, their matrices in the
 * run's format (or none), diagonals and eigenvalue bounds, made into a solver/multigrid.h. */
#ifndef CGS_SRC_HIERARCHY_H
#define CGS_SRC_HIERARCHY_H

#include "matrix/matrix.h"
#include "solver/multigrid.h"
#include "src/machine.h"

/* Where a bound of the eigenvalues of D^-1 A is from: the matrix of a cube's cell, steps of CG, or coarser
 * grids. */
enum cgs_bound { CGS_BOUND_PROVEN, CGS_BOUND_ESTIMATED, CGS_BOUND_COARSER };

struct cgs_hierarchy {
    int count;
    struct cgs_level {
        struct cgs_mesh mesh;
        struct cgs_row_source source;
        struct cgs_matrix matrix;
        struct cgs_operator op;     /* of the finest grid perhaps CG's own: then `borrowed` */
        struct cgs_operator jacobi; /* empty where the diagonal is constant */
        bool borrowed;
        struct cgs_traffic product; /* of A x */
        enum cgs_bound bound;
        double high; /* of the eigenvalues of D^-1 A; 0 of the coarsest grid */
    } level[CGS_GRIDS];
    struct cgs_multigrid *multigrid;
};

/* Unknowns in each direction of the next coarser grid: (n + 1) / 2 intervals, rounded up. */
int64_t cgs_coarser(int64_t n);

/* Fills n[0 ... count - 1] with the grids of n[0] = n, the last of which has at most so many rows that
 * a dense inverse of it pays on this device; returns count. */
int cgs_hierarchy_sizes(enum cgs_place place, int64_t n, int64_t sizes[CGS_GRIDS]);

/* The hierarchy under `op`, the run's operator on `mesh`, its cycles in numbers of type `number`.
 * To be released before op and machine. */
enum cgs_status cgs_hierarchy_create(struct cgs_context *context, const struct cgs_options *options,
                                     const struct cgs_machine *machine, const struct cgs_mesh *mesh,
                                     const struct cgs_operator *op, enum cgs_number number,
                                     struct cgs_hierarchy *hierarchy);
/* An empty struct is nothing to release. */
void cgs_hierarchy_release(struct cgs_context *context, struct cgs_hierarchy *hierarchy);

#endif
