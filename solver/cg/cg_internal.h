/* Structures of CG, and the functions that its files share. Calls go cg.c, cg_create -> cg_launch,
 * cg_residual -> cg_result, cg_traffic -> cg_iterate -> cg_merged -> cg_steps. */
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
    const struct cgs_operator *outer;          /* of the equation; op itself unless mixed */
    struct cgs_cg_settings settings;
    struct cgs_cg_vectors vectors;
    void *w; /* A z in CG of one reduction (cg_merged.c); NULL: standard CG */
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
    double before;            /* true_rr at the previous residual gap */
    double xx, bb;            /* ||x||^2, ||b||^2 */
    int scale;                /* b and x are 2^-scale of the caller's while CG runs */
    enum cgs_outcome outcome; /* by the latest true residual */
    double began, seconds;    /* before z = M r; seconds until the latest stop */
    int64_t first_run;        /* iterations before the first restart */
    int restarts, updates;
    struct cgs_cg_rows rows; /* as found last */
    bool continues;          /* CG is to go on because of a row */
    int continuations;       /* times that it did */
    double best_rr;        /* smallest true r'r seen by a residual replacement ... */
    int64_t best_at;       /* ... and its iteration */
    int stalls;            /* successive replacements at the rounding floor without progress */
    bool paused;           /* the pause callback has run */
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

/* ---- cg_iterate.c ---- */

/* Queues one iteration. */
enum cgs_status cgs_cg_iterate(struct cgs_cg *cg);

/* ---- cg_merged.c: CG of one reduction an iteration ---- */

enum cgs_status cgs_cg_iterate_single(struct cgs_cg *cg);

/* Begins a run or restart from r and a complete r'r: z, w, the first direction. */
enum cgs_status cgs_cg_begin_merged(struct cgs_cg *cg);

/* Computes all vectors besides x, r and p anew from r and p, and the sums p'q, r'z, z'w and q'z. */
enum cgs_status cgs_cg_renew(struct cgs_cg *cg);

/* Computes the direction that comes next, and its p'A p as a product instead of from
 * recurrences. */
enum cgs_status cgs_cg_measure_next(struct cgs_cg *cg);

/* CGS_USAGE: the space, the operators or the precision of the iterations cannot do the method. */
enum cgs_status cgs_cg_check_method(const struct cgs_cg *cg);

/* ---- cg_steps.c: the steps; one that an earlier fused step has covered does nothing ---- */

enum cgs_status cgs_step_product(struct cgs_cg *cg);
enum cgs_status cgs_step_direction_product(struct cgs_cg *cg);
enum cgs_status cgs_step_update(struct cgs_cg *cg);
enum cgs_status cgs_step_precondition(struct cgs_cg *cg);
enum cgs_status cgs_step_direction(struct cgs_cg *cg);
enum cgs_status cgs_step_conclude(struct cgs_cg *cg);

/* Queues a step by calling `queue`, and announces it to the observer; or appends it to the list. */
enum cgs_status cgs_cg_step(struct cgs_cg *cg, const char *name, const char *formula,
                            struct cgs_moves moves, enum cgs_status (*queue)(struct cgs_cg *));

/* Returns true if fused steps of the operator that do not store q are allowed. The flexible beta
 * needs q, and so does CG of one reduction. */
bool cgs_cg_fused(const struct cgs_cg *cg);

/* Returns true if the direction is made together with the product that follows. */
bool cgs_cg_direction_in_product(const struct cgs_cg *cg);

/* Returns `moves`, or `usual` if `moves` is all zeros. */
struct cgs_moves cgs_moves_or(struct cgs_moves moves, struct cgs_moves usual);

/* Traffic of z = M r and r'z. */
struct cgs_moves cgs_cg_precondition_moves(const struct cgs_operator *preconditioner);

/* ---- cg_launch.c ---- */

/* Queues k iterations, one step after the other. */
enum cgs_status cgs_cg_queue_iterations(struct cgs_cg *cg, int64_t k);

/* Queues at least k iterations in the launch mode of the settings. */
enum cgs_status cgs_cg_advance(struct cgs_cg *cg, int64_t k);

/* Checks the launch mode of the settings and records iterations for replay.
 * CGS_USAGE: device, operator or preconditioner do not allow this launch mode. */
enum cgs_status cgs_cg_prepare_launch(struct cgs_cg *cg);

/* Iterates until run->seen.reason says why to stop. Then x is complete and the device idle. */
enum cgs_status cgs_cg_launch(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Returns true if the iterations stopped only for the caller's pause: until then pause_at is the
 * iteration limit. */
bool cgs_cg_pause_is_due(const struct cgs_cg *cg, const struct cgs_cg_run *run);

/* Calls the pause callback, then sets the iteration limit to that of the settings. */
enum cgs_status cgs_cg_pause(struct cgs_cg *cg, struct cgs_cg_run *run);

/* ---- cg_residual.c ---- */

/* Computes r = b - A x in the precision of the equation, after adding the correction to x in mixed
 * precision. Writes ||r||^2, ||b||^2 and ||x||^2 to `run`. */
enum cgs_status cgs_cg_true_residual(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Takes a power of two out of b and x where ||b||^2 would leave the range of doubles, or b that of
 * the floats of mixed precision or of a narrow preconditioner, and computes r = b - A x again. */
enum cgs_status cgs_cg_take_scale(struct cgs_cg *cg, struct cgs_cg_run *run);
/* Puts it back into b, x and b - A x, exactly. */
enum cgs_status cgs_cg_give_scale(struct cgs_cg *cg, const struct cgs_cg_run *run);

/* Sets the reference of relative residuals and the threshold of the recursion. CGS_BREAKDOWN: the
 * squares of such small residuals underflow. */
enum cgs_status cgs_cg_set_threshold(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Computes the first direction of a run or restart from r: z = M r, p = z. */
enum cgs_status cgs_cg_start(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Replaces the recursive residual by the true one, just computed. CG keeps its direction (mixed
 * precision) or restarts. Updates the reason to stop. */
enum cgs_status cgs_cg_replace_residual(struct cgs_cg *cg, struct cgs_cg_run *run);

/* ---- cg_result.c ---- */

/* sqrt(rr / reference2), with 0 / 0 = 0: b = 0 is solved by x = 0. */
double cgs_relative(double rr, double reference2);

/* Rounding floor of ||b - A x|| / reference: c eps (||A|| ||x|| / reference + 1), with eps of the
 * vectors' numbers and the infinity norm of A. 0 if the norm is unknown. */
double cgs_rounding_floor(const struct cgs_operator *op, double xx, double reference2);

/* Returns true if the true residual is clearly larger than the recursive one. */
bool cgs_residual_gap(double recursive, double true_residual);

/* Tolerance for the recursive residual: at least eps^2 of the space's numbers. Below that it no
 * longer follows the true residual, and would underflow. */
double cgs_recursion_tolerance(const struct cgs_space *space, double tolerance);

/* Sets *ends if the solve ends here. If the recursive residual has converged and the true one has
 * not, another replacement is worth it as long as each one halves the true residual. If both have
 * but a row has not, run->continues is set, and the threshold is that row's. */
enum cgs_status cgs_cg_ends(struct cgs_cg *cg, struct cgs_cg_run *run, bool *ends);

/* Fills the result of a finished run: outcome, history, eigenvalue and error estimates. */
enum cgs_status cgs_cg_find_result(struct cgs_cg *cg, const struct cgs_cg_run *run,
                                struct cgs_cg_result *result);

#endif
