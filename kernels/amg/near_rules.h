/* Nodes, norms of blocks, and Q R of near-null vectors (kernels/near_null.h), which CPU and device
 * make identically, to the bit: a node and an aggregate are one thread's, and sums go row by row.
 */
#pragma once

#include <math.h>

#include "base/linkage.h"
#include "kernels/near_null.h"

CGS_BEGIN_C

/* A column whose norm falls below this part of its own depends on those before it. */
#define CGS_NEAR_DEPENDENT 1e-8

/* Returns x y, rounded: nvcc would fuse it with a sum. */
CGS_INLINE double cgs_near_product(double x, double y)
{
#ifdef __CUDA_ARCH__
    return __dmul_rn(x, y);
#else
    return x * y;
#endif
}

/* ---- nodes ---- */

/* Returns true if the row has a nonzero beside its diagonal, which is in column `own`. */
CGS_INLINE bool cgs_near_connected(const struct cgs_sparse *a, int64_t row, int64_t own)
{
    const double *number = (const double *)a->value;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        if (a->column[e] != own && number[e] != 0.0)
            return true;
    return false;
}

/* Returns true if all rows of a node have entries in the same nodes. */
CGS_INLINE bool cgs_near_alike(const struct cgs_sparse *a, int64_t row, int block)
{
    int64_t at[CGS_NEAR_MOST] = {0};
    for (int k = 0; k < block; k++)
        at[k] = a->pointers[row + k];
    while (at[0] < a->pointers[row + 1]) {
        const int32_t node = a->column[at[0]] / block;
        for (int k = 0; k < block; k++) {
            const int64_t begin = at[k], end = a->pointers[row + k + 1];
            while (at[k] < end && a->column[at[k]] / block == node)
                at[k]++;
            if (at[k] == begin)
                return false;
        }
    }
    for (int k = 1; k < block; k++)
        if (at[k] < a->pointers[row + k + 1])
            return false;
    return true;
}

/* ---- the matrix of nodes ---- */

struct cgs_near_blocks {
    struct cgs_sparse a;
    const double *roots;  /* of the diagonal, a number for each column */
    const int64_t *first; /* nodes + 1 */
    const int32_t *node;  /* of each column */
    int64_t begin;        /* column of row 0's diagonal entry */
};

/* Returns the squares of the row's entries from *at on that are in columns of the node, scaled, and
 * moves *at behind them. */
CGS_INLINE double cgs_near_squares(const struct cgs_near_blocks *b, int64_t row, int32_t node,
                                   int64_t *at)
{
    const double *number = (const double *)b->a.value;
    double sum = 0.0;
    for (; *at < b->a.pointers[row + 1] && b->node[b->a.column[*at]] == node; ++*at) {
        const double scaled =
            number[*at] / (b->roots[b->begin + row] * b->roots[b->a.column[*at]]);
        sum += cgs_near_product(scaled, scaled);
    }
    return sum;
}

/* Counts the blocks of a node's rows, and writes their nodes and norms unless `column` is NULL. The
 * rows are merged: their columns ascend, and so do the nodes of these. */
CGS_INLINE int64_t cgs_near_condense(const struct cgs_near_blocks *b, int64_t i, int32_t *column,
                                     double *norm)
{
    const struct cgs_sparse *a = &b->a;
    const int64_t begin = b->first[i];
    const int rows = (int)(b->first[i + 1] - begin);
    int64_t at[CGS_NEAR_MOST], count = 0;
    for (int k = 0; k < rows; k++)
        at[k] = a->pointers[begin + k];
    for (;; count++) {
        int32_t next = INT32_MAX;
        for (int k = 0; k < rows; k++)
            if (at[k] < a->pointers[begin + k + 1] && b->node[a->column[at[k]]] < next)
                next = b->node[a->column[at[k]]];
        if (next == INT32_MAX)
            return count;
        double sum = 0.0;
        for (int k = 0; k < rows; k++)
            sum += cgs_near_squares(b, begin + k, next, &at[k]);
        if (column) {
            column[count] = next;
            norm[count] = sqrt(sum);
        }
    }
}

/* ---- Q and R of an aggregate ---- */

struct cgs_near_columns {
    int count;
    const int64_t *start;  /* aggregates + 1: where their rows begin in `member` */
    const int32_t *member; /* rows by aggregate, ascending */
    double *q;             /* `count` numbers of each row, of which the first `rank` are Q's */
    double *r;             /* count x count numbers of each aggregate */
};

CGS_INLINE double cgs_near_dot(const struct cgs_near_columns *c, int64_t which, int i, int j)
{
    double sum = 0.0;
    for (int64_t m = c->start[which]; m < c->start[which + 1]; m++) {
        const double *row = c->q + (int64_t)c->member[m] * c->count;
        sum += cgs_near_product(row[i], row[j]);
    }
    return sum;
}

/* Subtracts from column j what it has of column i. */
CGS_INLINE void cgs_near_subtract(const struct cgs_near_columns *c, int64_t which, int i, int j,
                                  double *part)
{
    const double product = cgs_near_dot(c, which, i, j);
    for (int64_t m = c->start[which]; m < c->start[which + 1]; m++) {
        double *row = c->q + (int64_t)c->member[m] * c->count;
        row[j] -= cgs_near_product(product, row[i]);
    }
    *part += product;
}

/* Makes Q and R of an aggregate in place of its vectors, and returns the rank. Column j becomes
 * column `rank` <= j. */
CGS_INLINE int cgs_near_orthogonalise(const struct cgs_near_columns *c, int64_t which)
{
    const int count = c->count;
    double *r = c->r + which * count * count;
    int rank = 0;
    for (int i = 0; i < count * count; i++)
        r[i] = 0.0;
    for (int j = 0; j < count; j++) {
        const double before = sqrt(cgs_near_dot(c, which, j, j));
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < rank; i++)
                cgs_near_subtract(c, which, i, j, &r[i * count + j]);
        const double norm = sqrt(cgs_near_dot(c, which, j, j));
        if (!(norm > CGS_NEAR_DEPENDENT * before))
            continue;
        for (int64_t m = c->start[which]; m < c->start[which + 1]; m++) {
            double *row = c->q + (int64_t)c->member[m] * count;
            row[rank] = row[j] / norm;
        }
        r[rank++ * count + j] = norm;
    }
    return rank;
}

CGS_END_C
