/* cgsolve exercise: fuse */
/* Expect: row .* of|x'y */
/* Leaves out the rows at both ends. */
#include <cgsolve/exercise.h>

static double product_dot(int64_t n, const double *x, double *y)
{
    double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 1; i < n - 1; i++) {
        y[i] = 2.0 * x[i] - x[i - 1] - x[i + 1];
        sum += x[i] * y[i];
    }
    return sum;
}

CGSOLVE_PRODUCT_DOT(product_dot)
