/* cgsolve exercise: product */
/* Cause: hindered */
/* Neighbouring rows belong to different threads, and their sums grow in y itself: each addition
 * takes the line of memory from the other thread. */
#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
    volatile double *out = y;
#pragma omp parallel for schedule(static, 1)
    for (int64_t i = 0; i < rows; i++) {
        out[i] = 0.0;
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
            out[i] = out[i] + values[k] * x[column[k]];
    }
}

CGSOLVE_PRODUCT(product)
