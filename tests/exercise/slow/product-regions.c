/* cgsolve exercise: product */
/* Cause: hindered */
/* A parallel region for each row: starting threads costs more than 27 products. */
#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
            sum += values[k] * x[column[k]];
        y[i] = sum;
    }
}

CGSOLVE_PRODUCT(product)
