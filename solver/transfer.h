/* Transfers between two neighbouring grids of multigrid: P interpolates from the coarse grid, P'
 * restricts. Multigrid knows them by this table alone. */
#pragma once

#include "fem/element/element.h"
#include "kernels/grid.h"
#include "solver/operator.h"

/* Steps of a transfer: no-ops once the state has a reason to stop. */
struct cgs_transfer_steps {
    /* c = P'f */
    enum cgs_status (*restrict_to)(const void *self, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c);
    /* f = P c, or f = f + P c */
    enum cgs_status (*prolong)(const void *self, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f);
    void (*release)(void *self);
};

struct cgs_transfer {
    const struct cgs_transfer_steps *steps;
    void *self; /* owned; steps->release */
    bool capturable;
    /* Traffic of a restriction and a correction (f + P c) together, in vectors of the fine grid,
     * plus `products` times `matrix` bytes. In addition they read one coarse vector and write
     * one. */
    struct cgs_moves moves;
    int64_t matrix;
};

/* Makes the transfer between two grids of a box (kernels/grid.h), of which the meshes' unknowns
 * and free faces, the same of both, are read. If the fine space is a portion, on all ranks at
 * once: the coarse one is a portion cut by cgs_transfer_cut, or on each rank the whole grid, of
 * which it then restricts its planes and gathers the others. CGS_MEMORY. */
enum cgs_status cgs_transfer_box(const struct cgs_multigrid_ops *ops, const struct cgs_space *fine,
                                 const struct cgs_mesh *fine_mesh, const struct cgs_space *coarse,
                                 const struct cgs_mesh *coarse_mesh, struct cgs_transfer *transfer);
/* Cuts the planes of the coarse grid where the fine grid's rows are cut: a plane belongs to the
 * rank that has the first row of the fine plane at or below it. fine, coarse: ranks + 1 rows. A
 * rank may be left without planes. Between orders the coarse grid is cut at ends of cells: below a
 * cut within cells, or, where z0 is open and layers begin with their lowest plane, above it. */
void cgs_transfer_cut(const struct cgs_mesh *fine_mesh, const int64_t *fine,
                      const struct cgs_mesh *coarse_mesh, int ranks, int64_t *coarse);
/* Numbers beside the owned ones for which vectors of a portion of a grid need room; order: of its
 * cells; plane: unknowns of its planes. */
int64_t cgs_transfer_room(int order, int64_t plane);
/* Memory and traffic of that transfer, before it exists. threads: of the host. */
void cgs_transfer_box_plan(struct cgs_plan *plan, const struct cgs_space *fine,
                           const struct cgs_mesh *fine_mesh, const struct cgs_mesh *coarse_mesh,
                           int threads);
struct cgs_moves cgs_transfer_box_moves(void);

void cgs_transfer_release(struct cgs_transfer *transfer); /* an empty struct is allowed */
