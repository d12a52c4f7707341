/* Transfers between orders p and q = (p + 1) / 2 on the same cells on CUDA (kernels/grid.h), by the
 * polynomials' values of orders.h.
 *
 * Cell c of a line has nodes c p ... (c + 1) p and owns all but its first one; where the low face
 * is free there is a cell -1, which owns node 0 alone. Nodes without a number, which are held or
 * beyond the line, count as zeros and are not written; a periodic line goes on with its other end.
 * A rank has whole cells along z, or all but the upper ends, where the low face is free: it writes
 * its own planes alone.
 * A block has a tile of whole cells in x and y, and goes through those of its chunk along z:
 *
 *     restriction   downwards, since a node that two cells share belongs to the lower one: a thread
 *                   sums the p planes of a cell in its columns to q in registers, with what the
 *                   cell above has left for the upper end; then each of the q is restricted in x
 *                   and in y by way of shared memory. A tile reads the p - 1 numbers after its own.
 *     prolongation  upwards: q planes of a cell of order q come into shared memory, are
 *                   interpolated in x there, and in y into the registers of the thread that has
 *                   the column, which computes its p planes of the result.
 *
 * Traffic: as between grids (transfers.cuh).
 */
#pragma once

#include "kernels/grid/orders.h"
#include "kernels/grid/transfers.cuh"

namespace
{

struct orders {
    struct grid fine, coarse;
    struct division by_restriction, by_prolongation; /* of cells, along z from first[2] on */
    int open[3];
    /* -1 where there is such a cell, else 0; the cell after the last; along z those of a rank */
    int first[3], cells[3];
    /* Planes of the fine and of the coarse grid: those of a rank, and those that it reads. */
    struct planes {
        int first, last;
    } fine_own, fine_read, coarse_own, coarse_read;
    real value[CGS_NODES_MOST * CGS_NODES_MOST]; /* as cgs_orders.value */
};

/* Tunable: cells of a tile and threads of a block, chosen by their registers, not yet by time. */
template <int ORDER> struct order_down {
    static constexpr int P = ORDER, Q = (P + 1) / 2;
    static constexpr int CELLS_X = 64 / P, CELLS_Y = 32 / P;
    static constexpr int WIDTH = CELLS_X * P + P - 1, HEIGHT = CELLS_Y * P + P - 1;
    static constexpr int COARSE_X = CELLS_X * Q;
    static constexpr int THREADS = 384, FIT = sizeof(real) == 4 ? 2 : 1;
    static constexpr int COLUMNS = (WIDTH * HEIGHT + THREADS - 1) / THREADS;
    /* of lines in shared memory; odd, so that neighbouring lines meet different banks */
    static constexpr int PITCH = WIDTH | 1, COARSE_PITCH = COARSE_X | 1;
};

template <int ORDER> struct order_up {
    static constexpr int P = ORDER, Q = (P + 1) / 2;
    static constexpr int CELLS_X = 32 / P, CELLS_Y = P < 5 ? 8 / P : 1;
    static constexpr int WIDTH = CELLS_X * P, HEIGHT = CELLS_Y * P;
    static constexpr int COARSE_X = CELLS_X * Q + 1, COARSE_Y = CELLS_Y * Q + 1;
    static constexpr int THREADS = (WIDTH * HEIGHT + 31) / 32 * 32;
};

/* Returns the number of a node of direction d on a grid, not below 0; -1: none. */
__device__ inline int node_number(const struct orders &t, const struct grid &grid, int d, int node)
{
    const int n = grid.n[d], i = node - 1 + (t.open[d] & 1);
    if (i >= n && cgs_periodic(t.open[d]))
        return i < 2 * n ? i - n : -1;
    return i < n ? max(i, -1) : -1;
}

/* Returns the plane of a node along z if it is one of these; else -1. */
__device__ inline int plane_among(const struct orders &t, const struct grid &grid,
                                  const struct orders::planes &planes, int node)
{
    const int z = node_number(t, grid, 2, node);
    return z >= planes.first && z < planes.last ? z : -1;
}

/* A block's first cells in x and y, its cells along z. */
struct order_block {
    int x, y, first, last;
};

template <class SHAPE>
__device__ inline struct order_block order_block_of(const struct orders &t,
                                                    const struct division &d)
{
    const int tiles = d.tiles_x * d.tiles_y;
    const int chunk = (int)blockIdx.x / tiles, tile = (int)blockIdx.x % tiles;
    return {t.first[0] + tile % d.tiles_x * SHAPE::CELLS_X,
            t.first[1] + tile / d.tiles_x * SHAPE::CELLS_Y,
            d.first + (int)((int64_t)d.planes * chunk / d.chunks),
            d.first + (int)((int64_t)d.planes * (chunk + 1) / d.chunks)};
}

/* ---- restriction ---- */

/* Returns the part of the inner nodes of a cell, numbers 0 ... P - 2 of u, in its node a of order
 * Q. */
template <int P> __device__ inline real inner_share(const struct orders &t, const real *u, int a)
{
    real sum = 0;
#pragma unroll
    for (int i = 1; i < P; i++)
        sum += t.value[i * CGS_NODES_MOST + a] * u[i - 1];
    return sum;
}

/* The nodes that a cell owns of a line in shared memory, from its own and the next one's inner
 * nodes; put(a, number) takes them, a = 1 ... Q. */
template <int P, class Put>
__device__ inline void restrict_cell(const struct orders &t, const real *from, int step, Put put)
{
    constexpr int Q = (P + 1) / 2;
    real own[P], next[P];
#pragma unroll
    for (int i = 0; i < P; i++) {
        own[i] = from[i * step];
        next[i] = i < P - 1 ? from[(P + i) * step] : (real)0;
    }
#pragma unroll
    for (int a = 1; a < Q; a++)
        put(a, inner_share<P>(t, own, a));
    put(Q, inner_share<P>(t, own, Q) + own[P - 1] + inner_share<P>(t, next, 0));
}

/* Restricts a plane in shared memory, summed over z, to plane `to` of the coarse grid. */
template <class SHAPE>
__device__ inline void restrict_plane(const struct orders &t, const struct order_block &me,
                                      const real *plane, real *lines, real *to)
{
    constexpr int P = SHAPE::P, Q = SHAPE::Q, HEIGHT = SHAPE::HEIGHT, X = SHAPE::COARSE_X;
    constexpr int PITCH = SHAPE::COARSE_PITCH;
#pragma unroll 1
    for (int task = (int)threadIdx.x; task < HEIGHT * SHAPE::CELLS_X; task += SHAPE::THREADS) {
        const int y = task % HEIGHT, cell = task / HEIGHT;
        real *const line = lines + y * PITCH + cell * Q;
        restrict_cell<P>(t, plane + y * SHAPE::PITCH + cell * P, 1,
                         [line](int a, real number) { line[a - 1] = number; });
    }
    __syncthreads();
#pragma unroll 1
    for (int task = (int)threadIdx.x; task < X * SHAPE::CELLS_Y; task += SHAPE::THREADS) {
        const int i = task % X, cell = task / X, y = (me.y + cell) * Q;
        const int x = node_number(t, t.coarse, 0, me.x * Q + 1 + i);
        if (x < 0 || me.x + i / Q >= t.cells[0] || me.y + cell >= t.cells[1])
            continue;
        restrict_cell<P>(t, lines + cell * P * PITCH + i, PITCH, [&](int a, real number) {
            const int at = node_number(t, t.coarse, 1, y + a);
            if (at >= 0)
                to[at * t.coarse.pitch + x] = number;
        });
    }
}

template <int P>
__global__ void __launch_bounds__(order_down<P>::THREADS, order_down<P>::FIT)
    order_restrict_kernel(const struct orders t, const struct cgs_cg_state *state,
                          const real *__restrict__ f, real *__restrict__ c)
{
    using shape = order_down<P>;
    constexpr int Q = shape::Q, COLUMNS = shape::COLUMNS;
    __shared__ real plane[shape::HEIGHT * shape::PITCH], lines[shape::HEIGHT * shape::COARSE_PITCH];
    const struct order_block me = order_block_of<shape>(t, t.by_restriction);
    int at[COLUMNS]; /* columns in a plane; -1: zeros */
    real left[COLUMNS];

#pragma unroll
    for (int k = 0; k < COLUMNS; k++) {
        const int i = (int)threadIdx.x + k * shape::THREADS, y = i / shape::WIDTH;
        const int at_x = node_number(t, t.fine, 0, me.x * P + 1 + i % shape::WIDTH);
        const int at_y = y < shape::HEIGHT ? node_number(t, t.fine, 1, me.y * P + 1 + y) : -1;
        at[k] = at_x < 0 || at_y < 0 ? -1 : (int)(at_y * t.fine.pitch + at_x);
        left[k] = 0;
    }
    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
#pragma unroll 1
    for (int cell = me.last; cell >= me.first; cell--) { /* of the last one the inner nodes */
        real sum[COLUMNS][Q + 1];
        const real *from[P];
#pragma unroll
        for (int i = 0; i < P; i++) {
            const int z = plane_among(t, t.fine, t.fine_read, cell * P + 1 + i);
            from[i] = z < 0 ? nullptr : f + z * t.fine.plane;
        }
#pragma unroll
        for (int k = 0; k < COLUMNS; k++) {
            real u[P];
#pragma unroll
            for (int i = 0; i < P; i++)
                u[i] = from[i] && at[k] >= 0 ? from[i][at[k]] : (real)0;
#pragma unroll
            for (int a = 1; a <= Q; a++)
                sum[k][a] = inner_share<P>(t, u, a);
            sum[k][Q] += u[P - 1] + left[k];
            left[k] = inner_share<P>(t, u, 0);
        }
        if (cell == me.last)
            continue;
#pragma unroll
        for (int a = 1; a <= Q; a++) {
            const int z = plane_among(t, t.coarse, t.coarse_own, cell * Q + a);
            if (z < 0)
                continue;
#pragma unroll
            for (int k = 0; k < COLUMNS; k++) {
                const int i = (int)threadIdx.x + k * shape::THREADS;
                if (i < shape::WIDTH * shape::HEIGHT)
                    plane[i / shape::WIDTH * shape::PITCH + i % shape::WIDTH] = sum[k][a];
            }
            __syncthreads();
            restrict_plane<shape>(t, me, plane, lines, c + z * t.coarse.plane);
        }
    }
}

/* ---- prolongation ---- */

/* Copies the tile's numbers of coarse planes `plane` ... + Q - 1, as nodes of z, to shared
 * memory. */
template <class SHAPE>
__device__ inline void load_coarse(const struct orders &t, const struct order_block &me,
                                   const real *c, int plane, real *to)
{
    constexpr int X = SHAPE::COARSE_X, Y = SHAPE::COARSE_Y, Q = SHAPE::Q;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < Q * Y * X; i += SHAPE::THREADS) {
        const int x = node_number(t, t.coarse, 0, me.x * Q + i % X);
        const int y = node_number(t, t.coarse, 1, me.y * Q + i / X % Y);
        const int z = plane_among(t, t.coarse, t.coarse_read, plane + i / X / Y);
        to[i] = x < 0 || y < 0 || z < 0 ? (real)0 : c[z * t.coarse.plane + y * t.coarse.pitch + x];
    }
}

/* A node of a cell of order Q + 1 numbers of a line, with the polynomials' values there. */
template <int Q> __device__ inline real at_node(const real value[Q + 1], const real *from, int step)
{
    real sum = 0;
#pragma unroll
    for (int a = 0; a <= Q; a++)
        sum += value[a] * from[a * step];
    return sum;
}

template <int P>
__global__ void __launch_bounds__(order_up<P>::THREADS)
    order_prolong_kernel(const struct orders t, const struct cgs_cg_state *state, bool add,
                         const real *__restrict__ c, real *__restrict__ f)
{
    using shape = order_up<P>;
    constexpr int Q = shape::Q, WIDTH = shape::WIDTH, LINES = shape::COARSE_Y;
    __shared__ real coarse[Q * LINES * shape::COARSE_X], half[Q * LINES * WIDTH];
    const struct order_block me = order_block_of<shape>(t, t.by_prolongation);
    const int x = (int)threadIdx.x % WIDTH, y = (int)threadIdx.x / WIDTH;
    const bool in = me.x + x / P < t.cells[0] && me.y + y / P < t.cells[1] && y < shape::HEIGHT;
    const int at_x = node_number(t, t.fine, 0, me.x * P + 1 + x);
    const int at_y = node_number(t, t.fine, 1, me.y * P + 1 + y);
    const int64_t at = in && at_x >= 0 && at_y >= 0 ? at_y * t.fine.pitch + at_x : -1;
    real along_x[Q + 1], along_y[Q + 1], column[Q + 1];

#pragma unroll
    for (int a = 0; a <= Q; a++) {
        along_x[a] = t.value[(x % P + 1) * CGS_NODES_MOST + a];
        along_y[a] = t.value[(y % P + 1) * CGS_NODES_MOST + a];
        column[a] = 0;
    }
    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
#pragma unroll 1
    for (int cell = me.first - 1; cell < me.last; cell++) { /* the first one's upper end alone */
        int64_t to[P];
        real was[P];
#pragma unroll
        for (int i = 0; i < P; i++) {
            const int z = plane_among(t, t.fine, t.fine_own, cell * P + 1 + i);
            to[i] = z < 0 || at < 0 || cell < me.first ? -1 : z * t.fine.plane + at;
            was[i] = add && to[i] >= 0 ? f[to[i]] : (real)0;
        }
        load_coarse<shape>(t, me, c, cell * Q + 1, coarse);
        __syncthreads();
#pragma unroll 1
        for (int line = y; line < Q * LINES && y < shape::HEIGHT; line += shape::HEIGHT)
            half[line * WIDTH + x] =
                at_node<Q>(along_x, coarse + line * shape::COARSE_X + x / P * Q, 1);
        __syncthreads();
        column[0] = column[Q];
#pragma unroll
        for (int a = 1; a <= Q; a++)
            if (y < shape::HEIGHT)
                column[a] =
                    at_node<Q>(along_y, half + ((a - 1) * LINES + y / P * Q) * WIDTH + x, WIDTH);
#pragma unroll
        for (int i = 0; i < P; i++)
            if (to[i] >= 0)
                f[to[i]] = was[i] + at_node<Q>(&t.value[(i + 1) * CGS_NODES_MOST], column, 1);
    }
}

} // namespace
