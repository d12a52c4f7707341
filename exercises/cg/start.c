/* cgsolve exercise: cg */
/* Conjugate gradients in 40 lines, with the true residual.
 *
 * CG solves A x = b for a symmetric positive definite A with nothing but products A p, dot products
 * and sums of vectors (M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952) 409):
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
 * r stands for the residual b - A x, but nobody computes b - A x: r is carried on by its own
 * formula, the "recursive" residual. Rounding lets the two drift apart: r goes to zero whatever
 * happens, the "true" residual b - A x stops somewhere (doc/theory.md, "Where rounding stops"). A
 * solver that looks at r alone says that it is done when it is not. So:
 *
 *  1. When r says that it is done, compute t = b - A x.
 *  2. If ||t|| <= tolerance ||b||, you are done.
 *  3. Else begin anew from here: r = t, p = t, rr = t't, and go on. The error that remains is small, so
 *     its rounding is, too, and x is improved.
 *  4. Where several such beginnings in a row have not made ||t|| any smaller, x is as good as double
 *     precision allows: stop. Otherwise you would never return.
 *
 * Return the number of iterations (products A p). *residual is the true ||b - A x|| / ||b|| of the
 * x that you hand back, whatever it is: it is computed again by the judge, who believes nobody.
 *
 * x holds rubbish (NaN) when the function is called. b may be 0: then x = 0 after no iterations,
 * with residual 0. Compare squares with squares: ||r|| <= tolerance ||b|| is r'r <= tolerance^2
 * b'b. r, p and q need memory of their own (malloc, free). OpenMP is welcome.
 *
 *     cgsolve exercise check cg.c
 */
#include <math.h>

#include <cgsolve/exercise.h>

/* y = A x, by the exercise before. */
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
    /* TODO: the iteration. This hands back x = 0 and its true residual. */
    (void)pointers, (void)column, (void)values, (void)tolerance;
    (void)product;
    for (int64_t i = 0; i < rows; i++)
        x[i] = 0.0;
    *residual = dot(rows, b, b) > 0.0 ? 1.0 : 0.0;
    return 0;
}

CGSOLVE_CG(cg)
