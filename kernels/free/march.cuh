/* The 27-point stencil of the plain cube on CUDA: warps that march through the planes.
 *
 * A warp has a tile of one pack a lane in x and R lines in y and goes through the planes of its chunk.
 * Of every plane it needs its lines, the two beside them, and one number at either end of each line:
 * these other numbers come out of the L1 cache, into which the warp's neighbours have loaded them, or
 * of the L2. No warp waits for another. Nothing is read twice by a warp, for a plane's share of three
 * planes is computed when it is there: with a the numbers, s the sums of both x-neighbours, and
 * y-1, y+1 the lines beside,
 *     u = c0 a + c1 s,   v = c1 a + c2 s,   w = c2 a + c3 s
 *     P0 = u + v(y-1) + v(y+1)       in the same plane
 *     P1 = v + w(y-1) + w(y+1)       in the planes before and after
 *     (A a)(z) = P0(z) + P1(z-1) + P1(z+1)
 * which are about 14 additions and multiplications a number instead of 53.
 *
 * What is marched over, and what becomes of the product, is the mode:
 *     APPLY      y = A x                               reads 1 vector, writes 1
 *     APPLY_DOT  y = A x, x'y
 *     DIRECTION  p = z + beta p, p'A p                 reads 2, writes 1: A p is not kept
 *     UPDATE     x += alpha p, r -= alpha A p, r'r     reads 3, writes 2
 *     LATE       the same, but x every second time, for two iterations at once: reads 2, writes 1
 *                and reads 3, writes 2 in turn
 * LATE needs the direction before, which z = r + beta p tells: (p - r) / beta, r being at hand. That
 * loses eps |p| / (beta |p before|), so for a small beta it is read from where it still stands.
 *
 * Vectors lie in lines whose starts are aligned (kernels/space.h); what pads a line is zero.
 */
#ifndef CGS_KERNELS_FREE_MARCH_CUH
#define CGS_KERNELS_FREE_MARCH_CUH

#include "kernels/vector/steps.cuh"

namespace {

enum mode { APPLY, APPLY_DOT, DIRECTION, UPDATE, LATE };

constexpr int WARPS = CGS_THREADS / (int)CGS_WARP, LANES = CGS_WARP;
constexpr int SEGMENT = LANES * (int)WIDE; /* numbers of a warp's line */

/* Below, the direction before is read, not recovered. */
constexpr double SMALL_BETA = 1e-3;

/* The cube, how its vectors lie, and how it is divided: tiles_x x tiles_y blocks a chunk of planes. */
struct box {
    int n;                /* unknowns in each direction */
    int64_t pitch, plane; /* numbers from line to line, from plane to plane */
    int tiles_x, tiles_y, chunks;
    real c[4];            /* centre, face, edge, corner */
};

/* x: marched over (APPLY); y: the product. The others are CG's; directions by turns in p and q
 * (cgs_cg_turned). */
struct fields {
    const real *x, *z;
    real *y, *p, *q, *r, *solution;
};

/* What a march knows of the iteration. */
struct scalars {
    real beta, alpha;
    real on_p, on_r, on_before; /* solution += on_p p + on_r r + on_before (direction before) */
    bool moves;                 /* whether it moves the solution this time */
    real *before, *own;         /* directions, the one before and this iteration's */
};

template <enum mode M>
__device__ inline bool read_state(const struct cgs_cg_state *state, const struct fields &f,
                                  struct scalars *s)
{
    *s = {};
    if (!state)
        return true;
    if (!cgs_cg_going_on(state))
        return false;
    s->before = cgs_cg_turned(state) ? f.q : f.p;
    s->own = cgs_cg_turned(state) ? f.p : f.q;
    s->beta = (real)state->beta;
    if (M == UPDATE || M == LATE) {
        const double alpha = cgs_cg_alpha(state);
        const bool owed = state->owed != 0;
        s->alpha = s->on_p = (real)alpha;
        s->moves = M == UPDATE || owed;
        if (M == LATE && owed) {
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

/* Loads that stay where they are written. KEEP: neighbours will want it, through the L1. */
template <bool KEEP, int W = WIDE> __device__ inline pack<W> load_line(const real *x)
{
    pack<W> p;
    if constexpr (KEEP)
        p = load_pack<W, true>(x, 0);
    else if constexpr (W == 4)
        asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(p.at[0]), "=f"(p.at[1]), "=f"(p.at[2]), "=f"(p.at[3])
                     : "l"(x));
    else
        asm volatile("ld.global.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
                     : "=d"(p.at[0]), "=d"(p.at[1])
                     : "l"(x));
    return p;
}

__device__ inline pack<WIDE> zero_pack()
{
    pack<WIDE> p;
    for (int v = 0; v < WIDE; v++)
        p.at[v] = 0;
    return p;
}

/* The lines of a plane as loaded: R + 2 of one or two vectors, and their ends: lane j has the number
 * left of line j, lane 16 + j the one right of it. */
template <int R, bool TWO> struct lines {
    pack<WIDE> a[R + 2], b[TWO ? R + 2 : 1];
    real end_a, end_b;
};

/* Where a thread's numbers are. */
template <int R> struct place {
    int64_t at;         /* of its pack in the first of its R lines, in the plane at hand */
    int64_t end_at;     /* of the line's end that it loads */
    unsigned lines_in;  /* bit j: line j of the R + 2 is in the box */
    unsigned numbers_in; /* bit v: number v of its pack is in the box */
    bool end_in;
    int lane;
};

template <int R>
__device__ inline struct place<R> find_place(const struct box &box, int tile_x, int tile_y, int z)
{
    struct place<R> me;
    const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
    const int x0 = tile_x * SEGMENT, x = x0 + lane * WIDE;
    const int y = (tile_y * WARPS + warp) * R;
    me.lane = lane;
    me.at = (int64_t)z * box.plane + (int64_t)y * box.pitch + x;
    me.lines_in = me.numbers_in = 0;
    for (int j = 0; j < R + 2; j++)
        if (x < box.pitch && y - 1 + j >= 0 && y - 1 + j < box.n)
            me.lines_in |= 1u << j;
    for (int v = 0; v < WIDE; v++)
        if (x + v < box.n)
            me.numbers_in |= 1u << v;
    const int j = lane % 16, end_y = y - 1 + j, end_x = lane < 16 ? x0 - 1 : x0 + SEGMENT;
    me.end_in = j < R + 2 && end_y >= 0 && end_y < box.n && end_x >= 0 && end_x < box.n;
    me.end_at = (int64_t)z * box.plane + (int64_t)end_y * box.pitch + end_x;
    return me;
}

template <int R, bool TWO>
__device__ inline void load_lines(const struct box &box, const struct place<R> &me, bool in,
                                  const real *a, const real *b, struct lines<R, TWO> *out)
{
    const unsigned lines_in = in ? me.lines_in : 0;
#pragma unroll
    for (int j = 0; j < R + 2; j++) {
        const int64_t at = me.at + (j - 1) * box.pitch;
        out->a[j] = zero_pack();
        if (TWO)
            out->b[j] = zero_pack();
        if (lines_in >> j & 1) {
            out->a[j] = load_line<true>(a + at);
            if (TWO)
                out->b[j] = load_line<true>(b + at);
        }
    }
    out->end_a = out->end_b = 0;
    if (in && me.end_in) {
        out->end_a = a[me.end_at];
        if (TWO)
            out->end_b = b[me.end_at];
    }
}

/* a = a + beta b. What b is before the first iteration does not matter. */
template <int R> __device__ inline void combine(real beta, struct lines<R, true> *l)
{
    if (beta == 0)
        return;
#pragma unroll
    for (int j = 0; j < R + 2; j++)
        for (int v = 0; v < WIDE; v++)
            l->a[j].at[v] += beta * l->b[j].at[v];
    l->end_a += beta * l->end_b;
}

/* s: sums of both x-neighbours of line j. The lanes at the ends have a neighbour that no lane holds:
 * the lane at the other end, whose own number nobody wants there, passes it on. */
__device__ inline pack<WIDE> sums_of_neighbours(const pack<WIDE> &a, real ends, int j, int lane)
{
    const unsigned all = 0xffffffffu;
    const real end = __shfl_sync(all, ends, lane == 0 ? 16 + j : j);
    const real left = __shfl_sync(all, lane == LANES - 1 ? end : a.at[WIDE - 1], (lane + LANES - 1) % LANES);
    const real right = __shfl_sync(all, lane == 0 ? end : a.at[0], (lane + 1) % LANES);
    pack<WIDE> s;
#pragma unroll
    for (int v = 0; v < WIDE; v++)
        s.at[v] = (v > 0 ? a.at[v - 1] : left) + (v < WIDE - 1 ? a.at[v + 1] : right);
    return s;
}

/* P0 and P1 of a plane's R lines. */
template <int R> struct shares {
    pack<WIDE> p0[R], p1[R];
};

template <int R, bool TWO>
__device__ inline void share(const struct lines<R, TWO> &l, const real *c, int lane,
                             struct shares<R> *out)
{
#pragma unroll
    for (int j = 0; j < R; j++)
        out->p0[j] = out->p1[j] = zero_pack();
#pragma unroll
    for (int j = 0; j < R + 2; j++) {
        const pack<WIDE> s = sums_of_neighbours(l.a[j], l.end_a, j, lane);
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            const real a = l.a[j].at[k];
            const real v = c[1] * a + c[2] * s.at[k], w = c[2] * a + c[3] * s.at[k];
            if (j >= 1 && j <= R) {
                out->p0[j - 1].at[k] += c[0] * a + c[1] * s.at[k];
                out->p1[j - 1].at[k] += v;
            }
            if (j >= 2) {
                out->p0[j - 2].at[k] += v;
                out->p1[j - 2].at[k] += w;
            }
            if (j < R) {
                out->p0[j].at[k] += v;
                out->p1[j].at[k] += w;
            }
        }
    }
}

/* What the end of a plane needs of CG's vectors, under way since the plane before. */
template <int R> struct pending {
    pack<WIDE> r[R], solution[R];
};

template <enum mode M, int R>
__device__ inline void load_pending(const struct box &box, const struct place<R> &me,
                                    const struct fields &f, const struct scalars &s,
                                    struct pending<R> *out)
{
#pragma unroll
    for (int j = 0; j < R; j++) {
        if (!(me.lines_in >> (j + 1) & 1))
            continue;
        const int64_t at = me.at + j * box.pitch;
        out->r[j] = load_line<false>(f.r + at);
        if (s.moves)
            out->solution[j] = load_line<false>(f.solution + at);
    }
}

/* One line of the product is complete: returns its share of the sum. */
template <enum mode M>
__device__ inline double end_line(const struct fields &f, const struct scalars &s, int64_t at,
                                  unsigned numbers_in, const pack<WIDE> &a, pack<WIDE> product,
                                  pack<WIDE> r, pack<WIDE> x)
{
    double sum = 0.0;
#pragma unroll
    for (int v = 0; v < WIDE; v++)
        if (!(numbers_in >> v & 1))
            product.at[v] = 0;
    if (M == APPLY || M == APPLY_DOT)
        store_pack<WIDE>(f.y, at, product);
    if (M == APPLY_DOT || M == DIRECTION) {
        for (int v = 0; v < WIDE; v++)
            sum += (double)a.at[v] * (double)product.at[v];
        return sum;
    }
    if (M != UPDATE && M != LATE)
        return 0.0;
    if (s.moves) {
        if (s.on_before != 0) {
            const pack<WIDE> before = load_line<false>(s.before + at);
            for (int v = 0; v < WIDE; v++)
                x.at[v] += s.on_before * before.at[v];
        }
        for (int v = 0; v < WIDE; v++)
            x.at[v] += s.on_p * a.at[v] + s.on_r * r.at[v];
        store_pack<WIDE>(f.solution, at, x);
    }
    for (int v = 0; v < WIDE; v++) {
        r.at[v] -= s.alpha * product.at[v];
        sum += (double)r.at[v] * (double)r.at[v];
    }
    store_pack<WIDE>(f.r, at, r);
    return sum;
}

/* What a thread does in its chunk: planes first ... last - 1, downwards if `down`. */
template <enum mode M, int R>
__device__ inline double march_chunk(const struct box &box, const struct fields &f,
                                     const struct scalars &s, int tile_x, int tile_y, int first,
                                     int last, bool down)
{
    constexpr bool TWO = M == DIRECTION, CG = M == UPDATE || M == LATE;
    const real *a = M == DIRECTION ? f.z : CG ? s.own : f.x;
    const real *b = M == DIRECTION ? s.before : nullptr;
    const int step = down ? -1 : 1, planes = last - first;
    int z = down ? last : first - 1; /* the plane at hand */
    struct place<R> me = find_place<R>(box, tile_x, tile_y, z);
    const int64_t stride = down ? -box.plane : box.plane;
    struct lines<R, TWO> next, now;
    struct shares<R> share_now;
    struct pending<R> pending;
    pack<WIDE> done[R], p1[R], held[R]; /* P0 + P1 so far, P1, and a of the plane before */
    double sum = 0.0;

    load_lines<R, TWO>(box, me, z >= 0 && z < box.n, a, b, &next);
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
            load_lines<R, TWO>(box, me, z >= 0 && z < box.n, a, b, &next);
        if (M == DIRECTION && i >= 0 && i < planes) {
#pragma unroll
            for (int j = 0; j < R; j++)
                if (me.lines_in >> (j + 1) & 1)
                    store_pack<WIDE>(s.own, me.at - stride + j * box.pitch, now.a[j + 1]);
        }
        share<R, TWO>(now, box.c, me.lane, &share_now);
        if (i >= 1) {
#pragma unroll
            for (int j = 0; j < R; j++) {
                pack<WIDE> product;
                for (int v = 0; v < WIDE; v++)
                    product.at[v] = done[j].at[v] + share_now.p1[j].at[v];
                if (me.lines_in >> (j + 1) & 1)
                    sum += end_line<M>(f, s, me.at - 2 * stride + j * box.pitch, me.numbers_in,
                                       held[j], product, pending.r[j], pending.solution[j]);
            }
        }
        if (CG && i >= 0 && i < planes) {
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

/* down: the way through a chunk; a march that begins where the one before it ended finds that in the
 * L2 cache. */
template <enum mode M, int R, int BLOCKS>
__global__ void __launch_bounds__(CGS_THREADS, BLOCKS)
    march(const struct box box, const struct fields f, struct cgs_cg_state *state, bool down,
          enum cgs_sum sum, double *partials, unsigned *tickets)
{
    const int tiles = box.tiles_x * box.tiles_y;
    const int chunk = (int)blockIdx.x / tiles, tile = (int)blockIdx.x % tiles;
    const int first = (int)((int64_t)box.n * chunk / box.chunks);
    const int last = (int)((int64_t)box.n * (chunk + 1) / box.chunks);
    struct scalars s;
    double total;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if (!read_state<M>(state, f, &s))
        return;
    const double mine = march_chunk<M, R>(box, f, s, tile % box.tiles_x, tile / box.tiles_x, first,
                                          last, down);
    if (M == APPLY)
        return;
    if (!cgs_grid_sum(mine, partials, tickets, &total))
        return;
    state->sums[sum] = total;
    if (M == LATE) { /* everybody has read the state */
        const int64_t before = state->iteration;
        cgs_cg_conclude(state);
        state->owed = !s.moves && state->iteration > before;
    }
}

} // namespace

#endif
