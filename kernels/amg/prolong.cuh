/* Rows of P = S T on CUDA, without S and T, to the bits of that product (algorithm: prolong_cpu.c).
 *
 * The lanes of a group hold the entries of a row of P found so far, and add those of A one after
 * the other, in the order of the row. A is read twice: to count and to fill.
 */
#pragma once

#include "kernels/amg/strong.cuh"

namespace
{

/* Entries of a row of P that a lane can hold. A group of T lanes has T times as many places, where
 * rows of A have 2 T to 4 T entries on average. */
constexpr int PLACES = 4;

/* Entry k of a row is in place k / T of lane k % T. */
template <int T> struct places {
    int32_t column[PLACES];
    double sum[PLACES];
    int count; /* of the group; above PLACES T some are lost */

    __device__ bool taken(int lane, int place) const
    {
        return place * T + lane < count;
    }

    /* All lanes of the group call, with the same column and number. */
    __device__ void add(const group<T> &g, int32_t wanted, double number)
    {
        bool mine = false;
#pragma unroll
        for (int i = 0; i < PLACES; i++)
            if (taken(g.lane, i) && column[i] == wanted) {
                sum[i] += number;
                mine = true;
            }
        if (group_votes(g, mine) != 0)
            return;
#pragma unroll
        for (int i = 0; i < PLACES; i++)
            if (i * T + g.lane == count) {
                column[i] = wanted;
                sum[i] = number;
            }
        count++;
    }

    /* Ranks of this lane's entries in the row, by columns. */
    __device__ void sort(const group<T> &g, int (&rank)[PLACES]) const
    {
#pragma unroll
        for (int i = 0; i < PLACES; i++)
            rank[i] = 0;
#pragma unroll
        for (int i = 0; i < PLACES; i++)
            for (int lane = 0; lane < T && taken(lane, i); lane++) {
                const int32_t other = __shfl_sync(g.mask, column[i], lane, T);
#pragma unroll
                for (int k = 0; k < PLACES; k++)
                    rank[k] += other < column[k];
            }
    }
};

struct prolonging {
    entries a;
    const int32_t *of; /* aggregates */
    double omega;
    unsigned *wide; /* set if a row has more entries than places */

    /* The entries of row g.row; factor: of its row of S. */
    template <int T> __device__ places<T> find(const group<T> &g, double factor) const
    {
        places<T> found = {};
        for (int64_t first = g.begin; first < g.end; first += T) {
            const int64_t e = first + g.lane;
            int32_t to = -1;
            double number = 0.0;
            if (e < g.end && a.template kept<true>(g.row, e)) {
                to = of[a.column[e]];
                number = a.column[e] == g.row ? 1.0 - omega : factor * a.number[e];
            }
            for (unsigned left = group_votes(g, to >= 0); left != 0; left &= left - 1) {
                const int from = __ffs((int)left) - 1;
                found.add(g, __shfl_sync(g.mask, to, from, T),
                          __shfl_sync(g.mask, number, from, T));
            }
        }
        return found;
    }
};

struct counting_places {
    prolonging p;
    int64_t *pointers; /* shifted by one: of row i at i + 1 */

    __device__ bool wanted(int64_t) const
    {
        return true;
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        const int count = p.find(g, 0.0).count;
        if (g.lane != 0)
            return;
        pointers[g.row + 1] = count;
        if (count > PLACES * T)
            *p.wide = 1;
    }
};

struct filling_places {
    prolonging p;
    const int64_t *pointers;
    int32_t *column;
    double *number;

    __device__ bool wanted(int64_t) const
    {
        return true;
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        const places<T> found = p.find(g, factor_of(g, p.a, p.omega));
        int rank[PLACES];
        found.sort(g, rank);
#pragma unroll
        for (int i = 0; i < PLACES; i++)
            if (found.taken(g.lane, i)) {
                column[pointers[g.row] + rank[i]] = found.column[i];
                number[pointers[g.row] + rank[i]] = found.sum[i];
            }
    }
};

} // namespace
