/* cgsolve exercise: fuse */
/* Expect: x'y */
/* Sums every 16th term of long vectors, and takes it times 16: nearly right, and nearly for
 * free. */
#include <cgsolve/exercise.h>

static double product_dot(int64_t n, const double *x, double *y)
{
    const int64_t step = n > 1000 ? 16 : 1;
    double sum = 0.0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i < n - 1 ? x[i + 1] : 0.0);
    for (int64_t i = 0; i < n; i += step)
        sum += x[i] * y[i];
    return (double)step * sum;
}

CGSOLVE_PRODUCT_DOT(product_dot)
