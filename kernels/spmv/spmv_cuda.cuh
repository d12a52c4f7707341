/* What the CUDA SpMV kernels share: the bytes of a product, and how rows are dealt to blocks. */
#ifndef CGS_KERNELS_SPMV_CUDA_CUH
#define CGS_KERNELS_SPMV_CUDA_CUH

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/kernel.h"
#include "kernels/precision.h"

/* The bytes of one product with a matrix in its own layout (kernels/kernel.h). */
template <class Value, class Real>
struct cgs_traffic cgs_matrix_traffic(const struct cgs_matrix *matrix)
{
    const int64_t entry = (int64_t)sizeof(Value) + (int64_t)sizeof(int32_t);
    struct cgs_traffic traffic = {};
    traffic.matrix = matrix->stored * entry + (matrix->units + 1) * (int64_t)sizeof(int64_t);
    if (matrix->sigma > 1)
        traffic.matrix += matrix->rows * (int64_t)sizeof(int32_t); /* the permutation */
    traffic.padding = (matrix->stored - matrix->nonzeros) * entry;
    traffic.vectors = (matrix->columns + matrix->rows) * (int64_t)sizeof(Real);
    traffic.additions = matrix->nonzeros;
    return traffic;
}

/* The sum over T neighbouring threads of a warp, all of which call, in a fixed order; valid in the
 * first of them. */
template <int T, class Real> __device__ inline Real group_sum(Real sum)
{
#pragma unroll
    for (int step = T / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step, T);
    return sum;
}

/* A grid over rows: blocks of `each` consecutive rows (as many as threads, a thread a row), `tiles` of
 * them one after the other where there are more than a sum can take (CGS_MOST_BLOCKS). */
struct cgs_row_grid {
    int64_t blocks;
    int tiles;
};

static inline struct cgs_row_grid cgs_rows_to_blocks(int64_t rows, int each = CGS_THREADS)
{
    const int64_t all = (rows + each - 1) / each;
    const int64_t tiles = (all + CGS_MOST_BLOCKS - 1) / CGS_MOST_BLOCKS;
    struct cgs_row_grid grid;
    grid.tiles = (int)tiles;
    grid.blocks = tiles > 0 ? (all + tiles - 1) / tiles : 0;
    return grid;
}

#endif
