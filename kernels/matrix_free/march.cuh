/* The 27-point stencil of the plain box on CUDA: warps that march through the planes.
 *
 * A warp marches through the planes of its chunk and holds the data of planes.cuh for each. No warp
 * waits for another. A warp reads nothing twice, as it computes a plane's contributions to three
 * planes when it has loaded it:
 *     (A a)(z) = P0(z) + P1(z-1) + P1(z+1)
 *
 * The mode says which vector is marched over, and what is computed from the product:
 *     APPLY      y = A x                               reads 1 vector, writes 1
 *     APPLY_DOT  y = A x, x'y
 *     DIRECTION  p = z + beta p, p'A p                 reads 2, writes 1: A p is not kept
 *     UPDATE     x += alpha p, r -= alpha A p, r'r     reads 3, writes 2
 *     LATE       the same, but x every second time, for two iterations at once: reads 2, writes 1
 *                and reads 3, writes 2 by turns
 *     RESIDUAL   y = b - A x                           reads 2, writes 1
 *     NORM       ||b - A x||^2                         reads 2
 *     RELAX      y = on_x x + on_y y + c d (b - A x)   reads 2 or 3 (and d), writes 1
 * LATE needs the previous direction, recovered from z = r + beta p as (p - r) / beta, r being
 * loaded. That loses eps |p| / (beta |p before|), so for small beta it is read from memory.
 */
#pragma once

#include <nv/target>

#include "kernels/matrix_free/planes.cuh"
#include "kernels/vector/ranks_cuda.cuh"

namespace
{

enum mode { APPLY, APPLY_DOT, DIRECTION, UPDATE, LATE, RESIDUAL, NORM, RELAX };

/* CG's modes march over its direction; the others over x to y, some with b. */
constexpr bool updates(enum mode m)
{
    return m == UPDATE || m == LATE;
}

constexpr bool reads_b(enum mode m)
{
    return m == RESIDUAL || m == NORM || m == RELAX;
}

constexpr bool sums_up(enum mode m)
{
    return m == APPLY_DOT || m == DIRECTION || m == NORM || updates(m);
}

/* Below this beta the previous direction is read, not recovered. */
constexpr double SMALL_BETA = 1e-3;

/* Vectors of a march. x: marched over; y: result; b, d (NULL: ones) and three factors of struct
 * cgs_relaxation. The others are CG's, with directions in p and q by turns
 * (cgs_cg_direction_in_q). */
struct fields {
    const real *x, *b, *d, *z;
    real *y, *p, *q, *r, *solution;
    real on_x, on_y, c;
};

/* Scalars of the iteration. */
struct scalars {
    real beta, alpha;
    real on_p, on_r, on_before; /* solution += on_p p + on_r r + on_before (direction before) */
    bool moves;                 /* update the solution this time; RELAX: read y */
    bool fresh;                 /* UPDATE: the solution was 0 and is not read */
    const real *before;         /* the previous direction */
    real *own;                  /* this iteration's */
};

template <enum mode M>
__device__ inline bool read_state(const struct cgs_cg_state *state, const struct fields &f,
                                  struct scalars *s)
{
    *s = {};
    s->moves = M == RELAX && f.on_y != 0;
    if (!state)
        return true;
    if (!cgs_cg_going_on(state))
        return false;
    if (M == APPLY || reads_b(M))
        return true;
    s->before = cgs_cg_direction_in_q(state) ? f.q : f.p;
    if (M == DIRECTION && state->beta == 0.0) /* not read: z, which is in the cache, stands in */
        s->before = f.z;
    s->own = cgs_cg_direction_in_q(state) ? f.p : f.q;
    s->beta = (real)state->beta;
    if (updates(M)) {
        const double alpha = cgs_cg_alpha(state);
        const bool deferred = state->x_deferred != 0;
        s->alpha = s->on_p = (real)alpha;
        s->moves = M == UPDATE || deferred;
        s->fresh = M == UPDATE && state->x_zero;
        if (M == LATE && deferred) {
            const double before = state->records[state->iteration].alpha;
            if (state->beta < SMALL_BETA) {
                s->on_before = (real)before;
            } else {
                s->on_p = (real)(alpha + before / state->beta);
                s->on_r = (real)(-before / state->beta);
            }
        }
    }
    return true;
}

/* Numbers of other vectors for the end of a plane, loaded since the previous plane: r and the
 * solution; b and y. */
template <int R> struct pending {
    pack<WIDE> first[R], second[R];
};

template <enum mode M, int R>
__device__ inline void load_pending(const struct box &box, const struct place<R> &me,
                                    const struct fields &f, const struct scalars &s,
                                    struct pending<R> *out)
{
    const real *first = updates(M) ? f.r : f.b, *second = updates(M) ? f.solution : f.y;
#pragma unroll
    for (int j = 0; j < R; j++) {
        if (!(me.lines_in >> (j + 1) & 1))
            continue;
        const int64_t at = me.at + j * box.pitch;
        out->first[j] = load_line<false>(first + at);
        if (M == UPDATE && s.fresh)
            out->second[j] = zero_pack();
        else if (s.moves)
            out->second[j] = load_line<false>(second + at);
    }
}

/* RESIDUAL and RELAX: ends one line of the product. y is read if s.moves. */
template <enum mode M, int W>
__device__ inline void smooth_line(const struct fields &f, const struct scalars &s, int64_t at,
                                   const pack<W> &x, const pack<W> &product, pack<W> b,
                                   const pack<W> &y)
{
#pragma unroll
    for (int v = 0; v < W; v++)
        b.at[v] -= product.at[v];
    if (M == RELAX && f.d) {
        const pack<W> d = load_line<false, W>(f.d + at);
        for (int v = 0; v < W; v++)
            b.at[v] *= d.at[v];
    }
    if (M == RELAX) {
        for (int v = 0; v < W; v++)
            b.at[v] = f.c * b.at[v] + f.on_x * x.at[v];
        for (int v = 0; s.moves && v < W; v++)
            b.at[v] += f.on_y * y.at[v];
    }
    store_pack<W>(f.y, at, b);
}

/* Ends one line of the product; returns its share of the sum. r, x: loaded before; NORM: r is b. */
template <enum mode M, int W>
__device__ inline double end_line(const struct fields &f, const struct scalars &s, int64_t at,
                                  unsigned numbers_in, const pack<W> &a, pack<W> product, pack<W> r,
                                  pack<W> x)
{
    double sum = 0.0;
#pragma unroll
    for (int v = 0; v < W; v++)
        if (!(numbers_in >> v & 1))
            product.at[v] = 0;
    if (M == RESIDUAL || M == RELAX)
        smooth_line<M>(f, s, at, a, product, r, x);
    if (M == APPLY || M == APPLY_DOT)
        store_pack<W>(f.y, at, product);
    if (M == APPLY_DOT || M == DIRECTION) {
        for (int v = 0; v < W; v++)
            sum += (double)a.at[v] * (double)product.at[v];
        return sum;
    }
    if (M == NORM) {
        for (int v = 0; v < W; v++) {
            const real rest = r.at[v] - product.at[v];
            sum += (double)rest * (double)rest;
        }
        return sum;
    }
    if (!updates(M))
        return 0.0;
    if (s.moves) {
        if (s.on_before != 0) {
            const pack<W> before = load_line<false, W>(s.before + at);
            for (int v = 0; v < W; v++)
                x.at[v] += s.on_before * before.at[v];
        }
        for (int v = 0; v < W; v++)
            x.at[v] += s.on_p * a.at[v] + s.on_r * r.at[v];
        store_pack<W>(f.solution, at, x);
    }
    for (int v = 0; v < W; v++) {
        r.at[v] -= s.alpha * product.at[v];
        sum += (double)r.at[v] * (double)r.at[v];
    }
    store_pack<W>(f.r, at, r);
    return sum;
}

/* The part of a thread in its chunk: planes first ... last - 1, downwards if `down`. */
template <enum mode M, int R, bool CUBIC>
__device__ inline double march_chunk(const struct box &box, const struct fields &f,
                                     const struct scalars &s, int tile_x, int tile_y, int first,
                                     int last, bool down)
{
    constexpr bool TWO = M == DIRECTION, PENDING = updates(M) || reads_b(M);
    const real *a = M == DIRECTION ? f.z : updates(M) ? s.own : f.x;
    const real *b = M == DIRECTION ? s.before : nullptr;
    const int step = down ? -1 : 1, planes = last - first;
    /* planes of p to store: the chunk's, and the adjacent plane of another rank, which computes it
     * as well */
    const int own_first = first == 0 && box.low < 0 ? -1 : 0;
    const int own_last = last == box.planes && box.high > box.planes ? planes + 1 : planes;
    int z = down ? last : first - 1; /* current plane */
    struct place<R> me = find_place<R>(box, tile_x, tile_y, z);
    const int64_t stride = down ? -box.plane : box.plane;
    struct lines<R, TWO> next, now;
    struct shares<R> share_now;
    struct pending<R> pending;
    pack<WIDE> done[R], p1[R], held[R]; /* P0 + P1 so far, P1, and a of the previous plane */
    double sum = 0.0;

    load_lines<R, TWO>(box, me, z >= box.low && z < box.high, a, b, &next);
#pragma unroll
    for (int j = 0; j < R; j++)
        p1[j] = done[j] = held[j] = zero_pack();
    for (int i = -1; i <= planes; i++) {
        now = next;
        me.at += stride;
        me.end_at += stride;
        z += step;
        if constexpr (TWO)
            combine<R>(s.beta, &now);
        if (i < planes)
            load_lines<R, TWO>(box, me, z >= box.low && z < box.high, a, b, &next);
        if (M == DIRECTION && i >= own_first && i < own_last) {
#pragma unroll
            for (int j = 0; j < R; j++)
                if (me.lines_in >> (j + 1) & 1)
                    store_pack<WIDE>(s.own, me.at - stride + j * box.pitch, now.a[j + 1]);
        }
        share<CUBIC, R, TWO>(now, box.c, me.lane, &share_now);
        if (i >= 1) {
#pragma unroll
            for (int j = 0; j < R; j++) {
                pack<WIDE> product;
                for (int v = 0; v < WIDE; v++)
                    product.at[v] = done[j].at[v] + share_now.p1[j].at[v];
                if (me.lines_in >> (j + 1) & 1)
                    sum += end_line<M>(f, s, me.at - 2 * stride + j * box.pitch, me.numbers_in,
                                       held[j], product, pending.first[j], pending.second[j]);
            }
        }
        if (PENDING && i >= 0 && i < planes) {
            me.at -= stride;
            load_pending<M, R>(box, me, f, s, &pending);
            me.at += stride;
        }
#pragma unroll
        for (int j = 0; j < R; j++) {
            for (int v = 0; v < WIDE; v++)
                done[j].at[v] = share_now.p0[j].at[v] + p1[j].at[v];
            p1[j] = share_now.p1[j];
            held[j] = now.a[j + 1];
        }
    }
    return sum;
}

/* Ends a kernel, in the one thread that has the total. */
template <enum mode M>
__device__ inline void end_march(struct cgs_cg_state *state, const struct scalars &s,
                                 bool concludes, enum cgs_sum sum, const struct cgs_sum_way &way,
                                 double total)
{
    state->sums[sum] = M == APPLY_DOT || M == NORM ? total : cgs_sum_of_ranks(way, total);
    if (M == LATE && concludes) { /* all have read the state */
        const int64_t before = state->iteration;
        cgs_cg_conclude(state);
        state->x_deferred = !s.moves && state->iteration > before;
    }
}

/* way: to the other ranks' parts of the sum. concludes: LATE ends the iteration; not where
 * another kernel completes the sum. down: direction through a chunk. A march that begins where
 * the previous one ended finds that data in the L2 cache. CUBIC: of planes.cuh. */
template <enum mode M, int R, int BLOCKS, bool CUBIC>
__global__ void __launch_bounds__(CGS_THREADS, BLOCKS)
    march(const struct box box, const struct fields f, struct cgs_cg_state *state, bool down,
          bool concludes, enum cgs_sum sum, const struct cgs_sum_way way, double *partials,
          unsigned *tickets)
{
    const int tiles = box.tiles_x * box.tiles_y;
    const int chunk = (int)blockIdx.x / tiles, tile = (int)blockIdx.x % tiles;
    const int first = (int)((int64_t)box.planes * chunk / box.chunks);
    const int last = (int)((int64_t)box.planes * (chunk + 1) / box.chunks);
    struct scalars s;
    double total;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if (!read_state<M>(state, f, &s))
        return;
    const double mine = march_chunk<M, R, CUBIC>(box, f, s, tile % box.tiles_x, tile / box.tiles_x,
                                                 first, last, down);
    if (!sums_up(M))
        return;
    if (!cgs_grid_sum(mine, partials, tickets, &total))
        return;
    end_march<M>(state, s, concludes, sum, way, total);
}

/* *to = *from in shared memory, or 0, once settle_copies() has returned and all threads have
 * met. */
__device__ inline void copy_number(real *to, const real *from, bool there)
{
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,
                      (asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                                        (unsigned)__cvta_generic_to_shared(to)),
                                    "l"(from), "n"(sizeof(real)), "r"(there ? (int)sizeof(real) : 0)
                                    : "memory");),
                      (*to = there ? *from : (real)0;))
}

__device__ inline void settle_copies()
{
    NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.wait_all;" ::: "memory");))
}

} // namespace
