/* cgsolve exercise: product */
/* Cause: once */
/* Each call clears memory that it hardly needs: time that does not depend on the matrix. */
#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
    enum { ROOM = 1 << 24 };
    char *room = malloc(ROOM);
    for (int64_t i = 0; room && i < ROOM; i++)
        ((volatile char *)room)[i] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
            sum += values[k] * x[column[k]];
        y[i] = sum;
    }
    free(room);
}

CGSOLVE_PRODUCT(product)
