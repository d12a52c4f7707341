/* y = A x cell by cell on CUDA (cell_formulas.h): warps that march through layers of cells.
 *
 * The lines of nodes are divided into bands of ROWS, around which are ROWS + 1 lines of cells, and
 * all bands' columns of cells, n + 1 each, are numbered through; a warp has 32 of these, so that
 * few lanes idle whatever n is, and completes the left nodes of all but the first. It goes through
 * the layers of its chunk; of a layer it does one line of cells after the other, a lane a cell. A
 * band's first column finds zeros at its left: what the last one of the band before has at its
 * right. A cell adds to 8 nodes:
 *
 *     in x   to its left nodes and, by a shuffle, to those that its left neighbour's right ones are
 *     in y   what it adds to its upper line waits in registers for the next line of cells
 *     in z   what it adds to its upper plane waits in shared memory for the next layer
 *
 * so that each node's 8 numbers are added in one order, by one lane, which writes their sum once.
 * The plane of x below is kept in shared memory, too: every number of x is loaded once by a warp.
 * What stands in shared memory is the warp's own, and no warp waits for another.
 *
 * What takes the time is arithmetic: of a deformed cell 305 instructions in double (counted in the
 * machine code; 15 more where kappa varies). With N = 256 these are 17 million cells, and 1.19
 * times as many with the bands' and chunks' borders: 6.1e9 instructions, 0.42 ms of an H200 (132
 * multiprocessors x 64 a cycle, 1.75 GHz) if nothing else held them up, where x and y are 0.07 ms.
 * Thus CG's steps are not fused with a second product: to write and read q costs less than to
 * compute it again. Residuals and steps of a smoother are made of the product where it is written.
 */
#ifndef CGS_KERNELS_MATRIX_FREE_CELLS_CUH
#define CGS_KERNELS_MATRIX_FREE_CELLS_CUH

#include <nv/target>

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/precision.h"

namespace
{

/* 1/m for ordinary m: the device's approximation (20 bits), and a step of third order. */
__device__ inline double inverse(double m)
{
    double y;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(m));),
                      (y = (double)(1.0f / (float)m);))
    const double e = fma(-m, y, 1.0);
    return fma(y, fma(e, e, e), y);
}

__device__ inline float inverse(float m)
{
    return __fdividef(1.0f, m);
}

} // namespace

typedef real cgs_cell_lanes;
#define CGS_CELL_INLINE __device__ inline
#define CGS_CELL_QUOTIENT(a, b) ((a)*inverse(b))
#include "kernels/matrix_free/cell_formulas.h"

namespace
{

constexpr int LANES = CGS_WARP, WARPS = CGS_THREADS / LANES;
constexpr int ROWS = 8;          /* lines of nodes that a warp completes */
constexpr int WIDTH = LANES - 1; /* columns of cells whose left nodes it completes */
constexpr int FIT = 2;           /* blocks that shall fit on a multiprocessor */

/* The mesh, and how it is divided: bands of ROWS lines of nodes, tiles x chunks warps. */
struct grid {
    struct cgs_mesh mesh;
    int n, bands, tiles, chunks;
    real over, sigma, weight, factor[4]; /* A/h; the rule's point; cell_formulas.h */
    const real *wave; /* value and step of cell i = 0 ... n, and zeros past the last warp's cells */
};

/* What becomes of the product A x: y; also x'y; y = b - A x; y = on_x x + on_y y + c d (b - A x) (struct
 * cgs_relaxation). */
enum mode { APPLY, APPLY_DOT, RESIDUAL, RELAX };

constexpr bool smooths(enum mode m)
{
    return m == RESIDUAL || m == RELAX;
}

struct fields {
    const real *x, *b, *d; /* d NULL: ones */
    real *y;
    real on_x, on_y, c;
};

/* What the end of a line of nodes needs of other vectors, under way while its cells are computed. */
struct pending {
    real b, d, y;
};

template <enum mode M>
__device__ inline struct pending load_pending(const struct fields &f, int64_t at)
{
    struct pending p = {0, 1, 0};
    if (smooths(M))
        p.b = f.b[at];
    if (M == RELAX && f.d)
        p.d = f.d[at];
    if (M == RELAX && f.on_y != 0)
        p.y = f.y[at];
    return p;
}

template <enum mode M>
__device__ inline real result(const struct fields &f, const struct pending &p, real x, real product)
{
    if (M == RESIDUAL)
        return p.b - product;
    if (M == RELAX)
        return f.on_x * x + f.on_y * p.y + f.c * p.d * (p.b - product);
    return product;
}

/* A warp's own: the plane of nodes below the layer at hand, lines -1 ... ROWS of its band, 33
 * columns; and what the layer below adds to that plane. */
struct below {
    real x[ROWS + 2][LANES + 1];
    real sum[ROWS][LANES];
};

/* A lane's place: cell column cx has the nodes cx - 1 and cx; cy is the band's first line of cells,
 * of lines of nodes `lines` past the first one are wanted; planes of nodes first ... last - 1. */
struct place {
    int lane, cx, cy, lines, first, last;
};

/* A line of nodes on its way: the cell's right node; lane 0 its left one, too. */
struct line {
    real right, left;
};

__device__ inline struct line load_line(const struct grid &g, const struct place &me, const real *x,
                                        int l, int iz)
{
    const int n = g.n, iy = me.cy - 1 + l;
    struct line line = {0, 0};
    if (iy < 0 || iy >= n || iz < 0 || iz >= n)
        return line;
    const real *from = x + ((int64_t)iz * n + iy) * n;
    if (me.cx < n)
        line.right = from[me.cx];
    if (me.lane == 0 && me.cx > 0)
        line.left = from[me.cx - 1];
    return line;
}

/* Puts a line where the plane below had its own; the left nodes of all lanes are in at[lane]. */
__device__ inline void put_line(const struct line &line, int lane, real *at)
{
    __syncwarp();
    at[lane + 1] = line.right;
    if (lane == 0)
        at[0] = line.left;
    __syncwarp();
}

/* u = K u of the cell (me.cx, cy, cz). */
template <bool DEFORMED>
__device__ inline void multiply_cell(const struct grid &g, const struct place &me, int cy, int cz,
                                     real u[8])
{
    const real x[2] = {g.wave[2 * me.cx], g.wave[2 * me.cx + 1]};
    const real y[2] = {g.wave[2 * cy], g.wave[2 * cy + 1]};
    const real z[2] = {g.wave[2 * cz], g.wave[2 * cz + 1]};
    const struct cgs_cell_wave wave = {{x[0], x[1]}, {y[0], y[1]}, {z[0], z[1]}};
    const real kappa = g.mesh.kappa.kind == CGS_KAPPA_ONE
                           ? (real)1
                           : (real)cgs_cell_kappa(&g.mesh, me.cx, cy, cz, &wave);
    if (DEFORMED) {
        const struct cgs_cell_line line = cgs_cell_line_of(g.over, g.sigma, y, z);
        cgs_cell_deformed(&line, g.weight * kappa, x[0], x[1], u);
    } else {
        cgs_cell_plain(g.factor, kappa, u);
    }
}

/* Whether line l > 1 of cells completes its lower left node in the plane below, and that node's
 * number. */
__device__ inline bool completes(const struct grid &g, const struct place &me, int l, int cz)
{
    return cz > me.first && me.lane > 0 && me.cx > 0 && me.cy + l - 2 < g.n;
}

__device__ inline int64_t completed(const struct grid &g, const struct place &me, int l, int cz)
{
    return ((int64_t)(cz - 1) * g.n + me.cy + l - 2) * g.n + me.cx - 1;
}

/* Layer cz of cells: the plane of nodes below it (cz - 1) is complete then, and written unless the
 * layer is the chunk's first. `next`: the layer's first line of nodes; becomes that of the one
 * above. Returns the warp's part of x'y. */
template <bool DEFORMED, enum mode M>
__device__ inline double multiply_layer(const struct grid &g, const struct place &me, int cz,
                                        const struct fields &f, struct below *own,
                                        struct line *next)
{
    real u_low[2], u_high[2], carry[2] = {0, 0}; /* of the line of nodes before: left, right */
    double sum = 0.0;
#pragma unroll 1
    for (int l = 0; l <= me.lines; l++) {
        const struct line now = *next;
        *next = l < me.lines ? load_line(g, me, f.x, l + 1, cz) : load_line(g, me, f.x, 0, cz + 1);
        const real low[2] = {own->x[l][me.lane], own->x[l][me.lane + 1]};
        put_line(now, me.lane, own->x[l]);
        const real high[2] = {own->x[l][me.lane], now.right};
        if (l > 0) {
            real u[8] = {u_low[0],  u_low[1],  low[0],  low[1],
                         u_high[0], u_high[1], high[0], high[1]};
            struct pending pending = {};
            if (smooths(M) && l > 1 && completes(g, me, l, cz))
                pending = load_pending<M>(f, completed(g, me, l, cz));
            real node[4]; /* added to the nodes at the cell's left, by their sides in y and z */
            multiply_cell<DEFORMED>(g, me, me.cy + l - 1, cz, u);
#pragma unroll
            for (int q = 0; q < 4; q++)
                node[q] = u[2 * q] + __shfl_up_sync(0xffffffffu, u[2 * q + 1], 1);
            if (l > 1) {
                real *waiting = &own->sum[l - 2][me.lane];
                const real product = *waiting + (node[0] + carry[0]);
                *waiting = node[2] + carry[1];
                if (completes(g, me, l, cz)) {
                    f.y[completed(g, me, l, cz)] = result<M>(f, pending, u_low[0], product);
                    sum += (double)u_low[0] * (double)product;
                }
            }
            carry[0] = node[1];
            carry[1] = node[3];
        }
        for (int side = 0; side < 2; side++) {
            u_low[side] = low[side];
            u_high[side] = high[side];
        }
    }
    return sum;
}

/* Planes first ... last - 1 of nodes, by layers first ... last of cells. */
template <bool DEFORMED, enum mode M>
__device__ inline double multiply_chunk(const struct grid &g, const struct place &me,
                                        const struct fields &f, struct below *own)
{
    double sum = 0.0;
    for (int l = 0; l < ROWS + 2; l++)
        put_line(load_line(g, me, f.x, l, me.first - 1), me.lane, own->x[l]);
    for (int l = 0; l < ROWS; l++)
        own->sum[l][me.lane] = 0;
    struct line next = load_line(g, me, f.x, 0, me.first);
    for (int cz = me.first; cz <= me.last; cz++)
        sum += multiply_layer<DEFORMED, M>(g, me, cz, f, own, &next);
    return sum;
}

__device__ inline struct place find_place(const struct grid &g, int64_t warp)
{
    const int chunk = (int)(warp / g.tiles), tile = (int)(warp % g.tiles), length = g.n + 1;
    const int lane = (int)threadIdx.x % LANES, from = tile * WIDTH, at = from + lane;
    struct place me;
    me.lane = lane;
    me.cx = at % length;
    me.cy = min(at / length, g.bands) * ROWS;                 /* past the last band: nothing */
    me.lines = min(ROWS + 1, g.n + 1 - from / length * ROWS); /* of the warp's first lane */
    me.first = (int)((int64_t)g.n * chunk / g.chunks);
    me.last = (int)((int64_t)g.n * (chunk + 1) / g.chunks);
    return me;
}

/* With APPLY_DOT sums[sum] = x'y. */
template <bool DEFORMED, enum mode M>
__global__ void __launch_bounds__(CGS_THREADS, DEFORMED ? FIT : 2 * FIT)
    multiply(const struct grid g, const struct fields f, struct cgs_cg_state *state,
             enum cgs_sum sum, double *partials, unsigned *tickets)
{
    __shared__ struct below below[WARPS];
    const int in_block = (int)threadIdx.x / LANES;
    const int64_t warp = (int64_t)blockIdx.x * WARPS + in_block;
    double mine = 0.0, total;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    if (warp < (int64_t)g.tiles * g.chunks)
        mine = multiply_chunk<DEFORMED, M>(g, find_place(g, warp), f, &below[in_block]);
    if (M != APPLY_DOT)
        return;
    if (cgs_grid_sum(mine, partials, tickets, &total))
        state->sums[sum] = total;
}

} // namespace

#endif
