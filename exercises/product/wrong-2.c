/* cgsolve exercise: product */
/* Expect: row .* of|an x of its own is wrong|SIGSEGV|longer than */
/* Declares the inner index outside of the loop: all threads share it, a race. */
#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
    int64_t i, k;
#pragma omp parallel for schedule(static)
    for (i = 0; i < rows; i++) {
        y[i] = 0.0;
        for (k = pointers[i]; k < pointers[i + 1]; k++)
            y[i] += values[k] * x[column[k]];
    }
}

CGSOLVE_PRODUCT(product)
