/* SpMV, CRS in nodes on CUDA: an index for each dense block of B x B entries, B = 3 or 2
 * (matrix/nodes.h), and T = 4 ... 32 threads a node, by the mean length of the rows.
 *
 * A thread takes every T-th column of its node: one index, one number of x, and B entries, one of
 * each row, so that neighbouring threads read consecutive entries of B rows.
 *
 * Traffic: nonzeros (value + 4 / B^2 bytes), 8 bytes a row pointer; x read once, y written once.
 */
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/spmv_cuda.cuh"
#include "matrix/nodes.h"

namespace {

/* Columns of a node of mean length that a thread takes, at most: T is chosen by that. */
enum { EACH = 4 };

struct nodes {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    int64_t nodes;
    int block, threads; /* rows and threads of a node */
    struct cgs_traffic moved;
};

template <int B, int T, bool DOT>
__global__ void __launch_bounds__(CGS_THREADS)
    nodes_kernel(int64_t nodes, int tiles, struct cgs_cg_state *state,
                 const int64_t *__restrict__ pointers, const int32_t *__restrict__ columns,
                 const value *__restrict__ values, const real *__restrict__ x,
                 real *__restrict__ y, enum cgs_sum sum, double *partials, unsigned *tickets)
{
    constexpr int NODES = CGS_THREADS / T;
    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    const int lane = threadIdx.x % T;
    double dot = 0.0, total;
    int64_t node = (int64_t)blockIdx.x * tiles * NODES + threadIdx.x / T;
    for (int tile = 0; tile < tiles; tile++, node += NODES) {
        const bool there = node < nodes;
        const int64_t begin = there ? __ldg(pointers + B * node) : 0;
        const int length = there ? (int)(__ldg(pointers + B * node + 1) - begin) : 0;
        const int32_t *c = columns + begin / (B * B);
        const value *v = values + begin;
        real yi[B] = {};
#pragma unroll 4
        for (int j = lane; j < length; j += T) {
            const real xj = __ldg(x + (int64_t)B * __ldg(c + j / B) + j % B);
#pragma unroll
            for (int r = 0; r < B; r++)
                yi[r] += (real)__ldg(v + (int64_t)r * length + j) * xj;
        }
#pragma unroll
        for (int r = 0; r < B; r++) {
            yi[r] = group_sum<T>(yi[r]);
            if (!there || lane != 0)
                continue;
            y[B * node + r] = yi[r];
            if (DOT)
                dot += (double)x[B * node + r] * (double)yi[r];
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

template <int B, int T, bool DOT>
enum cgs_status launch(const struct nodes *n, struct cgs_queue *queue, struct cgs_cg_state *state,
                       const void *x, void *y, enum cgs_sum sum)
{
    const struct cgs_row_grid grid = cgs_rows_to_blocks(n->nodes, CGS_THREADS / T);
    if (grid.blocks == 0)
        return CGS_OK;
    return cgs_launch_early(queue, "SpMV, a group of threads a node", nodes_kernel<B, T, DOT>,
                            grid.blocks, n->nodes, grid.tiles, state, n->arrays.pointers,
                            n->arrays.columns, static_cast<const value *>(n->arrays.values),
                            static_cast<const real *>(x), static_cast<real *>(y), sum,
                            queue->partials, queue->ticket);
}

template <int B, bool DOT>
enum cgs_status choose_threads(const struct nodes *n, struct cgs_queue *queue,
                               struct cgs_cg_state *state, const void *x, void *y,
                               enum cgs_sum sum)
{
    switch (n->threads) {
    case 4:
        return launch<B, 4, DOT>(n, queue, state, x, y, sum);
    case 8:
        return launch<B, 8, DOT>(n, queue, state, x, y, sum);
    case 16:
        return launch<B, 16, DOT>(n, queue, state, x, y, sum);
    default:
        return launch<B, 32, DOT>(n, queue, state, x, y, sum);
    }
}

template <bool DOT>
enum cgs_status choose(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                       const void *x, void *y, enum cgs_sum sum)
{
    const struct nodes *n = static_cast<const struct nodes *>(self);
    return n->block == 3 ? choose_threads<3, DOT>(n, queue, state, x, y, sum)
                         : choose_threads<2, DOT>(n, queue, state, x, y, sum);
}

/* ---- the table ---- */

void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_cuda_nodes_plan(matrix, cgs_nodes_least(matrix), CGS_VALUE_NUMBER, plan);
}

struct cgs_traffic traffic_of(const struct cgs_matrix *matrix, int block)
{
    struct cgs_traffic traffic = cgs_matrix_traffic<value, real>(matrix);
    const int64_t saved = matrix->stored - matrix->stored / (block * block);
    traffic.matrix -= saved * (int64_t)sizeof(int32_t);
    return traffic;
}

struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    return traffic_of(matrix, cgs_nodes_least(matrix));
}

struct cgs_traffic moved(const void *self)
{
    return static_cast<const struct nodes *>(self)->moved;
}

enum cgs_status fill(struct nodes *n, const struct cgs_matrix *matrix)
{
    CGS_TRY(cgs_nodes_find(n->queue->context, matrix, &n->block));
    n->nodes = matrix->rows / n->block;
    n->threads = 4;
    while (n->threads < CGS_WARP && n->threads * EACH < matrix->statistics.mean)
        n->threads *= 2;
    n->moved = traffic_of(matrix, n->block);
    return cgs_cuda_nodes_upload(n->queue, matrix, n->block, CGS_VALUE_NUMBER, &n->arrays);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_nodes) = {
    .capturable = true,
    .reproducible = true,
    .accepts = cgs_nodes_accepts,
    .plan = plan,
    .prepare = cgs_prepare<struct nodes, fill, cgs_empty_arrays>,
    .traffic = traffic,
    .steps = {.apply = cgs_apply<choose<false>>,
              .apply_dot = choose<true>,
              .moved = moved,
              .release = cgs_release<struct nodes, cgs_empty_arrays>},
};
