/* cgsolve exercise: product */
/* Cause: hindered */
/* A lock around all that a row does: threads take turns. */
#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
#pragma omp critical
        {
            double sum = 0.0;
            for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
                sum += values[k] * x[column[k]];
            y[i] = sum;
        }
    }
}

CGSOLVE_PRODUCT(product)
