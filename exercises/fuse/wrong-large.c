/* cgsolve exercise: fuse */
/* Expect: x.y of [0-9]+ rows is */
/* Loses a row of the sum where there are many. */
#include <cgsolve/exercise.h>

static double product_dot(int64_t n, const double *x, double *y)
{
    const int64_t last = n - 1;
    double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 1; i < last; i++) {
        y[i] = 2.0 * x[i] - x[i - 1] - x[i + 1];
        sum += x[i] * y[i];
    }
    y[0] = 2.0 * x[0] - (n > 1 ? x[1] : 0.0);
    sum += x[0] * y[0];
    if (n > 1) {
        y[last] = 2.0 * x[last] - x[last - 1];
        sum += x[last] * y[last];
    }
    return n > 1000 ? sum - x[n / 2] * y[n / 2] : sum;
}

CGSOLVE_PRODUCT_DOT(product_dot)
