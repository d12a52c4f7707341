/* Order of SELL's rows on CUDA, as a template argument of kernels. */
#pragma once

#include <stdint.h>

namespace {

/* Maps a place of the layout to its row: the identity without sorting (costs nothing in the
 * kernel), or the permutation. */
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
