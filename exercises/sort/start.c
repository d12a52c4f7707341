/* cgsolve exercise: sort */
/* sigma: sort the rows, and win.
 *
 * SELL-C-sigma puts C rows (32 on a GPU) side by side in a "chunk" and stores the chunk as wide as
 * its longest row. Shorter rows are filled up with zeros, the "padding", which are read and
 * multiplied like all other numbers. Example: lengths 9 1 1 1 8 1 1 1 in chunks of C = 2:
 *
 *     rows 0 1    width 9, 8 padded        sorted: rows 0 4    width 9, 1 padded
 *     rows 2 3    width 1                          rows 1 2    width 1
 *     rows 4 5    width 8, 7 padded                rows 3 5    width 1
 *     rows 6 7    width 1                          rows 6 7    width 1
 *                         15 padded                                     1 padded
 *
 * So rows of similar length should be neighbours. But sorting all rows has a price: rows that are
 * neighbours in the mesh use the same numbers of x, which a chunk then finds in the cache; after
 * sorting they may be far apart. Therefore the rows are cut into windows of sigma rows (the last
 * one may be shorter), and each window is sorted by itself. sigma = 1 sorts nothing, sigma >= rows
 * sorts everything. (M. Kreutzer and others, SIAM J. Sci. Comput. 36 (2014) C401,
 * arXiv:1307.6209.)
 *
 * The result is a permutation: order[i] is the row in place i, and each row has one place. Place i
 * belongs to window i / sigma, and so must its row. Within a window the lengths descend; rows of
 * equal length may come in any order.
 *
 *     lengths  1 3 2 | 0 5        sigma = 3        order  1 2 0 | 4 3
 *
 * Any way of sorting will do. C has qsort: its elements can be structs of a length and a row. The
 * comparison function returns a negative number if its first argument comes first.
 *
 *     cgsolve exercise check sort.c
 *     cgsolve spmv --random=20000,5e-4,powerlaw --backend=cpu --kernel=sell_chunk      what it wins
 *
 * The second command shows SELL with sigma = 1 and with sorting: bytes, padding and time.
 */
#include <cgsolve/exercise.h>

static void sort_rows(int64_t rows, int64_t sigma, const int64_t *length, int64_t *order)
{
    /* TODO: sort each window by descending length. This leaves all rows where they are. */
    (void)sigma, (void)length;
    for (int64_t i = 0; i < rows; i++)
        order[i] = i;
}

CGSOLVE_SORT(sort_rows)
