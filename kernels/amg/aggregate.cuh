/* Kernels of the aggregation on CUDA (algorithm: aggregate_cpu.c): keys and a round on them, rows
 * around roots, rows that join.
 *
 * Traffic of a round per open row: its columns, 4 bytes a strong neighbour, twice; keys come from
 * the cache. A row whose `near` is decided costs 8 bytes.
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

struct look_near {
    const int32_t *column;
    const uint64_t *key;
    uint64_t *near;

    __device__ bool wanted(int64_t row) const
    {
        return cgs_amg_open(near[row]);
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        const uint64_t most = highest(g, column, key);
        if (g.lane == 0)
            near[g.row] = most;
    }
};

struct look_far {
    const int32_t *column;
    uint64_t *key;
    const uint64_t *near;
    unsigned *left;

    __device__ bool wanted(int64_t row) const
    {
        return cgs_amg_open(key[row]);
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        const uint64_t mine = near[g.row];
        const uint64_t far = cgs_amg_open(mine) ? highest(g, column, near) : mine;
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
