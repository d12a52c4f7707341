/* cgsolve exercise: sell */
/* SELL-32: a layout for which a thread a row is right.
 *
 * A warp a row reads CRS in order. The other way is to keep one thread for each row, and to store
 * the matrix so that 32 neighbouring threads find their numbers side by side. SELL does this: 32
 * rows make a "chunk", which is as wide as its longest row and is stored column by column: first
 * entry 0 of all its 32 rows, then entry 1 of all of them, ... Shorter rows are filled up with
 * "padding": entries of value 0 in some valid column, so that they can be multiplied without an
 * `if`. With C rows a chunk, here C = 2:
 *
 *     chunk 0: rows 0, 1       chunk 1: rows 2, 3                pointers  0 4 10
 *         entry 0 entry 1          entry 0 entry 1 entry 2
 *     0:   1:3     2:1         2:   2:6     *       *            column  1 0 2 3 | 2 0 2 2 2 3
 *     1:   0:4     3:7         3:   0:9     2:5     3:3          values  3 4 1 7 | 6 9 0 5 0 3
 *
 * Place i (a row of the layout) lies in chunk c = i / C, at l = i % C. The chunk has the entries
 * pointers[c] ... pointers[c + 1] - 1, so it is w = (pointers[c + 1] - pointers[c]) / C wide, and
 * entry j of place i is
 *
 *     k = pointers[c] + j C + l,      j = 0 ... w - 1.
 *
 * For a fixed j the 32 threads of a warp have 32 neighbouring k: the load is coalesced, without
 * shuffles. (M. Kreutzer and others, SIAM J. Sci. Comput. 36 (2014) C401, arXiv:1307.6209;
 * cgsolve/kernel.h.)
 *
 * The rows may have been sorted by length (exercise sort). Then place i holds row permutation[i],
 * and its sum belongs to y[permutation[i]]. If permutation is NULL, place i is row i. x is never
 * permuted.
 *
 * The last chunk may have fewer rows than places: threads with i >= rows write nothing. y contains
 * garbage (NaN) before the call: write each row.
 *
 *     cgsolve exercise check sell.cu                          needs a GPU
 *     cgsolve spmv --kernel=./sell.cu,sell_chunk,crs_warp
 */
#include <cgsolve/exercise.h>

__global__ void sell(int64_t rows, int32_t chunk, const int64_t *pointers,
                     const int32_t *permutation, const int32_t *column, const double *values,
                     const double *x, double *y)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    /* TODO: the sum of place i, and the row to which it belongs. */
    (void)chunk, (void)pointers, (void)permutation, (void)column, (void)values, (void)x;
    if (i < rows)
        y[i] = 0.0;
}

CGSOLVE_SELL_CUDA(sell)
