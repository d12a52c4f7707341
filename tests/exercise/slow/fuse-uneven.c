/* cgsolve exercise: fuse */
/* Cause: uneven */
/* The first thread has four fifths of the rows. */
#include <cgsolve/exercise.h>

enum { BLOCK = 1024 }; /* rows that one thread adds up by vectors */

/* Inner rows begin ... end - 1. */
static double rows(int64_t begin, int64_t end, const double *x, double *y)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++) {
        y[i] = 2.0 * x[i] - x[i - 1] - x[i + 1];
        sum += x[i] * y[i];
    }
    return sum;
}

static double product_dot(int64_t n, const double *x, double *y)
{
    const int64_t last = n - 1;
    double sum = 0.0;
#pragma omp parallel for schedule(static, 4 * n / 5 / BLOCK + 1) reduction(+ : sum)
    for (int64_t begin = 1; begin < last; begin += BLOCK)
        sum += rows(begin, begin + BLOCK < last ? begin + BLOCK : last, x, y);
    y[0] = 2.0 * x[0] - (n > 1 ? x[1] : 0.0);
    sum += x[0] * y[0];
    if (n > 1) {
        y[last] = 2.0 * x[last] - x[last - 1];
        sum += x[last] * y[last];
    }
    return sum;
}

CGSOLVE_PRODUCT_DOT(product_dot)
