/* cgsolve exercise: warp-a-row */
/* Expect: row .* of */
/* One entry a lane, as rows have 27: longer rows lose what is behind the 32nd. */
#include <cgsolve/exercise.h>

__global__ void warp_a_row(int64_t rows, const int64_t *pointers, const int32_t *column,
                           const double *values, const double *x, double *y)
{
    const int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    double sum = 0.0;
    if (row < rows && pointers[row] + lane < pointers[row + 1])
        sum = values[pointers[row] + lane] * x[column[pointers[row] + lane]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (row < rows && lane == 0)
        y[row] = sum;
}

CGSOLVE_CRS_CUDA(warp_a_row, 32)
