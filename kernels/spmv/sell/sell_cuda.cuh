/* Shared by the CUDA SELL kernels: everything except how the entries of a row are divided among
 * threads. C is a power of two: chunk and lane are computed by shifts. */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/cached.cuh"
#include "kernels/spmv/sell/sell_order.cuh"
#include "kernels/spmv/spmv_cuda.cuh"

namespace
{

struct sell {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    int64_t rows;
    enum hints hints;
    int64_t kept; /* rows whose entries are kept in the cache */
    int shift;    /* C = 2^shift */
    int wide;     /* 2^wide threads a row (sell_wide.cu) */
};

/* Entries of the row at a place: the first one, the number of slots. */
struct entries {
    int64_t at;
    int width;
};

__device__ inline entries find_entries(const int64_t *__restrict__ pointers, int64_t place,
                                       int shift)
{
    const int64_t chunk = place >> shift, begin = __ldg(pointers + chunk);
    const int64_t lane = place & (((int64_t)1 << shift) - 1);
    return entries{begin + lane, (int)((__ldg(pointers + chunk + 1) - begin) >> shift)};
}

enum cgs_status sell_accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    const int32_t chunk = matrix->chunk;
    int32_t power = 1;
    if ((chunk & (chunk - 1)) == 0)
        return CGS_OK;
    while (power < chunk)
        power *= 2;
    return cgs_fail(context, CGS_USAGE,
                    "chunk %d: on CUDA the rows of a chunk must be a power of two, as %d or %d",
                    (int)chunk, (int)(power / 2), (int)power);
}

void sell_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_cuda_matrix_plan(matrix, CGS_VALUE_NUMBER, plan);
}

enum cgs_status sell_fill(struct sell *sell, const struct cgs_matrix *matrix)
{
    sell->rows = matrix->rows;
    sell->shift = __builtin_ctz((unsigned)matrix->chunk);
    sell->hints = choose_hints(sell->queue, matrix, sizeof(value) + sizeof(int32_t), &sell->kept);
    return cgs_cuda_matrix_upload(sell->queue, matrix, CGS_VALUE_NUMBER, &sell->arrays);
}

constexpr auto sell_release = cgs_release<struct sell, cgs_empty_arrays>;

/* Defined by the kernel: its launch for an order of rows. */
template <bool DOT, class Order>
enum cgs_status choose(const struct sell *sell, const Order order, struct cgs_queue *queue,
                       struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum);

template <bool DOT>
enum cgs_status choose_order(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                             const void *x, void *y, enum cgs_sum sum)
{
    const struct sell *sell = static_cast<const struct sell *>(self);
    if (sell->arrays.permutation)
        return choose<DOT>(sell, sorted{sell->arrays.permutation}, queue, state, x, y, sum);
    return choose<DOT>(sell, natural{}, queue, state, x, y, sum);
}

} // namespace
