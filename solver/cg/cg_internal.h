/* Structures of CG, which its files share. Calls go cg_solve, cg_create -> cg_launch, cg_residual
 * -> cg_result, cg_traffic -> cg_iterate -> cg_merged -> cg_steps. */
#pragma once

#include "solver/cg/cg.h"

/* The steps of an iteration, in order. */
struct cgs_cg_list {
    struct cgs_cg_step steps[CGS_CG_STEPS];
    int count;
};

struct cgs_cg {
    struct cgs_queue *queue;
    const struct cgs_operator *op;             /* of the iterations */
    const struct cgs_operator *preconditioner; /* NULL: none; on op's space */
    const struct cgs_operator *outer;          /* of the equation; op itself unless mixed */
    struct cgs_cg_settings settings;
    struct cgs_cg_vectors vectors;
    void *w; /* A z in CG of one reduction (cg_merged.c); NULL: standard CG */
    bool small;          /* b and x are enough at first (cg_vectors.h) */
    bool complete;       /* all vectors are there */
    bool lacks_residual; /* r is not b - A x, nor anything else */
    bool wanted_more;    /* the other vectors could not be allocated */
    /* b, x and b - A x in outer's space. In mixed precision x and b - A x are vectors of their own,
     * and vectors.x is the correction to be added to x; otherwise they are vectors.x and
     * vectors.r. */
    void *rhs, *solution, *residual;
    struct cgs_cg_state *state;     /* in the memory of the space */
    struct cgs_cg_record *records;  /* host copy, read after a solve */
    double *history;
    struct cgs_cg_list *list;               /* lists steps instead of queueing them; NULL: queue */
    const struct cgs_cg_observer *observer; /* that of the settings, or NULL while recording */
    void *recording;                        /* NULL: no recording */
    int recorded;                           /* iterations in the recording */
    int batch;                              /* iterations queued at a time, at least */
};

/* Host's view of a solve. */
struct cgs_cg_run {
    struct cgs_cg_state seen; /* state as last read; its settings are valid from the start */
    double reference2;        /* ||b||^2 or ||r_0||^2 */
    double true_rr;           /* latest computed ||b - A x||^2 */
    bool fresh;               /* sums[RR] of `seen` is it: x is as it was then */
    double before;            /* true_rr at the previous residual gap */
    double xx, bb;            /* ||x||^2, ||b||^2 */
    int scale;                /* b and x are 2^-scale of the caller's while CG runs */
    enum cgs_outcome outcome; /* by the latest true residual */
    double began, seconds;    /* before z = M r; seconds until the latest stop */
    bool inverted;            /* the first iteration was x = M b */
    int64_t first_run;        /* iterations before the first restart */
    int restarts, updates;
    struct cgs_cg_rows rows; /* as found last */
    bool continues;          /* CG is to go on because of a row */
    int continuations;       /* times that it did */
    double best_rr;        /* smallest true r'r seen by a residual replacement ... */
    int64_t best_at;       /* ... and its iteration */
    int stalls;            /* successive replacements at the rounding floor without progress */
    int64_t pause_at;      /* iterations done when the pause callback is due; -1: no more */
    int64_t gap_iteration; /* iteration of the first restart, */
    double gap_rr[2];      /* and r'r there: recursive, true */
};

/* Returns true if iterations and equation have different precisions. */
static inline bool cgs_cg_mixed(const struct cgs_cg *cg)
{
    return cg->outer != cg->op;
}

/* Returns true if all sums of an iteration are one reduction (cg_merged.c). */
static inline bool cgs_cg_merged(const struct cgs_cg *cg)
{
    return cg->settings.method != CGS_CG_STANDARD;
}
