/* Conjugate gradients on any operator, space and preconditioner. */
#ifndef CGS_SOLVER_CG_CG_H
#define CGS_SOLVER_CG_CG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plan.h"
#include "solver/operator.h"

struct cgs_cg; /* opaque */

/* How the steps of an iteration reach the device. */
enum cgs_launch {
    CGS_LAUNCH_PLAIN,     /* one after the other */
    CGS_LAUNCH_GRAPH,     /* a batch of iterations recorded once, replayed as a whole */
    CGS_LAUNCH_WHILE,     /* such a recording, which the device repeats by itself */
    CGS_LAUNCH_PERSISTENT /* many iterations in one kernel: an operator's `advance` */
};

/* A step of an iteration, as it is queued: one kernel, or several that belong together. */
struct cgs_cg_step {
    const char *name;       /* "product_dot": a key of reports */
    const char *formula;    /* "q = A p, p'q" */
    struct cgs_moves moves;
};

enum { CGS_CG_STEPS = 9 }; /* of an iteration, at most: all composed, flexible beta */

/* Profiling hook: called before each step is queued and when the loop ends. A status that is not CGS_OK
 * ends the solve with it. */
struct cgs_cg_observer {
    /* What the loop queues until the next call is `step` (borrowed for the call; its names stay) of
     * `iterations` iterations: 1, or more where they go as one; step = NULL: nothing of an iteration. */
    enum cgs_status (*next)(void *self, const struct cgs_cg_step *step, int64_t iterations);
    /* The loop has ended and the device is idle. Of the iterations queued since it began the first
     * `done` counted, in the others every step was a no-op, or broke down. Once for each run of the
     * loop: more often after a pause or a restart. */
    enum cgs_status (*ended)(void *self, int64_t done);
    void *self;
};

/* How a solve ended, after the true residual was looked at. */
enum cgs_outcome {
    CGS_OUTCOME_CONVERGED,      /* true residual <= 2 tolerance */
    CGS_OUTCOME_DISCRETIZATION, /* the algebraic error is below energy_tolerance, which came first */
    CGS_OUTCOME_ROUNDING_FLOOR, /* rounding stops it earlier: true <= floor, tolerance not reached */
    CGS_OUTCOME_PRECISION,      /* the same, so early that it is no answer: true > 1e-2, or floor >= 1 */
    CGS_OUTCOME_ITERATION_LIMIT,
    CGS_OUTCOME_STAGNATION,
    CGS_OUTCOME_RESIDUAL_GAP,   /* the recursion says converged, the true residual does not */
    CGS_OUTCOME_SINGULAR,       /* not converged, and p'A p was 0 within rounding for a direction p */
    CGS_OUTCOME_NOT_ITERATED,   /* no iteration was asked for: the start is the solution */
    CGS_OUTCOME_NOT_POSITIVE,
    CGS_OUTCOME_NOT_FINITE,
    CGS_OUTCOME_INTERRUPTED,
    CGS_OUTCOMES
};

/* What a caller sees while CG runs. */
struct cgs_progress {
    int64_t iteration, max_iterations;
    double relative_residual; /* recursive */
    double tolerance;
};

struct cgs_cg_settings {
    double tolerance;          /* on the relative residual, > 0 */
    double energy_tolerance;   /* on the energy norm of the error, as estimated; 0: don't ask */
    int64_t max_iterations;    /* >= 0 */
    int64_t stagnation_window; /* iterations without a new smallest residual; 0: a default */
    int check_every;           /* iterations between looks of the host; 0: a default */
    enum cgs_launch launch;
    bool relative_to_first;    /* residual relative to ||r_0||, not to ||b|| */
    bool restart;              /* from the true residual where the recursion parts from it */
    /* A in a lower precision, whose operator the iterations work with (cg_residual.c); borrowed.
     * Its spaces are laid out as those of `op`. NULL: op itself. */
    const struct cgs_operator *inner;
    /* Called at each look; false asks CG to stop. NULL: nobody looks. */
    bool (*progress)(void *user, const struct cgs_progress *progress);
    void *user;
    /* Called once, between two iterations, as soon as `pause_at` of them are done, in every launch
     * mode: the device is idle, and the caller may look at solution and residual and change them.
     * CG notices nothing: it goes on with the direction, the scalars and the records that it had. A
     * status that is not CGS_OK ends the solve with it. Not called where CG ends before. NULL: no pause. */
    enum cgs_status (*pause)(void *pause_user, struct cgs_cg *cg);
    int64_t pause_at; /* >= 0 */
    void *pause_user;
    const struct cgs_cg_observer *observer; /* borrowed; NULL: nobody observes, at no cost */
};

struct cgs_cg_result {
    enum cgs_outcome outcome;
    int64_t iterations;
    int restarts;
    int updates;                   /* reliable ones, of mixed precision */
    int64_t gap_iteration;         /* after which the first restart was needed ... */
    double gap_recursive;          /* ... the recursive relative residual there ... */
    double gap_true;               /* ... and the true one; all three 0 without a restart */
    double relative_residual;      /* recursive, at the end */
    double true_relative_residual; /* ||b - A x|| / reference, computed afresh */
    double reference;              /* that: ||b||, or ||r_0|| where they are relative to it */
    double floor;                  /* what rounding allows: c eps (||A|| ||x|| / ||b|| + 1) */
    double energy_error;           /* ||x - x_k||_A, estimated (kernels/cg_energy.h); 0 unknown */
    double lambda_min, lambda_max; /* of (M) A, Lanczos estimates from alpha and beta; 0 unknown */
    double condition_estimate;     /* lambda_max / lambda_min; 0 unknown */
    double seconds;                /* of the loop, start to stop */
    const struct cgs_cg_record *records; /* of iterations 0 ... iterations; owned by cg */
    double *history;               /* relative residual of iterations 0 ... iterations; owned by cg */
};

/* How CG takes this preconditioner; NULL: none. */
static inline enum cgs_preconditioning cgs_preconditioning_by(const struct cgs_operator *op)
{
    if (!op || !op->steps)
        return CGS_UNPRECONDITIONED;
    return op->flexible ? CGS_FLEXIBLE : CGS_PRECONDITIONED;
}

/* The steps of one iteration for this operator and its space, in order; returns how many. Of the
 * preconditioner (NULL: none) `steps`, `flexible` and `moves` count. */
int cgs_cg_steps(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                 struct cgs_cg_step steps[CGS_CG_STEPS]);

/* A whole iteration as one step: what it moves is what its steps move, or, launched as
 * CGS_LAUNCH_PERSISTENT, the operator's `advance`. */
struct cgs_cg_step cgs_cg_iteration(const struct cgs_operator *op,
                                    const struct cgs_operator *preconditioner,
                                    enum cgs_launch launch);

/* Bytes that a step moves on op's vectors, and those of them that it writes. product: the traffic of
 * one A p. */
double cgs_cg_bytes(const struct cgs_cg_step *step, const struct cgs_operator *op,
                    const struct cgs_traffic *product);
double cgs_cg_bytes_written(const struct cgs_cg_step *step, const struct cgs_operator *op);

/* Bytes that a reliable update moves. preconditioner: as in cgs_cg_steps. product: the traffic of one A p of `outer`. */
double cgs_cg_update_bytes(const struct cgs_operator *outer, const struct cgs_operator *inner,
                           const struct cgs_operator *preconditioner,
                           const struct cgs_traffic *product);

/* Vectors and state that cgs_cg_create will hold. outer_bytes: a vector of the equation's, where it
 * has another precision than those of the iterations; else 0. */
void cgs_cg_plan(struct cgs_plan *plan, enum cgs_place place, int64_t vector_bytes,
                 int64_t outer_bytes, bool preconditioned, int work_vectors,
                 int64_t max_iterations);

/* Returns true if CG on this operator can be launched as CGS_LAUNCH_PERSISTENT. */
bool cgs_cg_can_persist(const struct cgs_operator *op, bool preconditioned);

/* op: square; preconditioner: NULL or an operator on the same space (that of settings->inner, where
 * there is one). All are borrowed.
 * CGS_USAGE: a launch that the device or the operator can't. */
enum cgs_status cgs_cg_create(struct cgs_queue *queue, const struct cgs_operator *op,
                              const struct cgs_operator *preconditioner,
                              const struct cgs_cg_settings *settings, struct cgs_cg **cg);
void cgs_cg_release(struct cgs_cg *cg);

/* The right-hand side and the start vector (then the solution) in the operator's space: to be
 * filled by put before a solve. Both are zero at first. */
void *cgs_cg_rhs(struct cgs_cg *cg);
void *cgs_cg_solution(struct cgs_cg *cg);

/* For a pause: the recursive residual as the iteration done last left it, and its space; and the space
 * of right-hand side and solution. In mixed precision the solution is that of the last reliable update. */
void *cgs_cg_residual(struct cgs_cg *cg);
const struct cgs_space *cgs_cg_residual_space(const struct cgs_cg *cg);
const struct cgs_space *cgs_cg_space(const struct cgs_cg *cg);
/* After a solve: a vector beside the residual to write on, of the same space. */
void *cgs_cg_scratch(struct cgs_cg *cg);

/* After a solve: b - A x as it was computed afresh, a vector of cgs_cg_space. */
const void *cgs_cg_final_residual(const struct cgs_cg *cg);

/* Solves. The outcome is in the result; the status is CGS_OK whenever an outcome was reached
 * (also one that is a failure of the method), else a fault of device or memory.
 * CGS_PHASE_SOLVE is charged with the loop, CGS_PHASE_ERRORS with the true residual. */
enum cgs_status cgs_cg_solve(struct cgs_cg *cg, struct cgs_cg_result *result);

/* errors[k] = ||x - x_k||_A for k = 0 ... iterations: what the iterations after k have taken away of its
 * square, and what is left at the end, as estimated. False, nothing written: that is not known, or CG was
 * restarted. */
bool cgs_cg_error_history(const struct cgs_cg_result *result, double *errors);

/* "converged", "rounding_floor", ...: solver.status of the report. */
const char *cgs_outcome_name(enum cgs_outcome outcome);
/* What it means for the run: CGS_OK, CGS_NOT_CONVERGED, CGS_BREAKDOWN or CGS_INTERRUPTED. */
enum cgs_status cgs_outcome_status(enum cgs_outcome outcome);

#endif
