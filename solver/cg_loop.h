/* The loop of CG, and what is known on the host while a solve runs. */
#ifndef CGS_SOLVER_CG_LOOP_H
#define CGS_SOLVER_CG_LOOP_H

#include "solver/cg_iterate.h"

/* What is known on the host while a solve runs. */
struct cgs_cg_run {
    struct cgs_cg_state
        seen;          /* the state as looked at last; its settings are valid from the start */
    double reference2; /* ||b||^2 or ||r_0||^2 */
    double true_rr;    /* ||b - A x||^2 as computed last */
    double xx, bb;     /* ||x||^2, ||b||^2 */
    double pq, rz;     /* p'A p and r'z as the loop left them */
    double pp, qq;     /* p'p and q'q where the very first direction broke it off */
    int64_t first_run; /* iterations before the first restart */
    int restarts, updates;
    double best_rr;      /* smallest true r'r that an update has seen ... */
    int64_t best_at;     /* ... and after which iteration */
    int stalls;          /* updates one after the other that found nothing better, at the floor */
    bool paused;         /* the caller's pause has been */
    bool renewed;        /* the run goes on with the direction that it had */
    int64_t parted_at;   /* of the first restart: the iteration, */
    double parted_rr[2]; /* r'r of the recursion, and the true one */
};

/* Iterates until there is a reason to stop; in between the caller's pause, where it is due, and
 * reliable updates. */
enum cgs_status cgs_cg_loop(struct cgs_cg *cg, struct cgs_cg_run *run);

#endif
