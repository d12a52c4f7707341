/* The inverse of a small symmetric positive definite matrix, in place by symmetric Gauss-Jordan steps
 * (sweeps): sweeping all rows k leaves -A^-1, where a sweep is, with d = a_kk,
 *
 *     a_ij = a_ij - a_ik a_kj / d    (i, j not k)
 *     a_ik = a_ik / d,   a_kk = -1 / d
 *
 * On the lower triangle alone, which is all that a symmetric matrix has. Every pivot d is positive
 * where A is positive definite: it is a Schur complement's diagonal entry.
 * Source: J. H. Goodnight, A tutorial on the SWEEP operator, Amer. Statist. 33 (1979).
 */
#include "matrix/dense.h"

#include "base/memory.h"
#include "base/vectorise.h"

/* ---- the source as a lower triangle ---- */

static enum cgs_status draw(struct cgs_context *context, const struct cgs_row_source *source,
                            double *lower)
{
    const int64_t n = source->rows;
    int32_t *columns, length;
    double *values;
    CGS_TRY(cgs_alloc(context, n, sizeof *columns, "coarsest grid", (void **)&columns));
    const enum cgs_status status =
        cgs_alloc(context, n, sizeof *values, "coarsest grid", (void **)&values);
    if (status != CGS_OK) {
        cgs_free(context, columns);
        return status;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++)
            lower[i * n + j] = 0.0;
        source->lengths(source, i, i + 1, &length);
        source->fill(source, i, i + 1, columns, values);
        for (int32_t k = 0; k < length; k++)
            if (columns[k] <= i)
                lower[i * n + columns[k]] = values[k];
    }
    cgs_free(context, values);
    cgs_free(context, columns);
    return CGS_OK;
}

/* ---- sweeps ---- */

/* row -= factor pivot, numbers 0 ... count - 1. */
static CGS_CLONES void subtract(int64_t count, double factor, const double *restrict pivot,
                                double *restrict row)
{
    for (int64_t j = 0; j < count; j++)
        row[j] -= factor * pivot[j];
}

/* Row and column k of the lower triangle, as one row. */
static void take_pivot(int64_t n, int64_t k, const double *lower, double *pivot)
{
    for (int64_t j = 0; j < k; j++)
        pivot[j] = lower[k * n + j];
    for (int64_t i = k; i < n; i++)
        pivot[i] = lower[i * n + k];
}

static void sweep(int64_t n, int64_t k, double d, const double *pivot, double *lower)
{
    for (int64_t i = 0; i < n; i++)
        if (i != k)
            subtract(i + 1, pivot[i] / d, pivot, lower + i * n);
    for (int64_t j = 0; j < k; j++)
        lower[k * n + j] = pivot[j] / d;
    for (int64_t i = k + 1; i < n; i++)
        lower[i * n + k] = pivot[i] / d;
    lower[k * n + k] = -1.0 / d;
}

enum cgs_status cgs_dense_inverse(struct cgs_context *context, const struct cgs_row_source *source,
                                  double *inverse)
{
    const int64_t n = source->rows;
    double *pivot;
    CGS_TRY(draw(context, source, inverse));
    CGS_TRY(cgs_alloc(context, n, sizeof *pivot, "coarsest grid", (void **)&pivot));
    for (int64_t k = 0; k < n; k++) {
        take_pivot(n, k, inverse, pivot);
        if (!(pivot[k] > 0.0)) {
            cgs_free(context, pivot);
            return cgs_fail(context, CGS_BREAKDOWN,
                            "the matrix of the coarsest grid is not positive definite (row %lld, "
                            "counting from 1)",
                            (long long)k + 1);
        }
        sweep(n, k, pivot[k], pivot, inverse);
    }
    cgs_free(context, pivot);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double entry = -inverse[i * n + j];
            inverse[i * n + j] = entry;
            inverse[j * n + i] = entry;
        }
    return CGS_OK;
}
