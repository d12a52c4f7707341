/* cgsolve exercise: warp-a-row */
/* Cause: few_threads */
/* The first block does all rows, a warp a row. */
#include <cgsolve/exercise.h>

__global__ void warp_a_row(int64_t rows, const int64_t *pointers, const int32_t *column,
                           const double *values, const double *x, double *y)
{
    const int lane = threadIdx.x % 32;
    if (blockIdx.x > 0)
        return;
    for (int64_t row = threadIdx.x / 32; row < rows; row += blockDim.x / 32) {
        double sum = 0.0;
        for (int64_t k = pointers[row] + lane; k < pointers[row + 1]; k += 32)
            sum += values[k] * x[column[k]];
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, step);
        if (lane == 0)
            y[row] = sum;
    }
}

CGSOLVE_CRS_CUDA(warp_a_row, 32)
