/* Conjugate gradients on any operator, space and preconditioner. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/plan.h"
#include "solver/centre.h"
#include "solver/operator.h"

struct cgs_cg; /* opaque */

/* Forms of the iteration. They are the same in exact arithmetic, and differ in the reductions
 * over all owners that an iteration waits for, in vectors, and in rounding (cg_iterate.c,
 * cg_merged.c). */
enum cgs_cg_method {
    CGS_CG_STANDARD,        /* two reductions, three with a preconditioner */
    CGS_CG_SINGLE_REDUCTION /* one */
};

/* Launch modes: how the steps of an iteration reach the device. */
enum cgs_launch {
    CGS_LAUNCH_PLAIN,     /* steps are queued one after the other */
    CGS_LAUNCH_GRAPH,     /* a batch of iterations recorded once, replayed as a whole */
    CGS_LAUNCH_WHILE,     /* the same recording, repeated by the device without the host */
    CGS_LAUNCH_PERSISTENT /* many iterations in one kernel: the operator's `advance` */
};

/* A step of an iteration as it is queued: one kernel, or several that belong together. */
struct cgs_cg_step {
    const char *name;    /* "product_dot": a key of reports */
    const char *formula; /* "q = A p, p'q" */
    struct cgs_moves moves;
};

enum { CGS_CG_STEPS = 9 }; /* at most: all composed, flexible beta */

/* Profiling hook: called before each step is queued and when the loop ends. A status that is not
 * CGS_OK ends the solve with it. */
struct cgs_cg_observer {
    /* Announces the next work: all that the loop queues until the next call belongs to `step`
     * (borrowed for the call; its strings are static) of `iterations` iterations, more than 1 where
     * several are launched as one. step = NULL: work outside iterations. */
    enum cgs_status (*next)(void *self, const struct cgs_cg_step *step, int64_t iterations);
    /* Announces the end of a loop; the device is idle. The first `done` of the iterations queued
     * since the loop began counted; in the others every step was a no-op, or broke down. Called
     * once a loop, so several times for a solve with a pause or restarts. */
    enum cgs_status (*ended)(void *self, int64_t done);
    void *self;
};

/* Outcome of a solve, decided with the true residual. */
enum cgs_outcome {
    CGS_OUTCOME_CONVERGED,      /* true residual <= 2 tolerance */
    /* the algebraic error is below energy_tolerance, which came first */
    CGS_OUTCOME_DISCRETIZATION,
    CGS_OUTCOME_ROUNDING_FLOOR, /* limited by rounding: tolerance < true residual <= floor */
    CGS_OUTCOME_PRECISION, /* limited by rounding too early: true > 1e-2, or floor >= 1 and the rows
                                   not known to be right */
    CGS_OUTCOME_ROWS, /* ||b - A x|| is small enough, but not a row of it beside its own terms */
    CGS_OUTCOME_ITERATION_LIMIT,
    CGS_OUTCOME_STAGNATION,
    CGS_OUTCOME_RESIDUAL_GAP, /* the recursive residual converged, the true one did not */
    CGS_OUTCOME_SINGULAR,     /* not converged, and p'A p was 0 within rounding for a direction p */
    CGS_OUTCOME_NOT_ITERATED, /* no iterations were requested: the start vector is the result */
    CGS_OUTCOME_NOT_POSITIVE,
    CGS_OUTCOME_NOT_FINITE,
    CGS_OUTCOME_INTERRUPTED,
    CGS_OUTCOMES
};

/* State of a running CG, for progress callbacks. */
struct cgs_progress {
    int64_t iteration, max_iterations;
    double relative_residual; /* recursive */
    double tolerance;
};

/* State of a CG between two iterations, for the pause callback. */
struct cgs_cg_pause {
    struct cgs_progress progress;
    const void *x; /* complete, in the space of the equation; not to be written */
    int scale;     /* power of two that was taken out of it */
    bool stop;     /* out: CG is to stop */
};

/* Norms at the end of a loop, of vectors of the equation. */
struct cgs_cg_norms {
    double residual, solution; /* ||b - A x||, ||x|| */
    bool doubtful;             /* the outcome depends on the rows, however small their ratios are */
};

/* Findings about the rows of b - A x, each beside its own terms (core/run/run_rows.c). */
struct cgs_cg_rows {
    bool looked;   /* at each row; else the fields below `worst` are not set */
    bool proven;   /* no ratio is above `aim` */
    double worst;  /* largest ratio (core/run/run_rows.c); a bound of it if only proven */
    int64_t row;   /* its row, -1 where all are 0; for messages only */
    int64_t count; /* rows whose ratio is above `aim`, */
    double size;   /* and the largest (|A| |x| + |b|)_i of these */
    double most;   /* the same of all rows */
};

struct cgs_cg_settings {
    double tolerance;          /* on the relative residual, > 0 */
    double energy_tolerance;   /* on the estimated energy norm of the error; 0: no such test */
    int64_t max_iterations;    /* >= 0 */
    int64_t stagnation_window; /* iterations without a new smallest residual; 0: a default */
    enum cgs_cg_method method;
    int check_every; /* iterations between two readings by the host; 0: a default */
    enum cgs_launch launch;
    /* > 0: bytes that vectors may take which are allocated when a second iteration begins
     * (cg_vectors.h); 0: as many as there are */
    int64_t spare;
    bool relative_to_first; /* residual relative to ||r_0||, not to ||b|| */
    bool restart;           /* restart from the true residual if there is a gap */
    /* A in a lower precision, for the iterations (mixed precision, cg_residual.c); borrowed. Its
     * spaces have the layout of `op`. NULL: iterate with op itself. */
    const struct cgs_operator *inner;
    /* With a preconditioner: takes the mean off r before each z = M r; borrowed. NULL: it stays. */
    const struct cgs_centre *centre;
    /* Called each time the host reads the state; returns false to stop CG. NULL: none. */
    bool (*progress)(void *user, const struct cgs_progress *progress);
    void *user;
    /* Called between two iterations, when `pause_at` of them are done, in every launch mode. The
     * device is idle; the caller may read and change solution and residual. CG then continues with
     * the direction, scalars and records that it had. A status other than CGS_OK ends the solve.
     * Not called if CG ends earlier. NULL: no pause. */
    enum cgs_status (*pause)(void *pause_user, struct cgs_cg *cg, struct cgs_cg_pause *now);
    int64_t pause_at; /* >= 0 */
    /* > 0: the pause is repeated each time that this number of iterations is done, also if the last
     * of them ends the solve; 0: called once */
    int64_t pause_every;
    void *pause_user;
    /* Looks at the rows of b - A x for the CG's right-hand side and solution, where these would be
     * a success. While a row's ratio is above 1e-5, CG goes on from x; if that does not help and a
     * ratio is above 1e-2, the outcome is CGS_OUTCOME_ROWS (1e3 tolerance instead of both, from
     * 1e-8 and 1e-5 on; at most 0.5). The device is idle; ranks call it together. Neither looked
     * nor proven: the rows are not known. NULL: so are they. */
    enum cgs_status (*rows)(void *rows_user, struct cgs_cg *cg, const struct cgs_cg_norms *norms,
                            double aim, struct cgs_cg_rows *rows);
    void *rows_user;
    const struct cgs_cg_observer *observer; /* borrowed; NULL: no observer, at no cost */
};

/* The direction p that CG ended with, measured again by a plain product and plain sums, for
 * messages. */
struct cgs_cg_direction {
    bool measured;     /* only where p'A p or r'M r was not positive, or 0 within rounding */
    bool other;        /* flexible preconditioner: p was lost, and this is z = M r */
    double pp, pq, qq; /* p'p, p'A p, ||A p||^2 */
    double bp;         /* |b'p| / (||b|| ||p||); 0 in mixed precision */
    double noise;      /* what rounding may make of p'A p */
    double rz;         /* r'M r at the end; r'r without preconditioner */
};

struct cgs_cg_result {
    enum cgs_outcome outcome;
    int64_t iterations;
    int restarts;
    int updates;              /* residual replacements, where CG kept its direction or restarted:
                                      of mixed precision, and of CG of one reduction */
    int continuations;        /* times that CG went on because of a row */
    struct cgs_cg_rows rows;  /* as found last; empty where success was out of the question */
    int64_t gap_iteration;    /* iteration at which the first restart was needed ... */
    double gap_recursive;     /* ... the recursive relative residual there ... */
    double gap_true;          /* ... and the true one; all three 0 without a restart */
    double relative_residual; /* the recursive one, at the end */
    double true_relative_residual; /* ||b - A x|| / reference, recomputed at the end */
    double reference;              /* ||b||, or ||r_0|| with relative_to_first */
    double floor;                  /* rounding floor: c eps (||A|| ||x|| / ||b|| + 1) */
    int scale;      /* power of two that was taken out of b and x; in the records it still is */
    bool overflows; /* x does once it gets that power back */
    double energy_error;           /* ||x - x_k||_A, estimated (kernels/cg_energy.h); 0 unknown */
    double lambda_min, lambda_max; /* of (M) A, Lanczos estimates from alpha and beta; 0 unknown */
    double condition_estimate;     /* lambda_max / lambda_min; 0 unknown */
    double seconds;                /* of the CG loop */
    bool inverted;                 /* the first iteration was x = M b, M being A's inverse */
    double least_quotient; /* smallest |p'A p| / p'M^-1 p over lambda_max; infinity: unknown */
    struct cgs_cg_direction direction;
    const struct cgs_cg_record *records; /* of iterations 0 ... iterations; owned by cg */
    double *history; /* relative residual of iterations 0 ... iterations; owned by cg */
};

/* Returns how CG uses this preconditioner (NULL: none). */
static inline enum cgs_preconditioning cgs_preconditioning_by(const struct cgs_operator *op)
{
    if (!op || !op->steps)
        return CGS_UNPRECONDITIONED;
    return op->flexible ? CGS_FLEXIBLE : CGS_PRECONDITIONED;
}
