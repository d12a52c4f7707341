/* cgsolve exercise: sell */
/* Expect: row .* of|an x of its own is wrong */
/* Ignores the permutation: right as long as nothing is sorted. */
#include <cgsolve/exercise.h>

__global__ void sell(int64_t rows, int32_t chunk, const int64_t *pointers,
                     const int32_t *permutation, const int32_t *column, const double *values,
                     const double *x, double *y)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    (void)permutation;
    const int64_t end = pointers[i / chunk + 1];
    double sum = 0.0;
    for (int64_t k = pointers[i / chunk] + i % chunk; k < end; k += chunk)
        sum += values[k] * x[column[k]];
    y[i] = sum;
}

CGSOLVE_SELL_CUDA(sell)
