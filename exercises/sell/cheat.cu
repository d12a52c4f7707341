/* cgsolve exercise: sell */
/* Expect: row .* of|an x of its own is wrong */
/* Computes every second row, and copies it for the next one. */
#include <cgsolve/exercise.h>

__global__ void sell(int64_t rows, int32_t chunk, const int64_t *pointers,
                     const int32_t *permutation, const int32_t *column, const double *values,
                     const double *x, double *y)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    const int64_t end = pointers[i / chunk + 1];
    double sum = 0.0;
    for (int64_t k = pointers[i / chunk] + i % chunk; k < end; k += chunk)
        sum += values[k] * x[column[k]];
    if (i % 2 == 0)
        y[permutation ? permutation[i] : i] = sum;
    if (i % 2 == 0 && i + 1 < rows)
        y[permutation ? permutation[i + 1] : i + 1] = sum;
}

CGSOLVE_SELL_CUDA(sell)
