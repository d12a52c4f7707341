/* The state of a CG run and its scalars: one header for host and device.
 *
 * The state lives where the vectors live. Kernels write raw sums into it, space->reduce stands
 * between (an all-reduce where a vector is spread over ranks), and whoever needs alpha, beta or the
 * stopping test evaluates the functions below. Once a reason to stop is set, every step is a
 * no-op, so the iteration at which a run stops does not depend on how the steps are launched.
 *
 * One iteration, with what each step reads and writes of the state:
 *     q = A p            writes sums[PQ] = p'q
 *     x += alpha p, r -= alpha q   reads rz, sums[PQ]; writes sums[RR] = r'r
 *    [z = M r            writes sums[RZ] = r'z]
 *     p = z + beta p     reads rz, sums[RR] or sums[RZ]
 *     conclude           moves on: record, rz, iteration, reason
 * Source: M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952).
 */
#ifndef CGS_KERNELS_CG_STATE_H
#define CGS_KERNELS_CG_STATE_H

#include <stdint.h>

#include "base/linkage.h"
#include "kernels/cg_energy.h"

enum cgs_sum {
    CGS_SUM_PQ,      /* p'A p */
    CGS_SUM_RR,      /* r'r */
    CGS_SUM_RZ,      /* r'z, where there is a preconditioner */
    CGS_SUM_QZ,      /* q'z, where it is flexible */
    CGS_SUM_SCRATCH, /* anything outside the iteration: norms, tests */
    CGS_SUM_BB,      /* b'b and x'x, with the true residual */
    CGS_SUM_XX,
    CGS_SUMS = 8,
    CGS_SUM_NOWHERE = -1
};

enum cgs_reason {
    CGS_GOING_ON,
    CGS_CONVERGED,       /* r'r <= tolerance^2 reference^2 */
    CGS_ITERATION_LIMIT, /* max_iterations done */
    CGS_STAGNATION,      /* r'r has not fallen below its best for stagnation_window iterations */
    CGS_NOT_POSITIVE,    /* p'A p <= 0, or r'M r <= 0: A (or M) is not positive definite */
    CGS_NOT_FINITE,      /* NaN or Inf in a sum */
    CGS_ACCURATE,        /* ||x - x_k||_A^2 <= energy_threshold, as estimated */
    CGS_STOPPED,         /* from outside */
    CGS_REPLACEMENT_DUE, /* r'r <= replacement_ratio * peak: time for a true residual (solver/cg/cg_residual.c) */
    CGS_REASONS
};

/* FLEXIBLE: a preconditioner that is not the same in every iteration, to the precision of the vectors
 * (a cycle in single in a double CG). beta = z'(r - old r) / old r'z makes the new direction orthogonal
 * to the old one even so; with r = old r - alpha q that is -z'q / p'q, one more sum. Source: G. H. Golub,
 * Q. Ye, Inexact preconditioned conjugate gradient method..., SIAM J. Sci. Comput. 21 (1999). */
enum cgs_preconditioning { CGS_UNPRECONDITIONED, CGS_PRECONDITIONED, CGS_FLEXIBLE };

struct cgs_cg_state {
    double sums[CGS_SUMS];
    double rz;             /* r'z (r'r without preconditioner) of the current direction */
    double beta;           /* of the iteration concluded last, for operators that make p later; 0 at first */
    double threshold;      /* stop when r'r <= threshold = (tolerance reference)^2 */
    double energy_threshold; /* stop when ||x - x_k||_A^2 is below, as estimated; 0: never */
    double replacement_ratio; /* of the peak, at which a reliable update is due; 0: never */
    double peak;           /* largest r'r since the run, or the last reliable update, began */
    double best;           /* smallest r'r so far */
    int64_t best_iteration;
    int64_t iteration;     /* done so far */
    int64_t first;         /* done when the run, or its last restart, began */
    int64_t max_iterations;
    int64_t stagnation_window;
    int32_t preconditioned; /* enum cgs_preconditioning */
    int32_t reason;        /* enum cgs_reason; once not CGS_GOING_ON, steps do nothing */
    int64_t parity_base; /* fused steps may keep directions by turns in p and q: of iteration number
                              origin + k they find the one before in p where k is even, else in q */
    int32_t x_deferred;  /* x lacks alpha p of the iteration concluded last: an operator's
                              update_conclude or a space's update_direction keeps this, finish or
                              settle completes x */
    struct cgs_cg_record *records; /* max_iterations + 1, in the memory of the state */
};

/* Whether the direction of the iteration concluded last stands in q, not in p (see origin). */
CGS_INLINE int cgs_cg_direction_in_q(const struct cgs_cg_state *state)
{
    return (int)((state->iteration - state->parity_base) & 1);
}

CGS_INLINE int cgs_cg_going_on(const struct cgs_cg_state *state)
{
    return state->reason == CGS_GOING_ON;
}

/* Finite: neither NaN nor Inf (x - x is NaN for both). */
CGS_INLINE int cgs_finite(double x)
{
    return x - x == 0.0;
}

/* The step length; 0 where p'A p <= 0 or not a number, so that x stays as it was. */
CGS_INLINE double cgs_cg_alpha(const struct cgs_cg_state *state)
{
    const double pq = state->sums[CGS_SUM_PQ];
    return pq > 0.0 && cgs_finite(pq) ? state->rz / pq : 0.0;
}

CGS_INLINE double cgs_cg_new_rz(const struct cgs_cg_state *state)
{
    return state->preconditioned ? state->sums[CGS_SUM_RZ] : state->sums[CGS_SUM_RR];
}

CGS_INLINE double cgs_cg_beta(const struct cgs_cg_state *state)
{
    const double pq = state->sums[CGS_SUM_PQ];
    if (state->preconditioned == CGS_FLEXIBLE)
        return pq > 0.0 ? -state->sums[CGS_SUM_QZ] / pq : 0.0;
    return state->rz > 0.0 ? cgs_cg_new_rz(state) / state->rz : 0.0;
}

/* Whether the error's energy norm is small enough, for whoever asked. The last share times the
 * margin is the least that the estimate can be, so that mostly one number is read. */
CGS_INLINE int cgs_cg_accurate(const struct cgs_cg_state *state)
{
    const int64_t k = state->iteration;
    if (k <= state->first ||
        CGS_ENERGY_MARGIN * state->records[k].energy > state->energy_threshold)
        return 0;
    const double error2 = cgs_energy_error2(state->records, state->first, k);
    return error2 > 0.0 && error2 <= state->energy_threshold;
}

/* Why to go no further with what has been reached, or not without a true residual. */
CGS_INLINE int32_t cgs_cg_give_up(const struct cgs_cg_state *state)
{
    if (state->iteration >= state->max_iterations)
        return CGS_ITERATION_LIMIT;
    if (state->iteration - state->best_iteration > state->stagnation_window)
        return CGS_STAGNATION;
    return state->sums[CGS_SUM_RR] <= state->replacement_ratio * state->peak ? CGS_REPLACEMENT_DUE
                                                                             : CGS_GOING_ON;
}

/* Why to stop after the sums of an iteration are complete; pq is 1 at the start vector. */
CGS_INLINE int32_t cgs_cg_judge(const struct cgs_cg_state *state, double pq)
{
    const double rr = state->sums[CGS_SUM_RR];
    const double rz = cgs_cg_new_rz(state);
    if (!cgs_finite(pq) || !cgs_finite(rr) || !cgs_finite(rz))
        return CGS_NOT_FINITE;
    if (pq <= 0.0)
        return CGS_NOT_POSITIVE;
    if (rr <= state->threshold)
        return CGS_CONVERGED;
    if (rz <= 0.0)
        return CGS_NOT_POSITIVE;
    /* The estimate last: nvcc 13 keeps nothing in registers over it, and spills nothing. */
    const int32_t otherwise = cgs_cg_give_up(state);
    return state->energy_threshold > 0.0 && cgs_cg_accurate(state) ? CGS_ACCURATE : otherwise;
}

/* Takes the first residual (sums RR, and RZ) as the start of a run, or of a restart. */
CGS_INLINE void cgs_cg_begin(struct cgs_cg_state *state)
{
    state->rz = cgs_cg_new_rz(state);
    state->beta = 0.0;
    state->x_deferred = 0;
    state->parity_base = state->iteration;
    state->first = state->iteration;
    state->best = state->peak = state->sums[CGS_SUM_RR];
    state->best_iteration = state->iteration;
    state->records[state->iteration].rr = state->sums[CGS_SUM_RR];
    state->reason = cgs_cg_judge(state, 1.0);
}

/* Ends an iteration: the very last thing that happens in it. Only one thread of all calls it, when
 * nobody reads the state any more. An iteration that broke down (p'A p <= 0, NaN) is not counted:
 * x is that of the iteration before. */
CGS_INLINE void cgs_cg_conclude(struct cgs_cg_state *state)
{
    const double pq = state->sums[CGS_SUM_PQ];
    if (!cgs_finite(pq) || pq <= 0.0) {
        state->reason = cgs_finite(pq) ? CGS_NOT_POSITIVE : CGS_NOT_FINITE;
        return;
    }
    struct cgs_cg_record *record = &state->records[state->iteration + 1];
    record->rr = state->sums[CGS_SUM_RR];
    record->alpha = cgs_cg_alpha(state);
    record->beta = cgs_cg_beta(state);
    record->energy = record->alpha * state->rz;
    state->beta = record->beta;
    state->iteration += 1;
    if (state->sums[CGS_SUM_RR] < state->best) {
        state->best = state->sums[CGS_SUM_RR];
        state->best_iteration = state->iteration;
    }
    if (state->sums[CGS_SUM_RR] > state->peak)
        state->peak = state->sums[CGS_SUM_RR];
    state->reason = cgs_cg_judge(state, pq);
    state->rz = cgs_cg_new_rz(state);
}

/* A factor in a vector update: a constant, or a scalar of the state, evaluated where it is used. */
enum cgs_factor_kind { CGS_CONSTANT, CGS_ALPHA, CGS_MINUS_ALPHA, CGS_BETA };

struct cgs_coefficient {
    enum cgs_factor_kind kind;
    double constant;
};

CGS_INLINE struct cgs_coefficient cgs_constant(double constant)
{
    struct cgs_coefficient coefficient;
    coefficient.kind = CGS_CONSTANT;
    coefficient.constant = constant;
    return coefficient;
}

CGS_INLINE struct cgs_coefficient cgs_scalar(enum cgs_factor_kind kind)
{
    struct cgs_coefficient coefficient;
    coefficient.kind = kind;
    coefficient.constant = 0.0;
    return coefficient;
}

CGS_INLINE double cgs_coefficient_value(struct cgs_coefficient coefficient,
                                        const struct cgs_cg_state *state)
{
    switch (coefficient.kind) {
    case CGS_ALPHA: return cgs_cg_alpha(state);
    case CGS_MINUS_ALPHA: return -cgs_cg_alpha(state);
    case CGS_BETA: return cgs_cg_beta(state);
    default: return coefficient.constant;
    }
}

#endif
