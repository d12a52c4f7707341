/* cgsolve exercise: fuse */
/* Fuse the dot product with the product.
 *
 * In each iteration CG needs q = A p and then the dot product p'q. Two separate loops read p and q
 * from memory a second time, although both were in the processor a moment ago: the caches cannot
 * hold long vectors. One loop can add p_i q_i to the sum while both numbers are in registers, which
 * costs nothing. That is called "fusing", and it is most of what makes a CG fast.
 *
 * The matrix here is that of a rod in one dimension, the second difference. It needs no storage, so
 * only the vectors count:
 *
 *     y_i = 2 x_i - x_(i-1) - x_(i+1),      i = 0 ... n - 1,      x_(-1) = x_n = 0
 *
 * Bytes a row, with 8 bytes a number:
 *
 *     two loops:  read x, write y (which first reads its cache line), read x and y:    40
 *     one loop:   read x, write y (which first reads its cache line):                  24
 *
 * So one loop should be 1.7 times as fast for vectors that no cache can hold. The points for speed
 * are for that.
 *
 * A sum over all threads is a "reduction". With a plain sum += ... in a parallel loop, all threads
 * would write to one variable (a race). OpenMP's clause
 *
 *     #pragma omp parallel for schedule(static) reduction(+ : sum)
 *
 * gives each thread its own sum, which starts from 0, and adds them up at the end. Within a thread,
 *
 *     #pragma omp simd reduction(+ : sum)
 *
 * before a loop over some rows allows the additions to be made in another order than written.
 * Without it the compiler may not use the processor's vector instructions for a sum of
 * floating-point numbers. (The combination `parallel for simd` is valid OpenMP, too, but clang 14
 * computes a wrong sum with it.)
 *
 * The first and the last row have only one neighbour. Reading x[-1] or x[n] is a fault here, and an
 * `if` in the loop slows it down: treat these two rows separately, and think of n = 1.
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
