/* cgsolve exercise: product */
/* Expect: row 5000 of [0-9]+ */
/* Takes the number of rows that fit into what it knows for all that there are. */
#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
            sum += values[k] * x[column[k]];
        y[i] = i < 5000 ? sum : 0.0;
    }
}

CGSOLVE_PRODUCT(product)
