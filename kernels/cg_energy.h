/* The energy norm of CG's algebraic error, from what the iterations leave behind: for host and
 * device, as cg_state.h is.
 *
 * With e_k = x - x_k, every iteration takes its own share of the squared error away:
 *     ||e_j||_A^2 = d_j + d_(j+1) + ... + d_(k-1) + ||e_k||_A^2,   d_i = alpha_i r_i'z_i,
 * which holds in floating point as well, for it needs no more than local orthogonality
 *     (Hestenes & Stiefel, J. Res. Nat. Bur. Standards 49 (1952), Theorem 6:1;
 *     Strakos & Tichy, ETNA 13 (2002)).
 * So the error at k is what later iterations will take away. The past says how much that is, as
 * compared with the last share: the worst ratio of all that followed to a single share,
 *     S = max_i (d_i + ... + d_(k-1)) / d_i,   ||e_k||_A^2 < ||e_(k-1)||_A^2 ~ S d_(k-1),
 * over the iterations in which the squared error fell by the last four orders of magnitude
 *     (Meurant, Papez & Tichy, Numer. Algorithms 88 (2021): there S chooses the delay of a lower
 *     bound; here it is the estimate itself, which needs no delay).
 * It is no bound: a part of the error that no residual has shown yet is in no ratio. On the Q1
 * matrix, N = 15 ... 127, smooth and random right-hand sides, it is 0.9 to 7 times the true error
 * at every k; sums of two windows extrapolated are 0.02 to 1800 times, by the window's length
 * (bench/results/2026-11-20-energy.md).
 */
#ifndef CGS_KERNELS_CG_ENERGY_H
#define CGS_KERNELS_CG_ENERGY_H

#include <stdint.h>

#include "base/linkage.h"

/* What is kept of every iteration: record k holds r'r after k iterations, and of iteration k alpha,
 * beta and the share of ||x - x_0||_A^2 that it covered (records[0] has the residual only). */
struct cgs_cg_record {
    double rr, alpha, beta;
    double energy; /* alpha r'z, d_(k-1) above */
};

/* How far back ratios are looked at; how much of what has been seen the estimate may be at most,
 * where that is all there is; and what the estimate is multiplied by, since ratios of the future
 * may be worse than those of the past. */
#define CGS_ENERGY_REACH 1e-4
#define CGS_ENERGY_KNOWN 0.1
#define CGS_ENERGY_MARGIN 2.0

/* ||x - x_k||_A^2 as estimated from records first + 1 ... k of a run that started (or started anew)
 * at `first`; 0 where that is too short a way to tell, or the numbers are not fit for it. */
CGS_INLINE double cgs_energy_error2(const struct cgs_cg_record *records, int64_t first, int64_t k)
{
    double sum = 0.0, worst = 1.0, last;
    int64_t i = k;
    if (k <= first)
        return 0.0;
    last = CGS_ENERGY_MARGIN * records[k].energy;
    if (!(last > 0.0))
        return 0.0;
    for (; i > first && sum * CGS_ENERGY_REACH < worst * last; i--) {
        const double share = records[i].energy;
        if (!(share > 0.0))
            return 0.0;
        sum += share;
        if (sum > worst * share)
            worst = sum / share;
    }
    return i > first || worst * last <= CGS_ENERGY_KNOWN * sum ? worst * last : 0.0;
}

#endif
