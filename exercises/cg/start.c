/* cgsolve exercise: cg */
/* Conjugate gradients in 40 lines, with the true residual.
 *
 * CG solves A x = b for a symmetric positive definite A. All it needs are products A p, dot
 * products and sums of vectors (M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952)
 * 409):
 *
 *     x = 0,  r = b,  p = r,  rr = r'r
 *     until ||r|| <= tolerance ||b||:
 *         q = A p
 *         alpha = rr / p'q
 *         x = x + alpha p
 *         r = r - alpha q
 *         new = r'r,  beta = new / rr,  rr = new
 *         p = r + beta p
 *
 * r stands for the residual b - A x, but it is never computed as b - A x: its own formula updates
 * it, so it is called the "recursive" residual. Rounding makes the two drift apart. r goes to zero
 * in any case, while the "true" residual b - A x stops decreasing at some point (doc/theory.md,
 * "Where rounding stops"). A solver that looks only at r reports success too early. So:
 *
 *  1. When r is small enough, compute t = b - A x.
 *  2. If ||t|| <= tolerance ||b||, you are done.
 *  3. Otherwise restart from here: r = t, p = t, rr = t't, and continue. The remaining error is
 *     small, so its rounding errors are small, too, and x improves.
 *  4. If several restarts in a row have not reduced ||t||, x is as accurate as double precision
 *     allows: stop. Without this rule the function might never return.
 *
 * Return the number of iterations (products A p). Set *residual to the true ||b - A x|| / ||b|| of
 * the x that you return, however large it is: the judge computes it again.
 *
 * x contains garbage (NaN) when the function is called. b may be 0: then the answer is x = 0 after
 * no iterations, with residual 0. Compare squares with squares: ||r|| <= tolerance ||b|| means
 * r'r <= tolerance^2 b'b. Allocate r, p and q yourself (malloc, free). You may use OpenMP.
 *
 *     cgsolve exercise check cg.c
 */
#include <math.h>

#include <cgsolve/exercise.h>

/* y = A x, as in the exercise product. */
static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
            sum += values[k] * x[column[k]];
        y[i] = sum;
    }
}

static double dot(int64_t rows, const double *x, const double *y)
{
    double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < rows; i++)
        sum += x[i] * y[i];
    return sum;
}

static int64_t cg(int64_t rows, const int64_t *pointers, const int32_t *column,
                  const double *values, const double *b, double tolerance, double *x,
                  double *residual)
{
    /* TODO: the iteration. This returns x = 0 and its true residual. */
    (void)pointers, (void)column, (void)values, (void)tolerance;
    (void)product;
    for (int64_t i = 0; i < rows; i++)
        x[i] = 0.0;
    *residual = dot(rows, b, b) > 0.0 ? 1.0 : 0.0;
    return 0;
}

CGSOLVE_CG(cg)
