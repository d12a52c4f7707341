/* cgsolve exercise: product */
/* Expect: row .* of .* nan */
/* Adds to y without having set it. */
#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
            y[i] += values[k] * x[column[k]];
}

CGSOLVE_PRODUCT(product)
