/* cgsolve exercise: warp-a-row */
/* Cause: uncoalesced */
/* A thread a row: neighbouring threads read what is a row apart. */
#include <cgsolve/exercise.h>

__global__ void warp_a_row(int64_t rows, const int64_t *pointers, const int32_t *column,
                           const double *values, const double *x, double *y)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    if (row >= rows)
        return;
    for (int64_t k = pointers[row]; k < pointers[row + 1]; k++)
        sum += values[k] * x[column[k]];
    y[row] = sum;
}

CGSOLVE_CRS_CUDA(warp_a_row, 1)
