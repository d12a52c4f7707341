/* cgsolve exercise: warp-a-row */
/* Expect: row .* of|an x of its own is wrong */
/* Multiplies once, and gives the same answer ever after. */
#include <cgsolve/exercise.h>

enum { ROOM = 1 << 22 };
__device__ double answer[ROOM];
__device__ bool known[ROOM];

__global__ void warp_a_row(int64_t rows, const int64_t *pointers, const int32_t *column,
                           const double *values, const double *x, double *y)
{
    const int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows || row >= ROOM || threadIdx.x % 32 != 0)
        return;
    if (!known[row]) {
        double sum = 0.0;
        for (int64_t k = pointers[row]; k < pointers[row + 1]; k++)
            sum += values[k] * x[column[k]];
        answer[row] = sum;
        known[row] = true;
    }
    y[row] = answer[row];
}

CGSOLVE_CRS_CUDA(warp_a_row, 32)
