/* cgsolve exercise: fuse */
/* Expect: x'y */
/* Each thread sums for itself, and the last one to finish has the result: no reduction. */
#include <cgsolve/exercise.h>

static double product_dot(int64_t n, const double *x, double *y)
{
    double sum = 0.0;
#pragma omp parallel
    {
        double own = 0.0;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i < n - 1 ? x[i + 1] : 0.0);
            own += x[i] * y[i];
        }
#pragma omp critical
        sum = own;
    }
    return sum;
}

CGSOLVE_PRODUCT_DOT(product_dot)
