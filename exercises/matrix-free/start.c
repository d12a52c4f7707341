/* cgsolve exercise: matrix-free */
/* The product without a matrix.
 *
 * A CRS product of the box reads 348 bytes a row: 27 entries of 12 bytes, a pointer, x and y. But
 * on the plain cube all rows have the same 27 numbers, the "stencil", and only four of these are
 * different: one for the centre, one for the 6 neighbours across a face, one for the 12 across an
 * edge, one for the 8 across a corner. So the matrix need not be stored or read. What remains are x
 * and y, 16 bytes a row.
 *
 * The unknowns are numbered with the first index fastest: unknown (i, j, k), each from 0 to n - 1,
 * is x[i + n (j + n k)]. With h = 1/(n + 1), trilinear elements and Gauss's quadrature
 * (doc/theory.md)
 *
 *     y(i,j,k) = h ( 8/3 x(i,j,k)  +  0 (faces)  -  1/6 (sum over edges)  -  1/12 (sum over corners) )
 *
 * faces:   one of the three indices differs by 1
 * edges:   two of them differ by 1, as in (i+1, j-1, k)
 * corners: all three of them differ by 1
 *
 * Indices outside 0 ... n - 1 lie on the boundary, where the solution is 0: leave them out. Note
 * that x[-1 + n j] in memory is the last number of another line. An index that leaves the box on
 * one side comes back on the other one, unless you check i, j and k separately.
 *
 * First make it right: three loops over -1 ... 1 that skip what lies outside the box. Then make it
 * fast. Processors add 4 or 8 doubles by one instruction ("SIMD") if the innermost loop runs along
 * neighbouring numbers and has no `if`. So work line by line (j and k fixed):
 *
 *  1. Add the four lines at (j+-1, k) and (j, k+-1) into a line e, and the four at (j+-1, k+-1) into
 *     a line d. Put a zero before and behind both, so that the ends need no `if`.
 *  2. Then each y(i) of the line is made of x(i), d(i), and e and d at i - 1, i and i + 1.
 *
 * Work out which of these are edges and which are corners: 26 neighbours become 5 numbers, and each
 * sum over lines is used several times from the cache ("sum factorisation" is the same idea for
 * higher orders). OpenMP: divide the lines or planes among the threads, and declare e and d inside
 * the loop.
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
