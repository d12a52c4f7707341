/* CRS rows by groups of T = 4, 8, 16 or 32 lanes, for work that reads a row's entries once. Rows
 * too long for a group are given to the whole warp, one after the other. Where most rows need no
 * work a lane looks at each, and the warp's groups share those that do. A work is
 *
 *     struct work {
 *         bool wanted(row);                        true for rows to be worked on
 *         template <int T> void take(group<T>);    works on one row; all lanes of the group call
 *     };
 */
#pragma once

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"

namespace
{

/* Steps of a group over its row above which the row counts as long. */
constexpr int USUAL_PASSES = 16;

template <int T> struct group {
    int64_t row, begin, end; /* entries begin ... end - 1 */
    int lane;                /* of the group */
    unsigned mask;           /* the group's lanes in their warp */
};

template <int T> __device__ inline group<T> group_of(int64_t row, int64_t begin, int64_t end)
{
    const unsigned lane = threadIdx.x % CGS_WARP, all = 0xffffffffu >> (CGS_WARP - T);
    return {row, begin, end, (int)(lane % T), all << (lane / T * T)};
}

template <int T> __device__ inline uint64_t group_most(const group<T> &g, uint64_t x)
{
    for (int step = T / 2; step > 0; step /= 2) {
        const uint64_t other = __shfl_xor_sync(g.mask, x, step);
        x = other > x ? other : x;
    }
    return x;
}

template <int T> __device__ inline int64_t group_sum(const group<T> &g, int64_t x)
{
    for (int step = T / 2; step > 0; step /= 2)
        x += __shfl_xor_sync(g.mask, x, step);
    return x;
}

/* Ballot within a group: bit 0 is its lane 0. */
template <int T> __device__ inline unsigned group_votes(const group<T> &g, bool yes)
{
    const unsigned votes = __ballot_sync(g.mask, yes);
    return (votes >> (threadIdx.x % CGS_WARP / T * T)) & (0xffffffffu >> (CGS_WARP - T));
}

/* Works on the long rows of these lanes, each by the whole warp. */
template <class Work>
__device__ inline void take_long(const Work &work, unsigned lanes, int64_t row, int64_t begin,
                                 int64_t end)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        const int from = __ffs((int)lanes) - 1;
        work.take(group_of<CGS_WARP>(__shfl_sync(0xffffffffu, row, from),
                                     __shfl_sync(0xffffffffu, begin, from),
                                     __shfl_sync(0xffffffffu, end, from)));
    }
}

/* A group for each row. */
template <int T, class Work>
__global__ void __launch_bounds__(CGS_THREADS)
    rows_kernel(int64_t rows, const int64_t *__restrict__ pointers, const Work work)
{
    const int64_t row = ((int64_t)blockIdx.x * CGS_THREADS + threadIdx.x) / T;
    const bool here = row < rows && work.wanted(row);
    const int64_t begin = here ? pointers[row] : 0, end = here ? pointers[row + 1] : 0;
    const bool usual = end - begin <= T * USUAL_PASSES;
    __syncwarp(); /* a lane ahead may change what `wanted` reads */
    if (here && usual)
        work.take(group_of<T>(row, begin, end));
    __syncwarp();
    take_long(work, __ballot_sync(0xffffffffu, !usual && threadIdx.x % T == 0), row, begin, end);
}

/* A lane for each row, and the wanted ones to the groups of its warp, as many at a time. */
template <int T, class Work>
__global__ void __launch_bounds__(CGS_THREADS)
    few_rows_kernel(int64_t rows, const int64_t *__restrict__ pointers, const Work work)
{
    const int64_t row = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    const int group = (int)(threadIdx.x % CGS_WARP) / T;
    const bool here = row < rows && work.wanted(row);
    const int64_t begin = here ? pointers[row] : 0, end = here ? pointers[row + 1] : 0;
    const bool usual = end - begin <= T * USUAL_PASSES;
    for (unsigned waiting = __ballot_sync(0xffffffffu, here && usual); waiting != 0;) {
        unsigned mine = 0; /* the lane whose row this group takes */
        for (int g = 0; g < (int)CGS_WARP / T; g++, waiting &= waiting - 1)
            mine = g == group ? waiting & -waiting : mine;
        const int from = mine != 0 ? __ffs((int)mine) - 1 : 0;
        const int64_t taken = __shfl_sync(0xffffffffu, row, from),
                      first = __shfl_sync(0xffffffffu, begin, from),
                      last = __shfl_sync(0xffffffffu, end, from);
        if (mine != 0)
            work.take(group_of<T>(taken, first, last));
        __syncwarp();
    }
    take_long(work, __ballot_sync(0xffffffffu, !usual), row, begin, end);
}

template <int T, bool FEW, class Work>
enum cgs_status launch_groups(struct cgs_queue *queue, const char *name, int64_t rows,
                              const int64_t *pointers, const Work &work)
{
    const int64_t each = FEW ? CGS_THREADS : CGS_THREADS / T;
    return cgs_launch(queue, name, FEW ? few_rows_kernel<T, Work> : rows_kernel<T, Work>,
                      (rows + each - 1) / each, rows, pointers, work);
}

/* nonzeros: of all rows, to choose the group size. FEW: most rows may need no work. */
template <bool FEW = false, class Work>
enum cgs_status launch_rows(struct cgs_queue *queue, const char *name, int64_t rows,
                            const int64_t *pointers, int64_t nonzeros, const Work &work)
{
    const int64_t passes = 4;
    if (rows == 0)
        return CGS_OK;
    if (nonzeros <= 4 * passes * rows)
        return launch_groups<4, FEW>(queue, name, rows, pointers, work);
    if (nonzeros <= 8 * passes * rows)
        return launch_groups<8, FEW>(queue, name, rows, pointers, work);
    if (nonzeros <= 16 * passes * rows)
        return launch_groups<16, FEW>(queue, name, rows, pointers, work);
    return launch_groups<32, FEW>(queue, name, rows, pointers, work);
}

/* Runs kernel<<<>>>(count, arguments...), one thread for each of 0 ... count - 1. */
template <class... Parameters, class... Arguments>
enum cgs_status launch_each(struct cgs_queue *queue, const char *name,
                            void (*kernel)(Parameters...), int64_t count, Arguments... arguments)
{
    if (count == 0)
        return CGS_OK;
    return cgs_launch(queue, name, kernel, (count + CGS_THREADS - 1) / CGS_THREADS, count,
                      arguments...);
}

__device__ inline int64_t each_index()
{
    return (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
}

} // namespace
