/* Kernels of the aggregation on CUDA (algorithm: aggregate_cpu.c): keys and a round on them, rows
 * around roots, rows that join.
 *
 * Traffic of a round per open row whose highest key near it has gone: its columns, 4 bytes a strong
 * neighbour, and again where the row is undecided; keys come from the cache. Others cost 16 bytes.
 */
#pragma once

#include "kernels/amg/rows.cuh"
#include "kernels/amg/rules.h"

namespace
{

__global__ void __launch_bounds__(CGS_THREADS)
    start_kernel(int64_t rows, const int64_t *__restrict__ pointers, uint64_t *key, uint64_t *near)
{
    const int64_t row = each_index();
    if (row < rows) {
        const bool alone = pointers[row] == pointers[row + 1];
        key[row] = near[row] = cgs_amg_key(alone ? CGS_AMG_OUT : CGS_AMG_UNDECIDED, row);
    }
}

template <int T>
__device__ uint64_t highest(const group<T> &g, const int32_t *column, const uint64_t *key)
{
    uint64_t most = key[g.row];
    for (int64_t e = g.begin + g.lane; e < g.end; e += T) {
        const uint64_t other = key[column[e]];
        most = other > most ? other : most;
    }
    return group_most(g, most);
}

/* Finds near_i, at first of all rows, then of those whose near_i was the key of a row that has gone
 * out since; one that has become a root is the highest still. */
struct look_near {
    const int32_t *column;
    const uint64_t *key;
    uint64_t *near;
    bool all;

    __device__ bool wanted(int64_t row) const
    {
        return cgs_amg_open(near[row]);
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        const uint64_t now = key[cgs_amg_row_of(near[g.row])];
        const bool looks = all || cgs_amg_state_of(now) == CGS_AMG_OUT;
        const uint64_t most = looks ? highest(g, column, key) : now;
        if (g.lane == 0)
            near[g.row] = most;
    }
};

/* Decides the rows that can be decided. Without roots only those with the highest key near them may
 * change. */
struct look_far {
    const int32_t *column;
    uint64_t *key;
    const uint64_t *near;
    unsigned *left;
    bool roots;

    __device__ bool wanted(int64_t row) const
    {
        return cgs_amg_open(key[row]);
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        const uint64_t mine = near[g.row];
        const bool looks = cgs_amg_open(mine) && (roots || mine == key[g.row]);
        const uint64_t far = looks ? highest(g, column, near) : mine;
        const enum cgs_amg_state state = cgs_amg_decide(far, g.row);
        if (g.lane != 0)
            return;
        if (state == CGS_AMG_UNDECIDED)
            *left = 1;
        else
            key[g.row] = cgs_amg_key(state, g.row);
    }
};

__global__ void __launch_bounds__(CGS_THREADS)
    flag_kernel(int64_t rows, const uint64_t *__restrict__ key, int64_t *number)
{
    const int64_t row = each_index();
    if (row < rows)
        number[row] = cgs_amg_state_of(key[row]) == CGS_AMG_ROOT;
}

__global__ void __launch_bounds__(CGS_THREADS)
    take_kernel(int64_t rows, const uint64_t *__restrict__ near, const int64_t *__restrict__ number,
                int32_t *first, int32_t *of)
{
    const int64_t row = each_index();
    if (row >= rows)
        return;
    const uint64_t root = near[row];
    const bool taken = cgs_amg_state_of(root) == CGS_AMG_ROOT;
    first[row] = of[row] = taken ? (int32_t)(number[cgs_amg_row_of(root)] - 1) : -1;
}

/* Joins the aggregate of the strongest neighbour that has one; ties: the first. */
struct join {
    const int32_t *column;
    const double *number, *roots;
    double theta;
    const int32_t *first;
    int32_t *of;

    __device__ bool wanted(int64_t row) const
    {
        return first[row] < 0;
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        double most = 0.0;
        int64_t best = g.end;
        for (int64_t e = g.begin + g.lane; e < g.end; e += T) {
            const int32_t j = column[e];
            if (j == g.row || first[j] < 0 ||
                !cgs_amg_strong(number[e], theta, roots[g.row], roots[j]))
                continue;
            const double strength = cgs_amg_strength(number[e], roots[j]);
            if (strength > most) {
                most = strength;
                best = e;
            }
        }
        for (int step = T / 2; step > 0; step /= 2) {
            const double other = __shfl_xor_sync(g.mask, most, step);
            const int64_t place = __shfl_xor_sync(g.mask, best, step);
            if (other > most || (other == most && place < best)) {
                most = other;
                best = place;
            }
        }
        if (g.lane == 0 && best < g.end)
            of[g.row] = first[column[best]];
    }
};

} // namespace
