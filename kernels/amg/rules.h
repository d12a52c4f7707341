/* What CPU and device decide alike, to the bit, about rows and their strong neighbours
 * (kernels/amg.h): products, a sum in the order of columns, and whole numbers, nothing that a
 * compiler could fuse.
 */
#ifndef CGS_KERNELS_AMG_RULES_H
#define CGS_KERNELS_AMG_RULES_H

#include <math.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"
#include "base/random.h"

CGS_BEGIN_C

/* The refusal of a matrix whose diagonal entry of `row` (from 0) is not positive. */
enum cgs_status cgs_amg_not_positive(struct cgs_context *context, int64_t row);

/* |a_ij| > theta sqrt(a_ii a_jj), j != i; roots: of the diagonal entries. The same of j and i. */
CGS_INLINE int cgs_amg_strong(double entry, double theta, double root_i, double root_j)
{
    return fabs(entry) > theta * (root_i * root_j);
}

/* How strong, among the neighbours of one row: |a_ij| / sqrt(a_ii a_jj) but for what they share. */
CGS_INLINE double cgs_amg_strength(double entry, double root_j)
{
    return fabs(entry) / root_j;
}

/* Keys of rows on the way to a maximal independent set of distance 2. In order: rows that are out,
 * rows that are undecided, by hash, then by row, roots.
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

/* Whether the highest key of a row and its neighbours will still change. */
CGS_INLINE int cgs_amg_open(uint64_t highest)
{
    return cgs_amg_state_of(highest) == CGS_AMG_UNDECIDED;
}

/* What an undecided row becomes when `highest` is the greatest key within distance 2. */
CGS_INLINE enum cgs_amg_state cgs_amg_decide(uint64_t highest, int64_t row)
{
    if (cgs_amg_row_of(highest) == row)
        return CGS_AMG_ROOT;
    return cgs_amg_state_of(highest) == CGS_AMG_ROOT ? CGS_AMG_OUT : CGS_AMG_UNDECIDED;
}

/* The diagonal entry of A_F: a_ii plus the weak entries of the row, so that row sums stay, but a_ii
 * where that leaves less than half the largest strong entry: there a row of D_F^-1 A_F would have
 * an entry above 2. With row sums >= 0 and strong entries <= 0 the sum is never less than the
 * largest. */
CGS_INLINE double cgs_amg_filtered(double diagonal, double weak, double largest)
{
    const double sum = diagonal + weak;
    return sum > 0.5 * largest && sum > 0.0 ? sum : diagonal;
}

CGS_END_C

#endif
