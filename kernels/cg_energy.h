/* Energy norm of the algebraic error of CG, estimated from the records of its iterations; for host
 * and device, as cg_state.h.
 *
 * With e_k = x - x_k, every iteration removes its own share of the squared error:
 *     ||e_j||_A^2 = d_j + d_(j+1) + ... + d_(k-1) + ||e_k||_A^2,   d_i = alpha_i r_i'z_i,
 * and this holds in floating point as well, since it needs only local orthogonality
 *     (Hestenes & Stiefel, J. Res. Nat. Bur. Standards 49 (1952), Theorem 6:1;
 *     Strakos & Tichy, ETNA 13 (2002)).
 * So the error at step k is the sum of later shares. It is estimated from the past, relative to the
 * last share: with the worst ratio of all that followed a share to that share,
 *     S = max_i (d_i + ... + d_(k-1)) / d_i,   ||e_k||_A^2 < ||e_(k-1)||_A^2 ~ S d_(k-1),
 * over the iterations in which the squared error fell by the last four orders of magnitude
 *     (Meurant, Papez & Tichy, Numer. Algorithms 88 (2021): there S chooses the delay of a lower
 *     bound; here it gives the estimate itself, which needs no delay).
 * The estimate is no bound: a part of the error that has not shown in a residual is in no ratio. On
 * the Q1 matrix, N = 15 ... 127, smooth and random right-hand sides, it is 0.9 to 7 times the true
 * error at every k; extrapolated sums of two windows give 0.02 to 1800 times, depending on the
 * window (bench/results/2026-11-20-energy.md).
 */
#pragma once

#include <stdint.h>

#include "base/linkage.h"

/* Record of iteration k: r'r after it, its alpha and beta, and its share of ||x - x_0||_A^2
 * (records[0] has the residual only). */
struct cgs_cg_record {
    double rr, alpha, beta;
    double energy; /* alpha r'z, d_(k-1) above */
};

/* Range of past squared errors that is searched for ratios; largest part of the observed decrease
 * that the estimate may be if there is nothing older; and the safety factor for ratios that become
 * worse. */
#define CGS_ENERGY_REACH 1e-4
#define CGS_ENERGY_KNOWN 0.1
#define CGS_ENERGY_MARGIN 2.0

/* Estimates ||x - x_k||_A^2 from records first + 1 ... k of a run that started or restarted at
 * `first`. 0: too few iterations, or records unfit for it. */
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
