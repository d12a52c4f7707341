/* cgsolve exercise: fuse */
/* Fuse the dot product with the product.
 *
 * CG needs q = A p and then p'q (the "dot product" of p and q) in each iteration. As two loops they
 * read p and q once more from memory, although both were there a moment ago: for large vectors the
 * caches have forgotten them. In one loop, as long as p_i and q_i are in registers, p'q costs
 * nothing. That is "fusing", and most of what a fast CG consists of.
 *
 * Here the matrix is that of a rod in one dimension, the second difference. It needs no storage, so
 * that only the vectors count:
 *
 *     y_i = 2 x_i - x_(i-1) - x_(i+1),      i = 0 ... n - 1,      x_(-1) = x_n = 0
 *
 * Bytes a row, of 8 each:  two loops: read x, write y (which reads its line first), read x and y:
 * 40
 *                          one loop:  read x, write y (which reads its line first): 24
 *
 * So one loop should be 1.7 times as fast for vectors that no cache holds. Points are given for
 * that.
 *
 * A sum over all threads is a "reduction". With sum += ... in a parallel loop all threads would
 * write to one variable (a race). OpenMP's clause
 *
 *     #pragma omp parallel for schedule(static) reduction(+ : sum)
 *
 * gives each thread a sum of its own, starting from 0, and adds them up at the end. Within a thread
 *
 *     #pragma omp simd reduction(+ : sum)
 *
 * before the loop of a function that adds up some rows allows it to add in another order than
 * written, without which the compiler may not use the processor's vector instructions for a sum of
 * floating-point numbers. (Both in one, `parallel for simd`, is OpenMP, too, but clang 14 then adds
 * up something else.)
 *
 * The first and the last row have only one neighbour. Reading x[-1] or x[n] is a fault here. An if
 * in the loop slows it down: treat these two rows by themselves, and mind n = 1.
 *
 *     cgsolve exercise check fuse.c
 */
#include <cgsolve/exercise.h>

static double product_dot(int64_t n, const double *x, double *y)
{
    /* TODO: on all threads, with the rows at both ends, and with x'y in the same loop. */
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        y[i] = 2.0 * x[i];
    return sum;
}

CGSOLVE_PRODUCT_DOT(product_dot)
