/* cgsolve exercise: product */
/* y = A x with a sparse matrix, on all cores.
 *
 * A finite-element matrix is nearly all zeros: in a row of a million numbers, 27 are not zero. CRS
 * ("compressed row storage") stores only these, row after row, in three arrays:
 *
 *     4x4 matrix        row   entries (column:value)
 *     . 3 1 .            0    1:3  2:1           pointers  0     2     4   5       8
 *     4 . . 7            1    0:4  3:7           column    1 2 | 0 3 | 2 | 0 2 3
 *     . . 6 .            2    2:6                values    3 1 | 4 7 | 6 | 9 5 3
 *     9 . 5 3            3    0:9  2:5  3:3
 *
 * Row i has the entries k = pointers[i] ... pointers[i + 1] - 1. Entry k has the value values[k]
 * and stands in column column[k]. A row without entries has pointers[i] = pointers[i + 1]. So
 *
 *     y[i] = sum over k of values[k] x[column[k]].
 *
 * The rows do not depend on each other, so different cores can compute them. OpenMP's line
 *
 *     #pragma omp parallel for schedule(static)
 *
 * above a for loop divides its iterations among threads. A variable declared inside the loop
 * belongs to one thread; a variable declared outside is shared by all. If two threads write to one
 * variable at the same time (a "race"), the result is wrong, though not in every run.
 *
 * y contains garbage (NaN) when the function is called: set each y[i], do not add to it.
 *
 * How fast can it be? An entry takes two operations and 12 bytes (8 for the value, 4 for the
 * column), and matrices of interest do not fit into the caches. So memory sets the pace: the time
 * of a product is about 12 bytes an entry, divided by the memory's bytes a second. One core cannot
 * use all of the memory's speed, which is why OpenMP pays here. (S. Williams and others, CACM 52
 * (2009) 65, the roofline model.)
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
