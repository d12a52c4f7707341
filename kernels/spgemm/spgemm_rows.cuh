/* What the kernels of the CUDA product share (spgemm_rows.cu): factors, classes of rows, room. */
#ifndef CGS_KERNELS_SPGEMM_ROWS_CUH
#define CGS_KERNELS_SPGEMM_ROWS_CUH

#include "kernels/device/cuda.cuh"
#include "kernels/precision.h"
#include "kernels/sparse.h"

namespace {

/* A and B as kernels see them. */
struct factors {
    const int64_t *a_pointers, *b_pointers;
    const int32_t *a_column, *b_column;
    const real *a_value, *b_value;
    int64_t rows, columns; /* of C */
};

/* A row's class is the room that its table needs: of its products in `count`, of its entries in
 * `fill`. Tables of 32, 64, ... slots are at most three quarters full; what would need more is
 * LONG. */
enum {
    EMPTY,
    TABLES = 6,
    LONG,
    CLASSES,
    LEAST_SLOTS = 32,
    LEAST_FULL = 24,
};

__host__ __device__ inline int slots_of(int which)
{
    return LEAST_SLOTS << (which - 1);
}

__device__ inline int class_of(int64_t most)
{
    if (most == 0)
        return EMPTY;
    int which = 1;
    while (which < LONG && most > (int64_t)LEAST_FULL << (which - 1))
        which++;
    return which;
}

/* Facts of all rows, on their way to the host. Sums and maxima of integers: no order matters.
 */
struct tally {
    unsigned long long products, longest; /* of all rows; of the row that has most */
    unsigned long long entries, fullest;
    unsigned rows_of[CLASSES], placed[CLASSES];
};

} // namespace

#endif
