/* Shared by the CUDA SpMV kernels: making and releasing their data, their steps, the traffic of a
 * product, and the distribution of rows to blocks. */
#pragma once

#include "base/memory.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/kernel.h"
#include "kernels/precision.h"

/* `release` and `prepare` of a kernel. Its data, Self, has a member `queue` and starts zeroed. FILL
 * fills it from the matrix; EMPTY frees what FILL has made, also after a failure half way. */
template <class Self, void (*EMPTY)(Self *)> void cgs_release(void *self)
{
    Self *held = static_cast<Self *>(self);
    EMPTY(held);
    cgs_free(held->queue->context, held);
}

template <class Self, enum cgs_status (*FILL)(Self *, const struct cgs_matrix *),
          void (*EMPTY)(Self *)>
enum cgs_status cgs_prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix, void **self)
{
    Self *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "kernel", (void **)&made));
    *made = {};
    made->queue = queue;
    const enum cgs_status status = FILL(made, matrix);
    if (status != CGS_OK) {
        cgs_release<Self, EMPTY>(made);
        return status;
    }
    *self = made;
    return CGS_OK;
}

/* EMPTY for data that consists of the matrix's arrays alone. */
template <class Self> void cgs_empty_arrays(Self *held)
{
    cgs_cuda_matrix_free(held->queue, &held->arrays);
}

/* A product, with x'y if compiled for it: the kernel's apply_dot. */
typedef enum cgs_status cgs_product(const void *self, struct cgs_queue *queue,
                                    struct cgs_cg_state *state, const void *x, void *y,
                                    enum cgs_sum sum);

/* apply of a kernel: PLAIN writes no sum, so it only reads the state. */
template <cgs_product *PLAIN>
enum cgs_status cgs_apply(const void *self, struct cgs_queue *queue,
                          const struct cgs_cg_state *state, const void *x, void *y)
{
    return PLAIN(self, queue, const_cast<struct cgs_cg_state *>(state), x, y, CGS_SUM_NOWHERE);
}

/* Traffic of one product with a matrix in its own layout (kernels/kernel.h). */
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
    traffic.operations = 2 * matrix->nonzeros;
    return traffic;
}

/* Sum over T neighbouring threads of a warp in a fixed order; valid in the first of them. All of
 * them call. */
template <int T, class Real> __device__ inline Real group_sum(Real sum)
{
#pragma unroll
    for (int step = T / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step, T);
    return sum;
}

/* A grid over rows: blocks of `each` consecutive rows (as many as threads for a thread a row). Each
 * block does `tiles` of them in turn if there are more than a sum can take (CGS_MOST_BLOCKS). */
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
