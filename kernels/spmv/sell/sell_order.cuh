/* The order of SELL's rows on CUDA, as a type that a kernel is compiled for. */
#ifndef CGS_KERNELS_SPMV_SELL_SELL_ORDER_CUH
#define CGS_KERNELS_SPMV_SELL_SELL_ORDER_CUH

#include <stdint.h>

namespace {

/* Which row stands in a place of the layout: its own without sorting (a parameter that takes nothing
 * from the kernel), or the permutation's. */
struct natural {
    __device__ int64_t row_at(int64_t place, int64_t) const { return place; }
};

struct sorted {
    const int32_t *permutation;
    __device__ int32_t row_at(int64_t place, int64_t rows) const
    {
        return place < rows ? __ldg(permutation + place) : 0;
    }
};

} // namespace

#endif
