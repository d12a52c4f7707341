/* The rule by which CPU and device mend coarse rows of singular components (kernels/amg.h): the
 * rows of a node, or one row, which have no nonzero in other columns than their own.
 *
 *          1e-18   -3e-18    0       most     0       0
 *         -3e-18    2e-18  1e-10  ->    0   most      0
 *            0      1e-10    4          0     0       4
 */
#pragma once

#include <math.h>

#include "kernels/amg.h"

CGS_BEGIN_C

/* Rows of a node, and its columns, which begin at `first`. */
struct cgs_amg_node {
    const struct cgs_sparse *a;
    int64_t begin, end, first;
};

/* Returns true if the node's rows have no nonzero in the columns of others. One comparison of
 * numbers without sign: GCC 12 drops the second of two. */
CGS_INLINE bool cgs_amg_alone(const struct cgs_amg_node *n)
{
    const struct cgs_sparse *a = n->a;
    const double *value = (const double *)a->value;
    const uint64_t rows = (uint64_t)(n->end - n->begin);
    for (int64_t e = a->pointers[n->begin]; e < a->pointers[n->end]; e++)
        if (value[e] != 0.0 && (uint64_t)(a->column[e] - n->first) >= rows)
            return false;
    return true;
}

/* Returns the diagonal entry of a row of the node; NULL: it has none. */
CGS_INLINE double *cgs_amg_diagonal_of(const struct cgs_amg_node *n, int64_t row)
{
    double *value = (double *)n->a->value;
    for (int64_t e = n->a->pointers[row]; e < n->a->pointers[row + 1]; e++)
        if (n->a->column[e] == n->first + (row - n->begin))
            return &value[e];
    return NULL;
}

/* Clears a row and its column within the node. */
CGS_INLINE void cgs_amg_clear(const struct cgs_amg_node *n, int64_t row)
{
    double *value = (double *)n->a->value;
    for (int64_t i = n->begin; i < n->end; i++)
        for (int64_t e = n->a->pointers[i]; e < n->a->pointers[i + 1]; e++)
            if (i == row || n->a->column[e] == n->first + (row - n->begin))
                value[e] = 0.0;
}

/* Mends the rows of a node that is alone. most: the largest diagonal entry of the finer grid. */
CGS_INLINE void cgs_amg_mend_node(const struct cgs_amg_node *n, double most)
{
    for (int64_t row = n->begin; row < n->end; row++) {
        double *diagonal = cgs_amg_diagonal_of(n, row);
        if (!diagonal || !(fabs(*diagonal) <= CGS_AMG_NOTHING * most))
            continue;
        cgs_amg_clear(n, row);
        *diagonal = most;
    }
}

CGS_END_C
