/* Inside of CG: its parts, and `advance`, which a launch mode replaces. */
#ifndef CGS_SOLVER_CG_ITERATE_H
#define CGS_SOLVER_CG_ITERATE_H

#include "solver/cg.h"

struct cgs_cg {
    struct cgs_queue *queue;
    const struct cgs_operator *op;             /* of the iterations */
    const struct cgs_operator *preconditioner; /* NULL: none; on op's space */
    const struct cgs_operator *outer;          /* of the equation; op itself but in mixed precision */
    struct cgs_cg_settings settings;
    struct cgs_cg_vectors vectors;
    /* In outer's space: b, x and b - A x. The latter two are the vectors' own x and r, but in mixed
     * precision, where the vectors' x is what is to be added to this one. */
    void *rhs, *solution, *residual;
    struct cgs_cg_state *state;     /* in the memory of the space */
    struct cgs_cg_record *records;  /* the host's copy, made after a solve */
    double *history;
    void *recording;                /* NULL when nothing is recorded */
    int recorded;                   /* iterations that it holds */
    int batch;                      /* iterations that are queued at a time, at least */
};

/* Whether the iterations have another precision than the equation. */
static inline bool cgs_cg_mixed(const struct cgs_cg *cg)
{
    return cg->outer != cg->op;
}

/* Whether the operator's own steps that do without q make the iterations: not where beta needs q. */
static inline bool cgs_cg_fused(const struct cgs_cg *cg)
{
    return cgs_preconditioning_by(cg->preconditioner) != CGS_FLEXIBLE;
}

/* What z = M r and r'z move. */
struct cgs_moves cgs_cg_precondition_moves(const struct cgs_operator *preconditioner);

/* k iterations, one step after the other. */
enum cgs_status cgs_cg_advance_plain(struct cgs_cg *cg, int64_t k);

/* Records cg->recorded iterations for replay. */
enum cgs_status cgs_cg_record(struct cgs_cg *cg);

/* At least k iterations, in the launch mode of the settings. */
enum cgs_status cgs_cg_advance(struct cgs_cg *cg, int64_t k);

#endif
