/* The state of a CG run and its scalars: one header for host and device.
 *
 * The state is in the memory of the vectors. Kernels write raw sums into it, space->reduce
 * completes them (an all-reduce if a vector is spread over ranks), and alpha, beta and the stopping
 * test are evaluated from them by the functions below. Once a reason to stop is set, every step is
 * a no-op, so the iteration at which a run stops does not depend on how steps are launched.
 *
 * One iteration, with what each step reads and writes of the state:
 *     q = A p            writes sums[PQ] = p'q
 *     x += alpha p, r -= alpha q   reads rz, sums[PQ]; writes sums[RR] = r'r
 *    [close              sets CGS_ENDING if r'r is small enough]
 *    [z = M r            writes sums[RZ] = r'z]
 *     p = z + beta p     reads rz, sums[RR] or sums[RZ]
 *     conclude           advances: record, rz, iteration, reason
 * Source: M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952).
 */
#pragma once

#include <stdint.h>

#include "base/linkage.h"
#include "kernels/cg_energy.h"

enum cgs_sum {
    CGS_SUM_PQ,      /* p'A p */
    CGS_SUM_RR,      /* r'r */
    CGS_SUM_RZ,      /* r'z of a preconditioner */
    CGS_SUM_ZW,      /* z'w with w = A z, where all sums of an iteration are one reduction */
    CGS_SUM_QZ,      /* q'z of a flexible one */
    CGS_SUM_SCRATCH, /* anything outside the iteration: norms, tests */
    CGS_SUM_BB,      /* b'b and x'x, with the true residual */
    CGS_SUM_XX,
    CGS_SUMS = 8,
    CGS_SUM_NOWHERE = -1
};

enum cgs_reason {
    CGS_GOING_ON,
    CGS_CONVERGED,       /* r'r <= tolerance^2 reference^2 */
    CGS_ITERATION_LIMIT, /* max_iterations reached */
    CGS_STAGNATION,      /* r'r has not fallen below its best for stagnation_window iterations */
    CGS_NOT_POSITIVE,    /* p'A p <= 0, or r'M r <= 0: A (or M) is not positive definite */
    CGS_NOT_FINITE,      /* NaN or Inf in a sum */
    CGS_ACCURATE,        /* ||x - x_k||_A^2 <= energy_threshold, as estimated */
    CGS_STOPPED,         /* stopped from outside */
    CGS_REPLACEMENT_DUE, /* r'r <= replacement_ratio * peak: compute a true residual
                            (cg_residual.c) */
    CGS_ENDING, /* r'r is small enough: what follows in the iteration only concludes it */
    CGS_REASONS
};

/* FLEXIBLE: the preconditioner differs from iteration to iteration within the precision of the
 * vectors (a cycle in single in a double CG). beta = z'(r - old r) / old r'z keeps the new
 * direction A-orthogonal to the old one even so; with r = old r - alpha q that is -z'q / p'q, one
 * more sum. Source: G. H. Golub, Q. Ye, Inexact preconditioned conjugate gradient method..., SIAM
 * J. Sci. Comput. 21 (1999). */
enum cgs_preconditioning { CGS_UNPRECONDITIONED, CGS_PRECONDITIONED, CGS_FLEXIBLE };

struct cgs_cg_state {
    double sums[CGS_SUMS];
    double rz;             /* r'z (r'r without preconditioner) of the current direction */
    double beta;           /* of the last concluded iteration, for those that make p later; 0 at
                              first */
    double threshold;      /* stop when r'r <= threshold = (tolerance reference)^2 */
    double energy_threshold; /* stop when ||x - x_k||_A^2 is below, as estimated; 0: never */
    double replacement_ratio; /* a replacement is due at this ratio of r'r to its peak; 0: never */
    double peak;              /* largest r'r since the start, or the last replacement */
    double best;           /* smallest r'r so far */
    int64_t best_iteration;
    int64_t iteration; /* iterations done */
    int64_t first;     /* iterations done before the last start or restart */
    int64_t max_iterations;
    int64_t stagnation_window;
    int32_t preconditioned; /* enum cgs_preconditioning */
    int32_t reason;        /* enum cgs_reason; once not CGS_GOING_ON, steps do nothing */
    int64_t parity_base; /* fused steps keep directions in p and q by turns: iteration parity_base +
                            k finds the previous direction in p for even k, in q for odd k */
    int32_t x_deferred;  /* x lacks alpha p of the last concluded iteration: set by an operator's
                            update_conclude or a space's update_direction, completed by finish or
                            settle */
    int32_t x_zero;      /* x is 0: it need not be read; until the first iteration is concluded */
    struct cgs_cg_record *records; /* max_iterations + 1, in the memory of the state */
};

/* Returns true if the direction of the last concluded iteration is in q, not in p (parity_base). */
CGS_INLINE int cgs_cg_direction_in_q(const struct cgs_cg_state *state)
{
    return (int)((state->iteration - state->parity_base) & 1);
}

CGS_INLINE int cgs_cg_going_on(const struct cgs_cg_state *state)
{
    return state->reason == CGS_GOING_ON;
}

/* Returns true if x is neither NaN nor Inf (x - x is NaN for both). */
CGS_INLINE int cgs_finite(double x)
{
    return x - x == 0.0;
}

/* Step length; 0 if p'A p <= 0 or NaN, which leaves x unchanged. */
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

/* Returns true if the estimated energy norm of the error is small enough. The last share times the
 * margin is a lower bound of the estimate, so usually one number is read. */
CGS_INLINE int cgs_cg_accurate(const struct cgs_cg_state *state)
{
    const int64_t k = state->iteration;
    if (k <= state->first ||
        CGS_ENERGY_MARGIN * state->records[k].energy > state->energy_threshold)
        return 0;
    const double error2 = cgs_energy_error2(state->records, state->first, k);
    return error2 > 0.0 && error2 <= state->energy_threshold;
}

/* Returns the reason to stop without convergence or to replace the residual, if any. */
CGS_INLINE int32_t cgs_cg_give_up(const struct cgs_cg_state *state)
{
    if (state->iteration >= state->max_iterations)
        return CGS_ITERATION_LIMIT;
    if (state->iteration - state->best_iteration > state->stagnation_window)
        return CGS_STAGNATION;
    return state->sums[CGS_SUM_RR] <= state->replacement_ratio * state->peak ? CGS_REPLACEMENT_DUE
                                                                             : CGS_GOING_ON;
}

/* Returns the reason to stop, if any, when the sums of an iteration are complete; pq is 1 at the
 * start vector. */
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
    /* The estimate comes last: nvcc 13 then keeps no values in registers across it and spills
     * none. */
    const int32_t otherwise = cgs_cg_give_up(state);
    return state->energy_threshold > 0.0 && cgs_cg_accurate(state) ? CGS_ACCURATE : otherwise;
}

/* Starts or restarts a run from the first residual (sums RR, and RZ). */
CGS_INLINE void cgs_cg_begin(struct cgs_cg_state *state)
{
    state->rz = cgs_cg_new_rz(state);
    state->sums[CGS_SUM_PQ] = state->rz; /* of p = z, if M is A's inverse */
    state->beta = 0.0;
    state->x_deferred = 0;
    state->parity_base = state->iteration;
    state->first = state->iteration;
    state->best = state->peak = state->sums[CGS_SUM_RR];
    state->best_iteration = state->iteration;
    state->records[state->iteration].rr = state->sums[CGS_SUM_RR];
    state->reason = cgs_cg_judge(state, 1.0);
}

/* Spares the last iteration its z = M r: sets CGS_ENDING if the complete r'r shows that it is the
 * last. */
CGS_INLINE void cgs_cg_close(struct cgs_cg_state *state)
{
    if (cgs_cg_going_on(state) && state->sums[CGS_SUM_RR] <= state->threshold)
        state->reason = CGS_ENDING;
}

/* Returns true if an iteration is to be concluded. */
CGS_INLINE int cgs_cg_concludes(const struct cgs_cg_state *state)
{
    return cgs_cg_going_on(state) || state->reason == CGS_ENDING;
}

/* Ends an iteration, as its last step. Called by one thread when no other reads the state any more.
 * An iteration that broke down (p'A p <= 0, NaN) is not counted: x is that of the previous one. */
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
    state->x_zero = 0;
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

/* Sets sums[PQ] to p'A p of the direction p = z + beta p that comes next, from z'A z and from the
 * p'A p that is there, of the direction before: both are A-orthogonal, so that
 * p'A p = z'A z - beta^2 (old p'A p). Follows cgs_cg_begin or cgs_cg_conclude where all sums of an
 * iteration are one reduction (solver/cg/cg_merged.c). A difference <= 0 may be rounding: then the
 * residual is due for replacement, which computes it anew. */
CGS_INLINE void cgs_cg_foresee(struct cgs_cg_state *state)
{
    const double zw = state->sums[CGS_SUM_ZW], beta = state->beta;
    const double pq = beta != 0.0 ? zw - beta * beta * state->sums[CGS_SUM_PQ] : zw;
    state->sums[CGS_SUM_PQ] = pq;
    if (!cgs_finite(pq))
        state->reason = CGS_NOT_FINITE;
    else if (pq <= 0.0)
        state->reason = beta != 0.0 ? CGS_REPLACEMENT_DUE : CGS_NOT_POSITIVE;
}

/* Factor of a vector update: a constant, or a scalar of the state evaluated on use. NEXT_BETA: the
 * beta of the last concluded iteration. */
enum cgs_factor_kind { CGS_CONSTANT, CGS_ALPHA, CGS_MINUS_ALPHA, CGS_BETA, CGS_NEXT_BETA };

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
    case CGS_NEXT_BETA:
        return state->beta;
    default: return coefficient.constant;
    }
}
