/* Data of a plane held by a warp that marches through the box (march.cuh): one pack a lane in x
 * times R lines in y, the two neighbouring lines, and one number at either end of each line; and
 * their contributions to the product.
 *
 * Numbers outside a warp's part come from the L1 cache, where neighbouring warps have loaded them,
 * or from the L2. With a the numbers, s the sums of both x-neighbours, y-1, y+1 the neighbouring
 * lines, and the numbers c by the bits of the directions (cgs_mesh_stencil),
 *     u = c0 a + c1 s,   v = c2 a + c3 s,   t = c4 a + c5 s,   w = c6 a + c7 s
 *     P0 = u + v(y-1) + v(y+1)       in the same plane
 *     P1 = t + w(y-1) + w(y+1)       in the planes before and after
 * about 14 additions and multiplications a number instead of 53, where cells are cubes and t = v,
 * 16 elsewhere.
 *
 * Vectors are stored in aligned lines (kernels/space.h); padding is zero.
 */
#pragma once

#include "kernels/vector/steps.cuh"

namespace {

constexpr int WARPS = CGS_THREADS / (int)CGS_WARP, LANES = CGS_WARP;
constexpr int SEGMENT = LANES * (int)WIDE; /* numbers of a warp's line */

/* The box, the layout of its vectors, and its division: tiles_x x tiles_y blocks a chunk of
 * planes. On several ranks the planes of this one, counted from its first; a neighbour's next to
 * them can be read: planes low ... high - 1, those beyond lie on the boundary. */
struct box {
    int n[2];              /* unknowns in x and y */
    int planes, low, high; /* alone those in z, 0, those in z */
    int64_t pitch, plane; /* numbers from line to line, from plane to plane */
    int tiles_x, tiles_y, chunks;
    real c[8]; /* the stencil's numbers */
};

/* Loads that keep their place in the program. KEEP: through the L1, for neighbours. */
template <bool KEEP, int W = WIDE> __device__ inline pack<W> load_line(const real *x)
{
    pack<W> p;
    if constexpr (KEEP)
        p = load_pack<W, true>(x, 0);
    else if constexpr (W == 1)
        p.at[0] = *x;
    else if constexpr (W == 4)
        NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                          (asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                                        : "=f"(p.at[0]), "=f"(p.at[1]), "=f"(p.at[2]), "=f"(p.at[3])
                                        : "l"(x));),
                          (p = *reinterpret_cast<const pack<W> *>(x);))
    else
        NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                          (asm volatile("ld.global.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
                                        : "=d"(p.at[0]), "=d"(p.at[1])
                                        : "l"(x));),
                          (p = *reinterpret_cast<const pack<W> *>(x);))
    return p;
}

__device__ inline pack<WIDE> zero_pack()
{
    pack<WIDE> p;
    for (int v = 0; v < WIDE; v++)
        p.at[v] = 0;
    return p;
}

/* Lines of a plane as loaded: R + 2 of one or two vectors, and their ends: lane j has the number
 * left of line j, lane 16 + j the one right of it. */
template <int R, bool TWO> struct lines {
    pack<WIDE> a[R + 2], b[TWO ? R + 2 : 1];
    real end_a, end_b;
};

/* Position of a thread's numbers. */
template <int R> struct place {
    int64_t at;         /* of its pack in the first of its R lines, in the current plane */
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
        if (x < box.pitch && y - 1 + j >= 0 && y - 1 + j < box.n[1])
            me.lines_in |= 1u << j;
    for (int v = 0; v < WIDE; v++)
        if (x + v < box.n[0])
            me.numbers_in |= 1u << v;
    const int j = lane % 16, end_y = y - 1 + j, end_x = lane < 16 ? x0 - 1 : x0 + SEGMENT;
    me.end_in = j < R + 2 && end_y >= 0 && end_y < box.n[1] && end_x >= 0 && end_x < box.n[0];
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

/* a = a + beta b. With beta = 0 (before the first iteration) b is ignored. */
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

/* s: sums of both x-neighbours of line j. The lanes at the ends lack a neighbour; it is passed on
 * by the lane at the other end, whose own number is not needed there. */
__device__ inline pack<WIDE> sums_of_neighbours(const pack<WIDE> &a, real ends, int j, int lane)
{
    const unsigned all = 0xffffffffu;
    const real end = __shfl_sync(all, ends, lane == 0 ? 16 + j : j);
    const real left =
        __shfl_sync(all, lane == LANES - 1 ? end : a.at[WIDE - 1], (lane + LANES - 1) % LANES);
    const real right = __shfl_sync(all, lane == 0 ? end : a.at[0], (lane + 1) % LANES);
    pack<WIDE> s;
#pragma unroll
    for (int v = 0; v < WIDE; v++)
        s.at[v] = (v > 0 ? a.at[v - 1] : left) + (v < WIDE - 1 ? a.at[v + 1] : right);
    return s;
}

/* P0 and P1 of a plane's R lines. CUBIC: numbers c of as many directions are equal. */
template <int R> struct shares {
    pack<WIDE> p0[R], p1[R];
};

template <bool CUBIC, int R, bool TWO>
__device__ inline void share(const struct lines<R, TWO> &l, const real *c, int lane,
                             struct shares<R> *out)
{
    constexpr int Y = CUBIC ? 1 : 2, YZ = CUBIC ? 3 : 6; /* cubes: four constants, not eight */
#pragma unroll
    for (int j = 0; j < R; j++)
        out->p0[j] = out->p1[j] = zero_pack();
#pragma unroll
    for (int j = 0; j < R + 2; j++) {
        const pack<WIDE> s = sums_of_neighbours(l.a[j], l.end_a, j, lane);
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            const real a = l.a[j].at[k];
            const real v = c[Y] * a + c[3] * s.at[k], w = c[YZ] * a + c[7] * s.at[k];
            if (j >= 1 && j <= R) {
                out->p0[j - 1].at[k] += c[0] * a + c[1] * s.at[k];
                out->p1[j - 1].at[k] += CUBIC ? v : c[4] * a + c[5] * s.at[k];
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

} // namespace
