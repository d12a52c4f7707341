/* Batch of single entries of a thread, T apart in the row: in each load T neighbouring threads read
 * T consecutive entries (group.cuh). */
#pragma once

#include "kernels/precision.h"
#include "kernels/spmv/crs/stream.cuh"

namespace {

/* ONES: entries of a thread's batch. */
template <int T, int ONES> struct batch_ones {
    enum { UNIT = 1, STEP = ONES * T };
    int32_t column[ONES] = {};
    value entry[ONES];

    __device__ void load(const int32_t *columns, const value *values, int left, uint64_t hint)
    {
#pragma unroll
        for (int k = 0; k < ONES; k++)
            stream_load(&column[k], columns + k * T, left, k * T, hint);
#pragma unroll
        for (int k = 0; k < ONES; k++) {
            entry[k] = 0; /* missing entries add zero, even if x is infinite */
            stream_load(&entry[k], values + k * T, left, k * T, hint);
        }
    }

    __device__ real add(real sum, int left, const real *__restrict__ x) const
    {
        real factor[ONES] = {};
#pragma unroll
        for (int k = 0; k < ONES; k++)
            gather(&factor[k], x + column[k], left, k * T);
#pragma unroll
        for (int k = 0; k < ONES; k++)
            sum += (real)entry[k] * factor[k];
        return sum;
    }
};

} // namespace
