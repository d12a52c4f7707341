/* cgsolve exercise: product */
/* y = A x with a sparse matrix, on all cores.
 *
 * A finite-element matrix is nearly all zeros: a row of a million numbers has 27 that count. CRS
 * ("compressed row storage") keeps only these, row after row, in three arrays:
 *
 *     4x4 matrix        row   entries (column:value)
 *     . 3 1 .            0    1:3  2:1           pointers  0     2     4   5       8
 *     4 . . 7            1    0:4  3:7           column    1 2 | 0 3 | 2 | 0 2 3
 *     . . 6 .            2    2:6                values    3 1 | 4 7 | 6 | 9 5 3
 *     9 . 5 3            3    0:9  2:5  3:3
 *
 * Row i has the entries k = pointers[i] ... pointers[i + 1] - 1: entry k has the value values[k]
 * and stands in the column column[k]. A row without entries has pointers[i] = pointers[i + 1]. So
 *
 *     y[i] = sum over k of values[k] x[column[k]].
 *
 * Rows do not need each other: each can be computed by another core. OpenMP's line
 *
 *     #pragma omp parallel for schedule(static)
 *
 * above a for loop divides its passes among threads. What is declared inside of the loop each
 * thread has for itself; what is declared outside of it all share. If two threads write to one
 * variable at the same time (a "race") the result is wrong, but not in each run.
 *
 * y holds rubbish (NaN) when the function is called: each y[i] has to be written, not added to.
 *
 * How fast can it be? An entry costs two operations and 12 bytes (8 of value, 4 of column), and no
 * matrix that matters fits into the caches. So memory decides: a product takes about 12 bytes an
 * entry divided by the memory's bytes a second. One core does not reach them, which is why OpenMP
 * pays here. (S. Williams and others, CACM 52 (2009) 65, the roofline model.)
 *
 *     cgsolve exercise check product.c                    judges it and says why
 *     cgsolve spmv --kernel=./product.c,crs_row           measures it beside ours
 */
#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
    /* TODO: divide this loop among the threads, and sum row i in place of 0. */
    (void)pointers, (void)column, (void)values, (void)x;
    for (int64_t i = 0; i < rows; i++)
        y[i] = 0.0;
}

CGSOLVE_PRODUCT(product)
