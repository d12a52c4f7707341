/* Decisions on rows and strong neighbours that CPU and device make identically, to the bit
 * (kernels/amg.h): only products, sums in column order, and integers, nothing that a compiler could
 * fuse.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"
#include "base/random.h"

CGS_BEGIN_C

/* Fails because the diagonal entry of `row` (from 0) is not positive. */
enum cgs_status cgs_amg_not_positive(struct cgs_context *context, int64_t row);

/* Returns true if |a_ij| > theta sqrt(a_ii a_jj), j != i; symmetric in i and j. roots: square roots
 * of the diagonal. */
CGS_INLINE int cgs_amg_strong(double entry, double theta, double root_i, double root_j)
{
    return fabs(entry) > theta * (root_i * root_j);
}

/* Strength of a connection among those of one row: |a_ij| / sqrt(a_ii a_jj) without their common
 * factor. */
CGS_INLINE double cgs_amg_strength(double entry, double root_j)
{
    return fabs(entry) / root_j;
}

/* Keys of rows for a maximal independent set of distance 2. Ascending order: rows that are out,
 * undecided rows by hash, then by row, roots.
 *
 *     63 62 | 61 ... 31 | 30 ... 0
 *     state |      hash |      row
 */
enum cgs_amg_state { CGS_AMG_OUT, CGS_AMG_UNDECIDED, CGS_AMG_ROOT };

CGS_INLINE uint64_t cgs_amg_key(enum cgs_amg_state state, int64_t row)
{
    const uint64_t hash = cgs_splitmix64((uint64_t)row) >> 33;
    return (uint64_t)state << 62 | hash << 31 | (uint64_t)row;
}

CGS_INLINE enum cgs_amg_state cgs_amg_state_of(uint64_t key)
{
    return (enum cgs_amg_state)(key >> 62);
}

CGS_INLINE int64_t cgs_amg_row_of(uint64_t key)
{
    return (int64_t)(key & UINT64_C(0x7fffffff));
}

/* Returns true if the highest key of a row and its neighbours may still change. */
CGS_INLINE int cgs_amg_open(uint64_t highest)
{
    return cgs_amg_state_of(highest) == CGS_AMG_UNDECIDED;
}

/* New state of an undecided row; highest: the greatest key within distance 2. */
CGS_INLINE enum cgs_amg_state cgs_amg_decide(uint64_t highest, int64_t row)
{
    if (cgs_amg_row_of(highest) == row)
        return CGS_AMG_ROOT;
    return cgs_amg_state_of(highest) == CGS_AMG_ROOT ? CGS_AMG_OUT : CGS_AMG_UNDECIDED;
}

/* Diagonal entry of A_F: a_ii plus the weak entries of the row, which keeps row sums; a_ii alone if
 * that sum is less than half the largest strong entry, since a row of D_F^-1 A_F would then have an
 * entry above 2. With row sums >= 0 and strong entries <= 0 the sum is never less than the
 * largest. */
CGS_INLINE double cgs_amg_filtered(double diagonal, double weak, double largest)
{
    const double sum = diagonal + weak;
    return sum > 0.5 * largest && sum > 0.0 ? sum : diagonal;
}

CGS_END_C
