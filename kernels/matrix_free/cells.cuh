/* y = A x cell by cell on CUDA (cell_formulas.h): warps that march through layers of cells.
 *
 * Lines of nodes are divided into bands of ROWS, each surrounded by ROWS + 1 lines of cells. The n
 * + 1 columns of cells of all bands are numbered consecutively; a warp has 32 of them, so that few
 * lanes idle for any n, and completes the left nodes of all but the first. It marches through the
 * layers of its chunk, one line of cells after the other, one lane a cell. The first column of a
 * band has zeros at its left, as the last column of the previous band has at its right. In a
 * periodic direction they have the numbers at the other end; in x these differ, so that each band
 * begins with one column more, -1, of which only the right nodes count. A cell adds to 8 nodes:
 *
 *     in x   to its left nodes; the left neighbour's contribution to them comes by a shuffle
 *     in y   its contribution to the upper line stays in registers for the next line of cells
 *     in z   its contribution to the upper plane stays in shared memory for the next layer
 *
 * so that each node's 8 contributions are added in one order by one lane, which writes the sum
 * once. The lower plane of x is kept in shared memory, too: a warp loads every number of x once.
 * Shared memory is private to each warp; no warp waits for another.
 *
 * The time goes into arithmetic: a deformed cell takes 305 instructions in double (counted in the
 * machine code; 15 more if kappa varies). N = 256 has 17 million cells, and 1.19 times as many with
 * the borders of bands and chunks: 6.1e9 instructions, 0.42 ms of an H200 (132 multiprocessors x 64
 * a cycle, 1.75 GHz) without stalls, while x and y take 0.07 ms. A kappa of each cell is loaded
 * with the line of nodes before it. So CG's steps are not fused with a second product: writing and
 * reading q costs less than recomputing it. Residuals and smoother steps are computed where the
 * product is written.
 */
#pragma once

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
constexpr int FIT = 2;           /* blocks resident on a multiprocessor */

/* The mesh and its division: bands of ROWS lines of nodes, tiles x chunks warps. On several
 * ranks the planes of this one, counted from its first, which is plane `below` of the mesh;
 * planes low ... high - 1 can be read. */
struct grid {
    struct cgs_mesh mesh;
    int n[2], bands, tiles, chunks;      /* n: unknowns in x and y */
    int planes, below, low, high;        /* alone those in z, 0, 0, those in z */
    real over, sigma, weight, factor[8]; /* A/h; quadrature point; see cell_formulas.h */
    bool open;                           /* there may be cells that have a mass: */
    real face[CGS_MOST_NUMBERS][8];      /* their factors (cgs_face_factors) */
    real part[CGS_MOST_NUMBERS][8];      /* where kappa is orthotropic (cell_formulas.h) */
    bool periodic[3], around;            /* around: any; in z alone where all planes are here */
    const real *wave; /* value and step at cell i = 0 ... n, and zeros past the last warp's cells */
};

/* Cells, for code of their own: cubes, boxes, deformed cubes; undeformed ones with the smooth
 * kappa; undeformed and deformed ones with kappa in an array; undeformed ones with three kappas in
 * arrays, and with a reaction in a fourth one. */
enum shape { CUBES, BOXES, DEFORMED, SMOOTH, CELLS, DEFORMED_CELLS, ORTHOTROPIC, REACTION };

constexpr bool deformed(enum shape s)
{
    return s == DEFORMED || s == DEFORMED_CELLS;
}

/* Returns true for cells of a box that may have free faces and periodic directions. */
constexpr bool may_be_open(enum shape s)
{
    return s == CELLS || s == ORTHOTROPIC || s == REACTION;
}

constexpr bool by_array(enum shape s)
{
    return s == DEFORMED_CELLS || may_be_open(s);
}

/* Use of the product A x: y; also x'y; y = b - A x; y = on_x x + on_y y + c d (b - A x) (struct
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

/* Numbers of other vectors for the end of a line of nodes, loaded while its cells are computed. */
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

/* Shared memory of a warp: the plane of nodes below the current layer, lines -1 ... ROWS of its
 * band, 33 columns; and the contributions of the layer below to that plane. */
struct below {
    real x[ROWS + 2][LANES + 1];
    real sum[ROWS][LANES];
};

/* Position of a lane: cell column cx has the nodes cx - 1 and cx; cy is the band's first line of
 * cells; `lines` lines of nodes after the first are needed; planes of nodes first ... last - 1. */
struct place {
    int lane, cx, cy, lines, first, last;
};

/* A line of nodes being loaded: the cell's right node; lane 0 also has its left one. */
struct line {
    real right, left;
};

/* The same where directions are periodic. */
__device__ inline struct line load_around(const struct grid &g, const struct place &me,
                                          const real *x, int l, int iz)
{
    int iy = me.cy - 1 + l;
    struct line line = {0, 0};
    if (g.periodic[1])
        iy = iy < 0 ? g.n[1] - 1 : iy == g.n[1] ? 0 : iy;
    if (g.periodic[2])
        iz = iz < 0 ? g.planes - 1 : iz == g.planes ? 0 : iz;
    if (iy < 0 || iy >= g.n[1] || iz < g.low || iz >= g.high)
        return line;
    const real *from = x + ((int64_t)iz * g.n[1] + iy) * g.n[0];
    if (me.cx < g.n[0] || g.periodic[0])
        line.right = from[me.cx < 0 ? g.n[0] - 1 : me.cx < g.n[0] ? me.cx : 0];
    if (me.lane == 0 && (me.cx > 0 || (me.cx == 0 && g.periodic[0])))
        line.left = from[me.cx > 0 ? me.cx - 1 : g.n[0] - 1];
    return line;
}

template <enum shape S>
__device__ inline struct line load_line(const struct grid &g, const struct place &me, const real *x,
                                        int l, int iz)
{
    if (may_be_open(S) && g.around)
        return load_around(g, me, x, l, iz);
    const int iy = me.cy - 1 + l;
    struct line line = {0, 0};
    if (iy < 0 || iy >= g.n[1] || iz < g.low || iz >= g.high)
        return line;
    const real *from = x + ((int64_t)iz * g.n[1] + iy) * g.n[0];
    if (me.cx < g.n[0])
        line.right = from[me.cx];
    if (me.lane == 0 && me.cx > 0)
        line.left = from[me.cx - 1];
    return line;
}

/* Replaces a line of the plane below; at[lane] are the left nodes of all lanes. */
__device__ inline void put_line(const struct line &line, int lane, real *at)
{
    __syncwarp();
    at[lane + 1] = line.right;
    if (lane == 0)
        at[0] = line.left;
    __syncwarp();
}

/* kappa of cell (me.cx, cy, cz) from the array; past the last line of cells, and in column -1,
 * zero. */
__device__ inline real load_kappa(const struct grid &g, const struct place &me, int cy, int cz)
{
    const int64_t line = (int64_t)cz * (g.n[1] + 1) + cy;
    return cy <= g.n[1] && me.cx >= 0
               ? (real)__ldg(g.mesh.kappa.cells + (line * (g.n[0] + 1) + me.cx))
               : (real)0;
}

/* The smooth kappa of undeformed cells along y in a layer: from line to line the same step more. */
struct slope {
    real kappa, step;
};

/* That of the layer's first line of cells. */
__device__ inline struct slope smooth_kappa(const struct grid &g, const struct place &me, int cz)
{
    const double *step = g.mesh.step, z = 2.0 * (((double)cz + 0.5) * step[2]);
    struct slope slope;
    slope.kappa =
        (real)(1.0 + ((double)me.cx + 0.5) * step[0] + z * (((double)me.cy + 0.5) * step[1]));
    slope.step = (real)(z * step[1]);
    return slope;
}

/* kappa of cell (me.cx, cy, cz) by its formula. */
template <enum shape S>
__device__ inline real compute_kappa(const struct grid &g, const struct place &me, int cy, int cz,
                                     const struct cgs_cell_wave &wave)
{
    if (g.mesh.kappa.kind == CGS_KAPPA_ONE)
        return 1;
    if (g.mesh.kappa.kind == CGS_KAPPA_CELLS ||
        (!deformed(S) && g.mesh.kappa.kind == CGS_KAPPA_SMOOTH)) /* another shape */
        __builtin_unreachable();
    return (real)cgs_cell_kappa(&g.mesh, me.cx, cy, cz, &wave);
}

/* Loads kappa of cell (me.cx, cy, cz) in direction k, or c, from the arrays; zero where load_kappa
 * is. */
__device__ inline real load_across(const struct grid &g, const struct place &me, int k, int cy,
                                   int cz)
{
    const int64_t line = (int64_t)cz * (g.n[1] + 1) + cy;
    return cy <= g.n[1] && me.cx >= 0
               ? (real)__ldg(g.mesh.kappa.cells +
                             (k * cgs_mesh_all_cells(&g.mesh) + line * (g.n[0] + 1) + me.cx))
               : (real)0;
}

/* Returns 1 + the place of the cell's factors in g.face; 0: it has none. */
template <enum shape S>
__device__ inline int face_of(const struct grid &g, const struct place &me, int cy, int cz)
{
    if (!g.open)
        return 0;
    return S == CELLS && g.mesh.kappa.mass ? 1 + CGS_REACTION
                                           : cgs_cell_class(&g.mesh, me.cx, cy, cz);
}

/* u = K u for cell (me.cx, cy, cz), which may be void. */
template <enum shape S>
__device__ inline void multiply_undeformed(const struct grid &g, const struct place &me, int cy,
                                           int cz, real kappa, real u[8])
{
    const int kind = face_of<S>(g, me, cy, cz);
    if (kind > 0) {
        cgs_cell_face(g.face[kind - 1], kappa, u);
    } else if (S == ORTHOTROPIC || S == REACTION) {
        const real along[CGS_MOST_NUMBERS] = {
            kappa, load_across(g, me, 1, cy, cz), load_across(g, me, 2, cy, cz),
            S == REACTION ? load_across(g, me, CGS_REACTION, cy, cz) : (real)0};
        cgs_cell_orthotropic(S == REACTION, g.part, along, u);
    } else {
        cgs_cell_plain(false, g.factor, kappa, u);
    }
}

/* u = K u for cell (me.cx, cy, cz). given: its kappa, of shapes that have it before. */
template <enum shape S>
__device__ inline void multiply_cell(const struct grid &g, const struct place &me, int cy, int cz,
                                     real given, real u[8])
{
    if (may_be_open(S)) {
        multiply_undeformed<S>(g, me, cy, cz, given, u);
        return;
    }
    if (S == SMOOTH) {
        cgs_cell_plain(false, g.factor, given, u);
        return;
    }
    const real x[2] = {g.wave[2 * me.cx], g.wave[2 * me.cx + 1]};
    const real y[2] = {g.wave[2 * cy], g.wave[2 * cy + 1]};
    const real z[2] = {g.wave[2 * cz], g.wave[2 * cz + 1]};
    const struct cgs_cell_wave wave = {{x[0], x[1]}, {y[0], y[1]}, {z[0], z[1]}};
    const real kappa = by_array(S) ? given : compute_kappa<S>(g, me, cy, cz, wave);
    if (deformed(S)) {
        const struct cgs_cell_line line = cgs_cell_line_of(g.over, g.sigma, y, z);
        cgs_cell_deformed(&line, g.weight * kappa, x[0], x[1], u);
    } else {
        cgs_cell_plain(S == CUBES, g.factor, kappa, u);
    }
}

/* Returns true if line l > 1 of cells completes its lower left node in the plane below. completed:
 * index of that node. */
__device__ inline bool completes(const struct grid &g, const struct place &me, int l, int cz)
{
    return cz > me.first && me.lane > 0 && me.cx > 0 && me.cy + l - 2 < g.n[1];
}

__device__ inline int64_t completed(const struct grid &g, const struct place &me, int l, int cz)
{
    return ((int64_t)(cz - 1) * g.n[1] + me.cy + l - 2) * g.n[0] + me.cx - 1;
}

/* Layer cz of cells. It completes the plane of nodes below it (cz - 1), which is written unless the
 * layer is the chunk's first. `next`: the layer's first line of nodes on entry, that of the layer
 * above on exit. Returns the warp's part of x'y. */
template <enum shape S, enum mode M>
__device__ inline double multiply_layer(const struct grid &g, const struct place &me, int cz,
                                        const struct fields &f, struct below *own,
                                        struct line *next)
{
    real u_low[2], u_high[2], carry[2] = {0, 0}; /* of the previous line of nodes: left, right */
    struct slope smooth = {};
    real kappa_next = 0; /* of the next line of cells */
    double sum = 0.0;
    if (S == SMOOTH)
        smooth = smooth_kappa(g, me, g.below + cz);
#pragma unroll 1
    for (int l = 0; l <= me.lines; l++) {
        const struct line now = *next;
        const real kappa = kappa_next;
        if (by_array(S) && l < me.lines)
            kappa_next = load_kappa(g, me, me.cy + l, g.below + cz);
        if (S == SMOOTH) {
            kappa_next = smooth.kappa;
            smooth.kappa += smooth.step;
        }
        *next = l < me.lines ? load_line<S>(g, me, f.x, l + 1, cz)
                             : load_line<S>(g, me, f.x, 0, cz + 1);
        const real low[2] = {own->x[l][me.lane], own->x[l][me.lane + 1]};
        put_line(now, me.lane, own->x[l]);
        const real high[2] = {own->x[l][me.lane], now.right};
        if (l > 0) {
            real u[8] = {u_low[0],  u_low[1],  low[0],  low[1],
                         u_high[0], u_high[1], high[0], high[1]};
            struct pending pending = {};
            if (smooths(M) && l > 1 && completes(g, me, l, cz))
                pending = load_pending<M>(f, completed(g, me, l, cz));
            real node[4]; /* contributions to the nodes at the cell's left, by their sides in y and
                             z */
            multiply_cell<S>(g, me, me.cy + l - 1, g.below + cz, kappa, u);
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

/* Planes first ... last - 1 of nodes, computed by layers first ... last of cells. */
template <enum shape S, enum mode M>
__device__ inline double multiply_chunk(const struct grid &g, const struct place &me,
                                        const struct fields &f, struct below *own)
{
    double sum = 0.0;
    for (int l = 0; l < ROWS + 2; l++)
        put_line(load_line<S>(g, me, f.x, l, me.first - 1), me.lane, own->x[l]);
    for (int l = 0; l < ROWS; l++)
        own->sum[l][me.lane] = 0;
    struct line next = load_line<S>(g, me, f.x, 0, me.first);
    for (int cz = me.first; cz <= me.last; cz++)
        sum += multiply_layer<S, M>(g, me, cz, f, own, &next);
    return sum;
}

__device__ inline struct place find_place(const struct grid &g, int64_t warp)
{
    const int chunk = (int)(warp / g.tiles), tile = (int)(warp % g.tiles), more = g.periodic[0];
    const int length = g.n[0] + 1 + more; /* columns of a band */
    const int lane = (int)threadIdx.x % LANES, from = tile * WIDTH, at = from + lane;
    struct place me;
    me.lane = lane;
    me.cx = at % length - more;
    me.cy = min(at / length, g.bands) * ROWS;                 /* past the last band: nothing */
    me.lines = min(ROWS + 1, g.n[1] + 1 - from / length * ROWS); /* of the warp's first lane */
    me.first = (int)((int64_t)g.planes * chunk / g.chunks);
    me.last = (int)((int64_t)g.planes * (chunk + 1) / g.chunks);
    return me;
}

/* APPLY_DOT: sums[sum] = x'y. */
template <enum shape S, enum mode M>
__global__ void __launch_bounds__(CGS_THREADS, deformed(S) ? FIT : 2 * FIT)
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
        mine = multiply_chunk<S, M>(g, find_place(g, warp), f, &below[in_block]);
    if (M != APPLY_DOT)
        return;
    if (cgs_grid_sum(mine, partials, tickets, &total))
        state->sums[sum] = total;
}

} // namespace
