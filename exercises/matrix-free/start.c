/* cgsolve exercise: matrix-free */
/* The product without a matrix.
 *
 * A CRS product of the box reads 348 bytes a row: 27 entries of 12, a pointer, x and y. But on the
 * plain cube all rows have the same 27 numbers, the "stencil", and of these only four differ: one
 * for the centre, for the 6 neighbours across a face, the 12 across an edge, the 8 across a corner.
 * So the matrix need not be stored, nor read: x and y are left, 16 bytes a row.
 *
 * The unknowns are numbered with the first index fastest: unknown (i, j, k), each from 0 to n - 1,
 * is x[i + n (j + n k)]. With h = 1/(n + 1), trilinear elements and Gauss's quadrature
 * (doc/theory.md)
 *
 *     y(i,j,k) = h ( 8/3 x(i,j,k)  +  0 (faces)  -  1/6 (sum over edges)  -  1/12 (sum over corners) )
 *
 * faces:   one of the three indices differs by 1
 * edges:   two of them differ by 1, as (i+1, j-1, k)
 * corners: all three of them do
 *
 * What lies outside of 0 ... n - 1 is the boundary, where the solution is 0: leave it out. Note
 * that x[-1 + n j] in memory is the last number of another line: an index that leaves the box by
 * its side comes back at the other one, unless you look at i, j and k by themselves.
 *
 * Right first: three loops over -1 ... 1, of which those that leave the box are skipped. Then fast.
 * Processors add 4 or 8 doubles by one instruction ("SIMD") if the innermost loop runs along
 * neighbouring numbers and asks nothing. So work line by line (j and k fixed):
 *
 *  1. add up the four lines at (j+-1, k) and (j, k+-1) in a line e, and the four at (j+-1, k+-1) in a
 *     line d, both with a zero in front and behind, so that nobody has to ask for the ends;
 *  2. then each y(i) of the line is made of x(i), d(i), and e and d at i - 1, i and i + 1.
 *
 * Count which of them are edges and which are corners, and 26 neighbours become 5 numbers: they are
 * used from the cache several times ("sum factorisation" is the same idea for higher orders).
 * OpenMP: divide lines or planes among threads, with e and d inside of the loop.
 *
 *     cgsolve exercise check matrix-free.c
 */
#include <cgsolve/exercise.h>

static void box_product(int64_t n, const double *x, double *y)
{
    const double h = 1.0 / (double)(n + 1);
    /* TODO: the neighbours. This is the centre alone. */
    for (int64_t row = 0; row < n * n * n; row++)
        y[row] = h * (8.0 / 3.0) * x[row];
}

CGSOLVE_BOX_PRODUCT(box_product)
