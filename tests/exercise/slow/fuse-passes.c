/* cgsolve exercise: fuse */
/* Cause: */
/* Two passes over vectors that no cache holds, divided well: nothing that is measured says so. */
#include <cgsolve/exercise.h>

static double product_dot(int64_t n, const double *x, double *y)
{
    double sum = 0.0;
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 1; i < n - 1; i++)
        y[i] = 2.0 * x[i] - x[i - 1] - x[i + 1];
    y[0] = 2.0 * x[0] - (n > 1 ? x[1] : 0.0);
    if (n > 1)
        y[n - 1] = 2.0 * x[n - 1] - x[n - 2];
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

CGSOLVE_PRODUCT_DOT(product_dot)
