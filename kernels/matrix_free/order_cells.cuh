/* y = A x on any mesh of order p = 2 ... 8 (fem/element/order_cells.h), cell by cell, on CUDA.
 *
 * A block has TX x TY cells and marches in z, a layer of cells at a time. A thread has a column of
 * the points (i, j) of a cell. Lines along z are in its registers; lines along x and y are in
 * shared memory, and a thread has a whole line of them, so that the matrix of one direction is
 * the same for all threads (constant memory) and is applied by its halves. With Q = p + 1 points
 * the nodes are the points; with Q = p + 2 Gauss points there are three more passes on either side:
 *
 *     nodes of the next layer     copied while this layer is computed (cp.async)
 *     values at the points        along z, x, y (Gauss's rule)
 *     slopes at the points        along x, y, z
 *     times kappa w a G           some 40 operations a point; along a column gamma_z is constant
 *                                 and gamma_x, gamma_y are linear
 *     the transposed of both
 *     sums over the cells of the tile, and with the layer below
 *
 * Nodes on faces between blocks are summed without atomics: a block writes what it has of those on
 * its low faces to a buffer of its own (`sides`), and order_cells_finish adds these in a fixed
 * order to what the block below, left or in front has written to y. The division into blocks
 * depends on the mesh alone: the same bits in every run on every device.
 *
 * x'y is the sum over the points of the slopes times their fluxes.
 *
 * A product moves x and y; some 60 operations a point, 14 (Gauss: 19) accesses to shared memory.
 */
#pragma once

#include <nv/target>

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/matrix_free/order_cells.h"

namespace
{

/* TX x TY cells of order P with Q points in each direction; FIT blocks a multiprocessor. */
template <int ORDER, int COUNT, int WIDE_X, int WIDE_Y, int RESIDENT> struct cells_shape {
    static constexpr int P = ORDER, N = P + 1, Q = COUNT, TX = WIDE_X, TY = WIDE_Y, FIT = RESIDENT;
    static constexpr int CELLS = TX * TY, USED = CELLS * Q * Q;
    static constexpr int THREADS = (USED + CGS_WARP - 1) / CGS_WARP * CGS_WARP;
    static constexpr bool GAUSS = Q > N;
    /* Numbers of a cell in shared memory; lines of odd length, for the banks. */
    static constexpr int ROW = N | 1, NODES = N * N * ROW;
    static constexpr int POINT_ROW = Q | 1, PLANE = Q * POINT_ROW, POINTS = Q * PLANE;
    static constexpr int EDGES = 2 * N * N;
    static constexpr int64_t SHARED =
        CELLS * (NODES + (GAUSS ? 3 : 2) * POINTS + EDGES) * (int64_t)sizeof(real);
};

/* The division of the box, and the layout of the sides: [z][y] of the low face in x, [z][x] of that
 * in y, [y][x] of that in z. */
struct cells_division {
    struct cgs_order_form form;          /* tables in device memory */
    real factor[3];                      /* of form, divided by that of x */
    int nodes[3];                        /* of a block, from one to the next */
    int tiles_x, tiles_y, chunks, chunk; /* blocks in x, y, z; cells of a chunk */
    int64_t pitch, plane;                /* numbers from line to line, from plane to plane */
    int64_t side_x, side_y, side; /* numbers of a block's low face in x, in y, of all three */
    real *sides;
};

/* out = A in, M x L. */
template <int M, int L, bool SYMMETRIC>
__device__ inline void cells_line(const struct cgs_halves &h, const real *in, real *out)
{
    constexpr int E = (L + 1) / 2, O = L / 2;
    real even[E], odd[E];
#pragma unroll
    for (int a = 0; a < O; a++) {
        even[a] = in[a] + in[L - 1 - a];
        odd[a] = in[a] - in[L - 1 - a];
    }
    if (L % 2 != 0)
        even[E - 1] = in[E - 1];
#pragma unroll
    for (int i = 0; i < (M + 1) / 2; i++) {
        real s = h.even[i][0] * even[0], d = h.odd[i][0] * odd[0];
#pragma unroll
        for (int a = 1; a < E; a++)
            s += h.even[i][a] * even[a];
#pragma unroll
        for (int a = 1; a < O; a++)
            d += h.odd[i][a] * odd[a];
        if (i == M / 2) {
            out[i] = SYMMETRIC ? s : d;
        } else {
            out[i] = s + d;
            out[M - 1 - i] = SYMMETRIC ? s - d : d - s;
        }
    }
}

/* The same along lines in memory with the numbers STEP apart; ADD: added to `to`. */
template <int M, int L, bool SYMMETRIC, int STEP, bool ADD = false>
__device__ inline void cells_pass(const struct cgs_halves &h, const real *from, real *to)
{
    real in[L], out[M];
#pragma unroll
    for (int m = 0; m < L; m++)
        in[m] = from[m * STEP];
    cells_line<M, L, SYMMETRIC>(h, in, out);
#pragma unroll
    for (int m = 0; m < M; m++)
        to[m * STEP] = ADD ? to[m * STEP] + out[m] : out[m];
}

/* 1 / x of an ordinary x, to an ulp or two. */
__device__ inline double reciprocal(double x)
{
    double y;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (asm("rcp.approx.ftz.f64 %0, %1;"
                           : "=d"(y)
                           : "d"(x));
                       y = fma(y, fma(-x, y, 1.0), y); y = fma(y, fma(-x, y, 1.0), y);),
                      (y = 1.0 / x;))
    return y;
}

__device__ inline float reciprocal(float x)
{
    float y;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (asm("rcp.approx.ftz.f32 %0, %1;"
                           : "=f"(y)
                           : "f"(x));),
                      (y = 1.0f / x;))
    return y;
}

/* Copies a number to shared memory, or 0; there after the next fetched() and a barrier. */
__device__ inline void fetch(real *to, const real *from, bool there)
{
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,
                      (asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                                        (unsigned)__cvta_generic_to_shared(to)),
                                    "l"(from), "n"(sizeof(real)), "r"(there ? (int)sizeof(real) : 0)
                                    : "memory");),
                      (*to = there ? *from : (real)0;))
}

__device__ inline void fetched()
{
    NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.wait_all;" ::: "memory");))
}

/* A thread's column of points, and of nodes. */
struct cells_column {
    bool working, node, inside; /* has points; has nodes; these are unknowns */
    int cell, i, j, cx, cy, cz;
    /* x and y of its points: weights, kappa where it is a number of the cell without z, the two
     * parts of the metric linear along z, the wave, half the deformation's part in t, t. */
    real weight, excess, gx, gy, over, move, tx, ty;
};

template <class S>
__device__ inline struct cells_column find_column(const struct cells_division &d, int tx, int ty)
{
    const struct cgs_order_form &f = d.form;
    const int thread = (int)threadIdx.x, own = thread % (S::Q * S::Q);
    struct cells_column me;
    me.working = S::USED == S::THREADS || thread < S::USED;
    me.cell = me.working ? thread / (S::Q * S::Q) : 0;
    me.i = own % S::Q;
    me.j = own / S::Q;
    me.cx = tx * S::TX + me.cell % S::TX;
    me.cy = ty * S::TY + me.cell / S::TX;
    const int x = me.cx * S::P + me.i, y = me.cy * S::P + me.j;
    me.node = me.working && me.i < S::N && me.j < S::N;
    me.inside = me.node && x >= 1 && x <= f.n[0] && y >= 1 && y <= f.n[1];
    const int ex = min(me.cx, (int)f.cells[0] - 1), ey = min(me.cy, (int)f.cells[1] - 1);
    const real r = f.point[me.i], s = f.point[me.j];
    const real wx = f.wave[0][ex] + r * f.step[0][ex], wy = f.wave[1][ey] + s * f.step[1][ey];
    me.weight = f.weight[me.i] * f.weight[me.j] * f.factor[0];
    me.excess = f.excess[0][ex] * f.excess[1][ey];
    me.gx = f.over * f.step[0][ex] * wy;
    me.gy = f.over * wx * f.step[1][ey];
    me.over = f.over * wx * wy;
    me.move = f.deform * wx * wy;
    me.tx = f.middle[0][ex] + r * f.half_step[0];
    me.ty = f.middle[1][ey] + s * f.half_step[1];
    return me;
}

/* kappa along a column of layer cz: k[0] + k[1] t + k[2] t^2. */
__device__ inline void kappa_of(const struct cgs_order_form &f, const struct cells_column &me,
                                int cz, real wave, real step, real k[3])
{
    k[0] = 1;
    k[1] = k[2] = 0;
    if (f.kappa == CGS_KAPPA_JUMP)
        k[0] += (real)0.5 * (1 - me.excess * f.excess[2][cz]) * (f.ratio - 1);
    if (f.kappa == CGS_KAPPA_SMOOTH) {
        const real move = me.move * wave, along = me.move * step;
        const real x = me.tx + move, y = me.ty + move, z = f.middle[2][cz] + move;
        const real rise = f.half_step[2] + along;
        k[0] += x + 2 * y * z;
        k[1] = along + 2 * (y * rise + z * along);
        k[2] = 2 * along * rise;
    }
}

/* Slopes at the column's points, x and y PLANE apart, become kappa w a G times them; returns the
 * sum of their products. */
template <class S>
__device__ inline real fluxes(const struct cells_division &d, const struct cells_column &me, int cz,
                              real *x, real *y, real *z)
{
    const struct cgs_order_form &f = d.form;
    const real wave = f.wave[2][cz], step = f.step[2][cz];
    const real gz = me.over * step, whole_z = 1 + gz, squares_z = gz * gz;
    const real gxy = me.gx + me.gy, squares_xy = me.gx * me.gx + me.gy * me.gy;
    real k[3], energy = 0;
    kappa_of(f, me, cz, wave, step, k);
#pragma unroll
    for (int m = 0; m < S::Q; m++) {
        const real t = f.point[m], wz = wave + t * step, gx = me.gx * wz, gy = me.gy * wz;
        const real whole = whole_z + gxy * wz;
        const real squares = (squares_z + squares_xy * wz * wz) * reciprocal(whole);
        const real a = x[m * S::PLANE], b = y[m * S::PLANE], c = z[m];
        const real sum = a + b + c, common = gx * a + gy * b + gz * c - squares * sum;
        const real scale = me.weight * f.weight[m] * (k[0] + t * (k[1] + t * k[2]));
        const real u = scale * (whole * a - gx * sum - common);
        const real v = scale * (whole * (d.factor[1] * b) - gy * sum - common);
        const real w = scale * (whole * (d.factor[2] * c) - gz * sum - common);
        x[m * S::PLANE] = u;
        y[m * S::PLANE] = v;
        z[m] = w;
        energy += a * u + b * v + c * w;
    }
    return energy;
}

/* Copies nodes `from` ... P of the column in layer cz to `mine`, NODES / N apart. */
template <class S, int FROM>
__device__ inline void fetch_column(const struct cells_division &d, const struct cells_column &me,
                                    int cz, const real *x, real *mine)
{
#pragma unroll
    for (int k = FROM; k < S::N; k++) {
        const int z = cz * S::P + k - 1;
        const bool there = me.inside && z >= 0 && z < d.form.n[2];
        const int64_t at =
            z * d.plane + (int64_t)(me.cy * S::P + me.j - 1) * d.pitch + (me.cx * S::P + me.i - 1);
        fetch(mine + k * S::N * S::ROW, there ? x + at : x, there);
    }
}

/* Shared memory of a block. a, b: [cell][z][y][x] of points, v: the same with Gauss's rule. */
template <class S> struct cells_memory {
    real *nodes, *a, *b, *v, *edges;
};

/* The column's part of layer cz: acc, at its nodes; returns its part of x'y. The nodes of the next
 * layer are on their way afterwards if there is one. */
template <class S>
__device__ inline real
multiply_cells(const struct cells_division &d, const struct cells_memory<S> &mem,
               const struct cells_column &me, int cz, bool next, const real *x, real *acc)
{
    constexpr int N = S::N, Q = S::Q, PLANE = S::PLANE, ROW = S::POINT_ROW, LAYER = N * S::ROW;
    const struct cgs_order_form &f = d.form;
    const int cell = me.cell * S::POINTS, mine = cell + me.j * ROW + me.i;
    /* A thread's line along x of plane j, and along y. */
    const int row = cell + me.j * PLANE + me.i * ROW, column = cell + me.j * PLANE + me.i;
    real *const own = mem.nodes + me.cell * S::NODES + me.j * S::ROW + me.i;
    real gz[Q], energy = 0, below = 0;
    if constexpr (S::GAUSS) {
        if (me.node) {
            real u[N], out[Q];
#pragma unroll
            for (int k = 0; k < N; k++)
                u[k] = own[k * LAYER];
            cells_line<Q, N, true>(f.interpolate, u, out);
#pragma unroll
            for (int k = 0; k < Q; k++)
                mem.a[mine + k * PLANE] = out[k];
            own[0] = u[N - 1];
            if (next)
                fetch_column<S, 1>(d, me, cz + 1, x, own);
        }
        __syncthreads();
        if (me.working && me.i < N)
            cells_pass<Q, N, true, 1>(f.interpolate, mem.a + row, mem.b + row);
        __syncthreads();
        if (me.working) {
            real in[N], at[Q], out[Q];
#pragma unroll
            for (int m = 0; m < N; m++)
                in[m] = mem.b[column + m * ROW];
            cells_line<Q, N, true>(f.interpolate, in, at);
            cells_line<Q, Q, false>(f.slope, at, out);
#pragma unroll
            for (int m = 0; m < Q; m++) {
                mem.v[column + m * ROW] = at[m];
                mem.b[column + m * ROW] = out[m];
            }
        }
        __syncthreads();
        if (me.working) {
            real in[Q];
            cells_pass<Q, Q, false, 1>(f.slope, mem.v + row, mem.a + row);
#pragma unroll
            for (int m = 0; m < Q; m++)
                in[m] = mem.v[mine + m * PLANE];
            cells_line<Q, Q, false>(f.slope, in, gz);
        }
        __syncthreads();
    } else {
        if (me.working) {
            real u[N];
            cells_pass<N, N, false, 1>(f.slope, mem.nodes + row, mem.a + row);
            cells_pass<N, N, false, ROW>(f.slope, mem.nodes + column, mem.b + column);
#pragma unroll
            for (int k = 0; k < N; k++)
                u[k] = own[k * LAYER];
            cells_line<N, N, false>(f.slope, u, gz);
            below = u[N - 1];
        }
        __syncthreads();
        if (me.working) {
            own[0] = below;
            if (next)
                fetch_column<S, 1>(d, me, cz + 1, x, own);
        }
    }
    real out[Q];
    if (me.working) {
        energy = fluxes<S>(d, me, cz, mem.a + mine, mem.b + mine, gz);
        cells_line<Q, Q, false>(f.slope_t, gz, out);
    }
    if constexpr (S::GAUSS) {
        if (me.working) {
#pragma unroll
            for (int k = 0; k < Q; k++)
                mem.v[mine + k * PLANE] = out[k];
        }
        __syncthreads();
        if (me.working)
            cells_pass<Q, Q, false, 1, true>(f.slope_t, mem.a + row, mem.v + row);
        __syncthreads();
        if (me.working) {
            real in[Q], at[N];
#pragma unroll
            for (int m = 0; m < Q; m++)
                in[m] = mem.b[column + m * ROW];
            cells_line<Q, Q, false>(f.slope_t, in, out);
#pragma unroll
            for (int m = 0; m < Q; m++)
                out[m] += mem.v[column + m * ROW];
            cells_line<N, Q, true>(f.interpolate_t, out, at);
#pragma unroll
            for (int m = 0; m < N; m++)
                mem.b[column + m * ROW] = at[m];
        }
        __syncthreads();
        if (me.working && me.i < N)
            cells_pass<N, Q, true, 1>(f.interpolate_t, mem.b + row, mem.a + row);
        __syncthreads();
        if (me.node) {
#pragma unroll
            for (int k = 0; k < Q; k++)
                out[k] = mem.a[mine + k * PLANE];
            cells_line<N, Q, true>(f.interpolate_t, out, acc);
        }
    } else {
        __syncthreads();
        if (me.working) {
            cells_pass<N, N, false, 1>(f.slope_t, mem.a + row, mem.a + row);
            cells_pass<N, N, false, ROW>(f.slope_t, mem.b + column, mem.b + column);
        }
        __syncthreads();
        if (me.working) {
#pragma unroll
            for (int k = 0; k < N; k++)
                acc[k] = out[k] + (mem.a[mine + k * PLANE] + mem.b[mine + k * PLANE]);
        }
    }
    return energy;
}

/* Adds what the tile's cells right of the column, above and both have of its nodes. */
template <class S>
__device__ inline void add_neighbours(const struct cells_memory<S> &mem,
                                      const struct cells_column &me, real *acc)
{
    constexpr int N = S::N;
    const bool right = me.node && me.i == S::P && me.cell % S::TX + 1 < S::TX;
    const bool up = me.node && me.j == S::P && me.cell / S::TX + 1 < S::TY;
    real *const edges = mem.edges + me.cell * S::EDGES;
    if (me.node) {
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (me.i == 0)
                edges[k * 2 * N + me.j] = acc[k];
            if (me.j == 0)
                edges[k * 2 * N + N + me.i] = acc[k];
        }
    }
    fetched();
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (right)
            acc[k] += edges[S::EDGES + k * 2 * N + me.j];
        if (up)
            acc[k] += edges[S::TX * S::EDGES + k * 2 * N + N + me.i];
        if (right && up)
            acc[k] += edges[(S::TX + 1) * S::EDGES + k * 2 * N];
    }
}

/* dot: sums[sum] = x'y. */
template <class S>
__global__ void __launch_bounds__(S::THREADS, S::FIT)
    order_cells(const __grid_constant__ struct cells_division d, const real *x, real *y,
                struct cgs_cg_state *state, bool dot, enum cgs_sum sum, double *partials,
                unsigned *tickets)
{
    CGS_DYNAMIC_SHARED(real, order_cells_memory);
    constexpr int P = S::P, N = S::N, SIDE_X = S::TX * P + 1, SIDE_Y = S::TY * P + 1;
    const struct cells_memory<S> mem = {
        order_cells_memory, order_cells_memory + S::CELLS *S::NODES,
            order_cells_memory + S::CELLS *(S::NODES + S::POINTS),
            order_cells_memory + S::CELLS *(S::NODES + 2 * S::POINTS),
            order_cells_memory + S::SHARED / (int64_t)sizeof(real) - S::CELLS *S::EDGES
    };
    const int tile = (int)blockIdx.x % (d.tiles_x * d.tiles_y);
    const int first = (int)blockIdx.x / (d.tiles_x * d.tiles_y) * d.chunk;
    const int last = min(first + d.chunk, (int)d.form.cells[2]);
    const struct cells_column me = find_column<S>(d, tile % d.tiles_x, tile / d.tiles_x);
    /* Node of the tile; where the column's sums go: y, or a side. */
    const int gx = me.cell % S::TX * P + me.i, gy = me.cell / S::TX * P + me.j;
    const bool owner = me.inside && (me.i > 0 || gx == 0) && (me.j > 0 || gy == 0);
    const bool low_x = gx == 0, low = low_x || gy == 0;
    real *const side = d.sides + (int64_t)blockIdx.x * d.side;
    real *const bottom = side + d.side_x + d.side_y + gy * SIDE_X + gx;
    real *to = y + (int64_t)(me.cy * P + me.j - 1) * d.pitch + (me.cx * P + me.i - 1) +
               ((int64_t)first * P - 1) * d.plane;
    int64_t step = d.plane;
    if (low) {
        to = low_x ? side + gy : side + d.side_x + gx;
        step = low_x ? SIDE_Y : SIDE_X;
    }
    double mine = 0.0, total;
    real carry = 0;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    if (me.node)
        fetch_column<S, 0>(d, me, first, x, mem.nodes + me.cell * S::NODES + me.j * S::ROW + me.i);
    fetched();
    __syncthreads();
    for (int cz = first; cz < last; cz++) {
        real acc[N];
        mine += (double)multiply_cells<S>(d, mem, me, cz, cz + 1 < last, x, acc);
        add_neighbours<S>(mem, me, acc);
        if (!owner)
            continue;
        acc[0] += carry;
        carry = acc[P];
#pragma unroll
        for (int k = 0; k < P; k++) {
            if (k > 0 || low || cz > first)
                *to = acc[k];
            else if (cz > 0)
                *bottom = acc[k];
            to += step;
        }
    }
    if (owner && (low || last < d.form.cells[2]))
        *to = carry;
    if (dot && cgs_grid_sum<S::THREADS>(mine, partials, tickets, &total))
        state->sums[sum] = total;
}

/* Adds the sides of the blocks above to y, at nodes of planes between blocks in x, then of those
 * in y, then in z. */
__global__ void __launch_bounds__(CGS_THREADS)
    order_cells_finish(const __grid_constant__ struct cells_division d, real *y,
                       const struct cgs_cg_state *state)
{
    const int *size = d.nodes;
    const int planes[3] = {d.tiles_x - 1, d.tiles_y - 1, d.chunks - 1};
    if (state && !cgs_cg_going_on(state))
        return;
    for (int way = 0; way < 3; way++) {
        const int wide = (int)d.form.n[way == 0], deep = (int)d.form.n[way == 2 ? 1 : 2];
        const int64_t all = (int64_t)planes[way] * wide * deep;
        for (int64_t at = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x; at < all;
             at += (int64_t)gridDim.x * CGS_THREADS) {
            const int w = (int)(at % wide) + 1, v = (int)(at / wide % deep) + 1;
            const int plane = (int)(at / ((int64_t)wide * deep)) + 1;
            const int node[3] = {way == 0 ? plane * size[0] : w,
                                 way == 0   ? w
                                 : way == 1 ? plane * size[1]
                                            : v,
                                 way == 2 ? plane * size[2] : v};
            int block[3], local[3];
            bool on[3];
            for (int k = 0; k < 3; k++) {
                on[k] = node[k] % size[k] == 0;
                block[k] = (node[k] - 1) / size[k];
                local[k] = node[k] - block[k] * size[k];
            }
            if ((way > 0 && on[0]) || (way > 1 && on[1]))
                continue; /* done before */
            real sum = 0;
            for (int m = 1; m < 8; m++) {
                const int over[3] = {m & 1, m >> 1 & 1, m >> 2};
                if ((over[0] && !on[0]) || (over[1] && !on[1]) || (over[2] && !on[2]))
                    continue;
                const int64_t from =
                    ((int64_t)(block[2] + over[2]) * d.tiles_y + block[1] + over[1]) * d.tiles_x +
                    block[0] + over[0];
                const int lx = over[0] ? 0 : local[0], ly = over[1] ? 0 : local[1],
                          lz = over[2] ? 0 : local[2];
                sum +=
                    d.sides[from * d.side +
                            (lx == 0   ? (int64_t)lz * (size[1] + 1) + ly
                             : ly == 0 ? d.side_x + (int64_t)lz * (size[0] + 1) + lx
                                       : d.side_x + d.side_y + (int64_t)ly * (size[0] + 1) + lx)];
            }
            y[(node[2] - 1) * d.plane + (node[1] - 1) * d.pitch + node[0] - 1] += sum;
        }
    }
}

} // namespace
