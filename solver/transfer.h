/* Transfers between two neighbouring grids of multigrid: P interpolates from the coarse one, and P'
 * restricts. Whoever makes a hierarchy gives one with each grid; multigrid knows no more of them. */
#ifndef CGS_SOLVER_TRANSFER_H
#define CGS_SOLVER_TRANSFER_H

#include "kernels/grid.h"
#include "solver/operator.h"

/* No-ops once the state has a reason to stop, as the steps of a space. */
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
    /* What a restriction and a correction (f + P c) move together, in vectors of the fine grid; and
     * `products` times `matrix` bytes. On the coarse grid they read one vector and write one. */
    struct cgs_moves moves;
    int64_t matrix;
};

/* Between the grids of two boxes (kernels/grid.h), of fine_n and coarse_n unknowns in each direction. */
enum cgs_status cgs_transfer_box(const struct cgs_multigrid_ops *ops, const struct cgs_space *fine,
                                 int64_t fine_n, const struct cgs_space *coarse, int64_t coarse_n,
                                 struct cgs_transfer *transfer);
/* What that one will hold; and what it moves, also of a forecast. threads: of the host. */
void cgs_transfer_box_plan(struct cgs_plan *plan, const struct cgs_space *fine, int64_t fine_n,
                           int64_t coarse_n, int threads);
struct cgs_moves cgs_transfer_box_moves(void);

/* By P and R = P', both on spaces of natural order; takes them over, and leaves them empty, unless it
 * fails. bytes: that both read of their entries. */
enum cgs_status cgs_transfer_matrix(struct cgs_operator *prolongation,
                                    struct cgs_operator *restriction, int64_t bytes,
                                    struct cgs_transfer *transfer);
struct cgs_moves cgs_transfer_matrix_moves(void);

void cgs_transfer_release(struct cgs_transfer *transfer); /* an empty struct is fine */

#endif
