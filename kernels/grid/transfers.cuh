/* Restriction and prolongation between two grids on CUDA (kernels/grid.h).
 *
 * A block has a tile of TILE_X x TILE_Y lines in z, one thread a line, and marches through the
 * planes of its chunk, so that it visits each plane of the other grid once:
 *
 *     restriction   a fine plane z, summed over the 3 x 3 (at most 5 x 5) numbers around the line, one in
 *                   a direction that is not coarsened,
 *                   contributes to the coarse planes l and l + 1 around it: two running sums. Fine
 *                   numbers shared by neighbours come from the L1 cache.
 *     prolongation  two coarse planes, interpolated in x and y, are held in registers; loads of the
 *                   next coarse plane, and of DEPTH planes of f, are in flight.
 *
 * A free face is one more number in the tables alone (line.h). Periodic directions, whose numbers
 * are meant modulo n, have a restriction of their own.
 *
 * Traffic: restriction reads the fine vector and writes the coarse one, an eighth of it;
 * prolongation reads the coarse vector, writes the fine one, and also reads it if it adds.
 */
#pragma once

#include "kernels/device/launch.cuh"
#include "kernels/grid/line.h"
#include "kernels/precision.h"

namespace
{

constexpr int TILE_X = 32, TILE_Y = (int)CGS_THREADS / TILE_X;
constexpr int DEPTH = 32 / (int)sizeof(real);
constexpr int FIT = 4; /* resident blocks per multiprocessor; by window: */

constexpr int fit_of(int window)
{
    return window <= 3 ? FIT : window == 4 ? 3 : 2;
}

/* kernels/grid/line.h in this precision. */
struct point {
    int32_t left;
    real share;
};

/* The same fine numbers within a window of the kernel's size, numbers window ..., which lies within
 * the line if that is long enough. */
struct reach {
    int32_t first, count, window;
    real weight[CGS_REACH];
};

/* A grid of n unknowns in x, y, z; distances of lines and planes in numbers. A vector points to
 * plane `base`, the first one of this rank; kernels get pointers to plane 0, and touch planes
 * that are there. */
struct grid {
    int n[3], base;
    int64_t pitch, plane;
};

/* Division of planes first ... first + planes - 1 of a grid among the blocks of a kernel. */
struct division {
    int tiles_x, tiles_y, chunks;
    int first, planes;
};

struct transfer {
    struct cgs_queue *queue;
    struct grid fine, coarse;
    struct division by_fine, by_coarse;
    int window[3]; /* 1, 3, 4 or CGS_REACH: upper bound of the fine numbers that a coarse one
                              reaches; in y that of x, or one of them 1 */
    int open[3];   /* free faces or CGS_PERIODIC */
    struct point *points[3];  /* of the fine grid by directions; in device memory, as the next */
    struct reach *reaches[3]; /* of the coarse grid */
    /* Between orders (orders.cuh): owned, and what computes with them; then all else but the queue
     * and the grids is empty. */
    struct orders *orders;
    const struct order_form *form;
};

/* A thread's line (x, y) of grid g and its planes first ... last - 1. */
struct place {
    int x, y, first, last;
    bool in;
};

__device__ inline struct place find_place(const struct grid &g, const struct division &d)
{
    struct place me;
    const int tiles = d.tiles_x * d.tiles_y;
    const int chunk = (int)blockIdx.x / tiles, tile = (int)blockIdx.x % tiles;
    const int x = tile % d.tiles_x * TILE_X + (int)threadIdx.x % TILE_X;
    const int y = tile / d.tiles_x * TILE_Y + (int)threadIdx.x / TILE_X;
    me.in = x < g.n[0] && y < g.n[1];
    me.x = min(x, g.n[0] - 1);
    me.y = min(y, g.n[1] - 1);
    me.first = d.first + (int)((int64_t)d.planes * chunk / d.chunks);
    me.last = d.first + (int)((int64_t)d.planes * (chunk + 1) / d.chunks);
    return me;
}

/* ---- restriction ---- */

template <int MOST> __device__ inline int in_window(int n, int k)
{
    return MOST < CGS_REACH ? k : min(k, n - 1);
}

/* The same number counted from the line's first one. PERIODIC: of a kernel that has periodic
 * directions. */
template <int MOST, bool PERIODIC>
__device__ inline int number_of(const struct transfer &t, int d, int window, int k)
{
    if (!PERIODIC)
        return window + in_window<MOST>(t.fine.n[d], k);
    return cgs_periodic(t.open[d]) ? (int)cgs_line_wrapped(t.fine.n[d], window + k)
                                   : min(window + k, t.fine.n[d] - 1);
}

/* Interpolation of fine plane z, of which a periodic direction has some beyond either end. */
template <bool PERIODIC> __device__ inline struct point plane_point(const struct transfer &t, int z)
{
    if (!PERIODIC)
        return t.points[2][z];
    const int turn = z < 0 ? -1 : z < t.fine.n[2] ? 0 : 1;
    struct point point = t.points[2][z - turn * t.fine.n[2]];
    point.left += turn * t.coarse.n[2];
    return point;
}

/* MX, MY: window sizes in x and y; CGS_REACH also takes shorter lines. The tables are constant:
 * read before the wait. */
template <int MX, int MY, bool PERIODIC>
__global__ void __launch_bounds__(CGS_THREADS, fit_of(MX > MY ? MX : MY))
    restrict_kernel(const struct transfer t, const struct cgs_cg_state *state,
                    const real *__restrict__ f, real *__restrict__ c)
{
    const struct place me = find_place(t.coarse, t.by_coarse);
    const struct reach rx = t.reaches[0][me.x], ry = t.reaches[1][me.y];
    const struct reach top = t.reaches[2][me.last - 1];
    const int first = t.reaches[2][me.first].first, last = top.first + top.count;
    int plane = plane_point<PERIODIC>(t, first)
                    .left; /* coarse plane; its running sum and the next one's: */
    real low = 0, high = 0;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if ((state && !cgs_cg_going_on(state)) || !me.in)
        return;
    if (!PERIODIC)
        f += first * t.fine.plane + ry.window * t.fine.pitch + rx.window;
    c += me.y * t.coarse.pitch + me.x;
    for (int z = first; z < last; z++) {
        const struct point point = plane_point<PERIODIC>(t, z);
        const real *from = PERIODIC ? f + cgs_line_wrapped(t.fine.n[2], z) * t.fine.plane : f;
        real numbers[MY][MX], sum = 0;
#pragma unroll
        for (int j = 0; j < MY; j++)
#pragma unroll
            for (int i = 0; i < MX; i++)
                numbers[j][i] =
                    from[number_of<MY, PERIODIC>(t, 1, PERIODIC ? ry.window : 0, j) * t.fine.pitch +
                         number_of<MX, PERIODIC>(t, 0, PERIODIC ? rx.window : 0, i)];
        if (!PERIODIC)
            f += t.fine.plane;
        if (point.left > plane) { /* by one: fine planes are at most one coarse plane apart */
            if (plane >= me.first)
                c[plane * t.coarse.plane] = low;
            plane = point.left;
            low = high;
            high = 0;
        }
#pragma unroll
        for (int j = 0; j < MY; j++) {
            real line = 0;
#pragma unroll
            for (int i = 0; i < MX; i++)
                line += rx.weight[i] * numbers[j][i];
            sum += ry.weight[j] * line;
        }
        low += (1 - point.share) * sum;
        high += point.share * sum;
    }
    if (plane >= me.first)
        c[plane * t.coarse.plane] = low;
    if (plane + 1 < me.last)
        c[(plane + 1) * t.coarse.plane] = high;
}

/* ---- prolongation ---- */

/* Position of a line of fine numbers among four lines of coarse ones; missing ones have weight
 * 0, and periodic directions go on with the first one. */
struct corners {
    real weight[4];
    int at[4]; /* offsets in a plane */
};

__device__ inline struct corners corners_of(const struct transfer &t, const struct point &px,
                                            const struct point &py)
{
    const struct grid &coarse = t.coarse;
    struct corners a;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int x = px.left + (k & 1), y = py.left + (k >> 1);
        if (cgs_periodic(t.open[0]))
            x = (int)cgs_line_wrapped(coarse.n[0], x);
        if (cgs_periodic(t.open[1]))
            y = (int)cgs_line_wrapped(coarse.n[1], y);
        const bool in = x >= 0 && x < coarse.n[0] && y >= 0 && y < coarse.n[1];
        const real wx = (k & 1) ? px.share : 1 - px.share, wy = (k >> 1) ? py.share : 1 - py.share;
        a.weight[k] = in ? wx * wy : (real)0;
        a.at[k] = in ? (int)(y * coarse.pitch + x) : 0;
    }
    return a;
}

/* Four numbers of a coarse plane, zero outside the grid. */
struct four {
    real at[4];
};

__device__ inline struct four load_plane(const struct transfer &t, const struct corners &a,
                                         const real *c, int plane)
{
    const struct grid &coarse = t.coarse;
    struct four four = {};
    if (cgs_periodic(t.open[2]))
        plane = (int)cgs_line_wrapped(coarse.n[2], plane);
    if (plane >= 0 && plane < coarse.n[2])
#pragma unroll
        for (int k = 0; k < 4; k++)
            four.at[k] = c[plane * coarse.plane + a.at[k]];
    return four;
}

__device__ inline real interpolate(const struct corners &a, const struct four &four)
{
    return (a.weight[0] * four.at[0] + a.weight[1] * four.at[1]) +
           (a.weight[2] * four.at[2] + a.weight[3] * four.at[3]);
}

template <bool ADD>
__global__ void __launch_bounds__(CGS_THREADS, FIT)
    prolong_kernel(const struct transfer t, const struct cgs_cg_state *state,
                   const real *__restrict__ c, real *__restrict__ f)
{
    const struct place me = find_place(t.fine, t.by_fine);
    const struct corners a = corners_of(t, t.points[0][me.x], t.points[1][me.y]);
    int plane = t.points[2][me.first].left;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if ((state && !cgs_cg_going_on(state)) || !me.in)
        return;
    real low = interpolate(a, load_plane(t, a, c, plane));
    real high = interpolate(a, load_plane(t, a, c, plane + 1));
    struct four ahead = load_plane(t, a, c, plane + 2);
    f += me.first * t.fine.plane + me.y * t.fine.pitch + me.x;
    for (int z = me.first; z < me.last; z += DEPTH, f += DEPTH * t.fine.plane) {
        struct point point[DEPTH];
        real was[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            was[d] = ADD && z + d < me.last ? f[d * t.fine.plane] : (real)0;
            point[d] = t.points[2][min(z + d, me.last - 1)];
        }
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (z + d >= me.last)
                break;
            if (point[d].left > plane) { /* by one */
                plane = point[d].left;
                low = high;
                high = interpolate(a, ahead);
                ahead = load_plane(t, a, c, plane + 2);
            }
            f[d * t.fine.plane] = was[d] + low + point[d].share * (high - low);
        }
    }
}

} // namespace
