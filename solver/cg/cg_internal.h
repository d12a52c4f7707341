/* The nouns of CG, and the calls between its files: cg.c -> cg_launch, cg_residual, cg_result,
 * cg_create -> cg_steps. */
#ifndef CGS_SOLVER_CG_CG_INTERNAL_H
#define CGS_SOLVER_CG_CG_INTERNAL_H

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
    const struct cgs_operator *outer;          /* of the equation; op itself but in mixed precision */
    struct cgs_cg_settings settings;
    enum cgs_status (*iterate)(struct cgs_cg *cg); /* queues one iteration: cgs_cg_iterate */
    struct cgs_cg_vectors vectors;
    /* In outer's space: b, x and b - A x. The latter two are the vectors' own x and r, but in mixed
     * precision, where the vectors' x is what is to be added to this one. */
    void *rhs, *solution, *residual;
    struct cgs_cg_state *state;     /* in the memory of the space */
    struct cgs_cg_record *records;  /* the host's copy, made after a solve */
    double *history;
    struct cgs_cg_list *list;       /* steps are listed here, and nothing is queued; NULL: queued */
    const struct cgs_cg_observer *observer; /* that of the settings, or NULL while recording */
    void *recording;                /* NULL when nothing is recorded */
    int recorded;                   /* iterations that it holds */
    int batch;                      /* iterations that are queued at a time, at least */
};

/* A solve, as far as the host knows. */
struct cgs_cg_run {
    struct cgs_cg_state seen; /* the state as looked at last; its settings are valid from the start */
    double reference2;        /* ||b||^2 or ||r_0||^2 */
    double true_rr;           /* ||b - A x||^2 as computed last */
    double before;            /* true_rr when the loop last went on from a residual gap */
    double xx, bb;            /* ||x||^2, ||b||^2 */
    enum cgs_outcome outcome; /* as judged by the true residual last */
    double began, seconds;    /* when the loop began; until the last reason to stop */
    int64_t first_run;        /* iterations before the first restart */
    int restarts, updates;
    double best_rr;           /* smallest true r'r that an update has seen ... */
    int64_t best_at;          /* ... and after which iteration */
    int stalls;               /* updates one after the other that found nothing better, at the floor */
    bool paused;              /* the caller's pause has been */
    int64_t gap_iteration;    /* of the first restart: the iteration, */
    double gap_rr[2];         /* r'r of the recursion, and the true one */
};

/* Returns true if the iterations have another precision than the equation. */
static inline bool cgs_cg_mixed(const struct cgs_cg *cg)
{
    return cg->outer != cg->op;
}

/* ---- cg.c ---- */

/* Queues one iteration. */
enum cgs_status cgs_cg_iterate(struct cgs_cg *cg);

/* ---- cg_steps.c: the steps; each does nothing where an earlier one has done it on its way ---- */

enum cgs_status cgs_step_product(struct cgs_cg *cg);
enum cgs_status cgs_step_direction_product(struct cgs_cg *cg);
enum cgs_status cgs_step_update(struct cgs_cg *cg);
enum cgs_status cgs_step_precondition(struct cgs_cg *cg);
enum cgs_status cgs_step_direction(struct cgs_cg *cg);
enum cgs_status cgs_step_conclude(struct cgs_cg *cg);

/* Returns true if the operator's own steps that do without q may be used: not where beta needs q. */
bool cgs_cg_fused(const struct cgs_cg *cg);

/* Returns true if the direction is made together with the product that follows. */
bool cgs_cg_direction_in_product(const struct cgs_cg *cg);

/* Returns `moves`, or `usual` where nothing is said. */
struct cgs_moves cgs_moves_or(struct cgs_moves moves, struct cgs_moves usual);

/* Traffic of z = M r and r'z. */
struct cgs_moves cgs_cg_precondition_moves(const struct cgs_operator *preconditioner);

/* ---- cg_launch.c ---- */

/* Queues k iterations, one step after the other. */
enum cgs_status cgs_cg_queue_iterations(struct cgs_cg *cg, int64_t k);

/* Queues at least k iterations in the launch mode of the settings. */
enum cgs_status cgs_cg_advance(struct cgs_cg *cg, int64_t k);

/* Makes the launch of the settings possible; records iterations for replay.
 * CGS_USAGE: device, operator or preconditioner do not allow this launch. */
enum cgs_status cgs_cg_prepare_launch(struct cgs_cg *cg);

/* Iterates until there is a reason to stop: run->seen.reason. x is complete then, the device idle. */
enum cgs_status cgs_cg_launch(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Returns true if the iterations have stopped only because the caller's pause is due: until then
 * their limit stands at pause_at. */
bool cgs_cg_pause_is_due(const struct cgs_cg *cg, const struct cgs_cg_run *run);

/* Lets the caller look at x and r, and sets the limit to that of the settings. */
enum cgs_status cgs_cg_pause(struct cgs_cg *cg, struct cgs_cg_run *run);

/* ---- cg_residual.c ---- */

/* r = b - A x in the precision of the equation, after x has got its part; ||r||^2, ||b||^2 and
 * ||x||^2 into `run`. */
enum cgs_status cgs_cg_true_residual(struct cgs_cg *cg, struct cgs_cg_run *run);

/* What the residual is relative to, and the threshold of the recursion. CGS_BREAKDOWN: the squares of
 * residuals that small leave the range of the numbers. */
enum cgs_status cgs_cg_set_threshold(struct cgs_cg *cg, struct cgs_cg_run *run);

/* z = M r, p = z from the residual in r: the first direction of a run, or of a restart. */
enum cgs_status cgs_cg_start(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Lets the true residual, just computed, take the recursive one's place. The direction stays (a
 * reliable update), or CG restarts. Sets anew whether there is a reason to stop. */
enum cgs_status cgs_cg_replace_residual(struct cgs_cg *cg, struct cgs_cg_run *run);

/* ---- cg_result.c ---- */

/* sqrt(rr / reference2); 0 for 0/0: nothing to solve, and solved. */
double cgs_relative(double rr, double reference2);

/* What rounding allows of ||b - A x|| / reference: c eps (||A|| ||x|| / reference + 1), eps that of
 * the vectors' numbers, ||A|| the infinity norm. 0 where the norm is unknown. */
double cgs_rounding_floor(const struct cgs_operator *op, double xx, double reference2);

/* Returns true if the recursive residual has parted from the true one. */
bool cgs_residual_gap(double recursive, double true_residual);

/* The tolerance that the recursion is held to: not below eps^2 of the space's numbers, where it has
 * long parted from the truth and would run into underflow. */
double cgs_recursion_tolerance(const struct cgs_space *space, double tolerance);

/* Returns true if the solve ends here, its true residual being known: where the recursion calls
 * converged what the truth does not, another replacement pays as long as each one halves it. */
bool cgs_cg_ends(const struct cgs_cg *cg, struct cgs_cg_run *run);

/* Outcome, history, eigenvalue and error estimates of the run that has ended. */
enum cgs_status cgs_cg_find_result(struct cgs_cg *cg, const struct cgs_cg_run *run,
                                struct cgs_cg_result *result);

#endif
