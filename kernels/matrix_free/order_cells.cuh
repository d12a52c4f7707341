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
 * The mass matrix has values alone: a thread has a line along y of them, and multiplies it with w
 * det J and with the transposed matrix at once.
 *
 * Kernels by numbers have undeformed cells of any lengths, numbers of kappa at the points or of
 * cells, in up to three directions, which a thread loads where it needs them, and any faces: node 0
 * of a free face is an unknown that no block before has, and in a periodic direction the last node
 * of the last block is unknown 0, whose sides the first block has. Reaction and transfer are
 * numbers of the diagonal, made of the masses of a cell's nodes where these are the points and no
 * coefficient varies, else loaded with the unknown, once more, by the thread that stores it.
 *
 * Nodes on faces between blocks are summed without atomics: a block writes what it has of those on
 * its low faces to a buffer of its own (`sides`), and order_cells_finish adds these in a fixed
 * order to what the block below, left or in front has written to y. The division into blocks
 * depends on the mesh alone: the same bits in every run on every device.
 *
 * x'y is the sum over the points of the slopes times their fluxes.
 *
 * A product moves x and y; some 60 operations a point, 14 (Gauss: 19) accesses to shared memory.
 *
 * An iteration of CG is two kernels (modes of march.cuh):
 *     DIRECTION     p = z + beta p as the nodes arrive, q = A p, p'q     reads 2, writes 2
 *     UPDATE, LATE  x += alpha p, r -= alpha (q + sides), r'r            as march.cuh, and q
 * Neighbours read the direction before while a block writes its own, so that there are two, beside
 * q: p and q of `fields`; y is the product. A step of a smoother, RELAX, and RESIDUAL are a product
 * and what follows it with the sides, too.
 *
 * A rank has the planes of whole layers of cells, without their lowest one, and computes the layer
 * above them, too, for its upper plane; where the face z0 is free, without their highest one, and
 * computes the layer below them. DIRECTION also makes p of the planes of other ranks that can be
 * read. Blocks are those of the whole box, of which a rank computes its layers.
 */
#pragma once

#include <type_traits>

#include <nv/target>

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/matrix_free/march.cuh"
#include "kernels/matrix_free/order_cells.h"

namespace
{

/* Packs of a thread of order_cells_update, before the next block's. */
constexpr int UPDATE_PACKS = 4;

/* Numbers of cells in shared memory: 1 apart in x, LINE in y, PLANE in z, CELL from cell to cell.
 * Threads with neighbouring lines along x or y, or columns along z, should meet different banks. */
template <int LINE_, int PLANE_, int CELL_> struct cells_layout {
    static constexpr int LINE = LINE_, PLANE = PLANE_, CELL = CELL_;
};

/* Returns the least number from `least` on that leaves this rest by the number of banks. */
constexpr int cells_padded(int least, int rest)
{
    constexpr int BANKS = 128 / sizeof(real);
    return least + ((rest - least) % BANKS + BANKS) % BANKS;
}

/* N lines of N numbers in each of N planes; cells have Q x Q threads. A column along z meets Q^2
 * banks in turn, and so does a line along y, where planes are Q apart. */
template <int N, int Q>
using cells_layout_y =
    cells_layout<N, cells_padded(N *N, N), cells_padded(N *cells_padded(N *N, N), Q *Q)>;
/* The same for lines along x: they have an odd length. */
template <int Q> using cells_layout_x = cells_layout<Q | 1, Q *(Q | 1), Q * Q *(Q | 1)>;

/* Kinds of kernels: slopes with kappa and the metric by formulas, values of the mass matrix,
 * or slopes of undeformed cells, with kappa and lengths by numbers, any faces and a reaction. */
enum cells_of { FORMULAS, VALUES, NUMBERS };

struct cells_division;

/* Faces. held: nodes before unknown 0. period: the unknowns in a periodic direction, or 0. starts:
 * node 0 of the first block is an unknown of this rank, and no other node is the same. OPEN: any;
 * else all are held. */
template <bool OPEN_> struct cells_faces {
    static constexpr bool OPEN = OPEN_;
    __device__ static int held(const struct cells_division &d, int k);
    __device__ static int period(const struct cells_division &d, int k);
    __device__ static bool starts(const struct cells_division &d, int k);
};

/* TX x TY cells of order P with Q points in each direction; FIT blocks a multiprocessor. */
template <int ORDER, int COUNT, int WIDE_X, int WIDE_Y, int RESIDENT, enum cells_of OF>
struct cells_shape : cells_faces<OF == NUMBERS> {
    static constexpr int P = ORDER, N = P + 1, Q = COUNT, TX = WIDE_X, TY = WIDE_Y, FIT = RESIDENT;
    static constexpr int CELLS = TX * TY, USED = CELLS * Q * Q;
    static constexpr int THREADS = (USED + CGS_WARP - 1) / CGS_WARP * CGS_WARP;
    static constexpr bool GAUSS = Q > N, MASS = OF == VALUES;
    static constexpr bool AT_POINTS = GAUSS && !MASS; /* slopes of values at the points, in v */
    using nodes = cells_layout_y<N, Q>;
    using a = cells_layout_x<Q>;
    /* With Gauss's rule b has lines along x, too. */
    using b = std::conditional_t<GAUSS && Q % 4 == 0, a, cells_layout_y<Q, Q>>;
    static constexpr int EDGES = 2 * N * N;
    static constexpr int64_t SHARED =
        CELLS * (2 * nodes::CELL + (AT_POINTS ? 2 : 1) * a::CELL + b::CELL + EDGES) *
        (int64_t)sizeof(real);
};

/* i / by = (i factor) >> shift for i < 2^31. */
struct cells_divisor {
    unsigned by, factor;
    int shift;
};

__host__ __device__ inline unsigned quotient(unsigned i, const struct cells_divisor &d)
{
    return (unsigned)((uint64_t)i * d.factor >> d.shift);
}

/* The division of the box, and the layout of the sides: [z][y] of the low face in x, [z][x] of that
 * in y, [y][x] of that in z. Along z, cells and nodes are counted from the first block's, vectors'
 * planes from this rank's first one. */
struct cells_division {
    /* Tables in device memory; n[2]: planes of this rank, cells[2]: the end of its layers. */
    struct cgs_order_form form;
    int first;       /* first layer of cells here */
    int mine, owned; /* layers mine ... owned - 1 are this rank's, others those of its neighbours */
    int begin;       /* planes of the first block before this rank's */
    int low, high;   /* planes low ... high - 1 can be read, those beyond are zero */
    real factor[3];  /* of form, divided by that of x */
    struct cells_divisor nodes[3];       /* of a block, from one to the next */
    struct cells_divisor packs, lines;   /* packs of a line, lines of a plane */
    int tiles_x, tiles_y, chunks, chunk; /* blocks in x, y, z; cells of a chunk */
    int64_t pitch, plane;                /* numbers from line to line, from plane to plane */
    int64_t side_x, side_y, side; /* numbers of a block's low face in x, in y, of all three */
    real *sides;
    /* Numbers of kernels by numbers: faces (cells_faces); kappa in device memory, NULL: 1, from
     * layer `first` on, of `points` points of a cell, one cell after the other, `all` numbers from
     * direction to direction, 0 of one kappa; the diagonal's numbers of unknowns in device memory,
     * or c and coefficients of transfer, times cells' volumes and faces of mean lengths. */
    int held[3], period[3], points;
    const real *kappa;
    int64_t all;
    const real *diagonal;
    bool lumped;
    real reaction, transfer[3][2];
};

template <bool OPEN>
__device__ inline int cells_faces<OPEN>::held(const struct cells_division &d, int k)
{
    return OPEN ? d.held[k] : 1;
}

template <bool OPEN>
__device__ inline int cells_faces<OPEN>::period(const struct cells_division &d, int k)
{
    return OPEN ? d.period[k] : 0;
}

template <bool OPEN>
__device__ inline bool cells_faces<OPEN>::starts(const struct cells_division &d, int k)
{
    return OPEN && d.held[k] == 0 && d.period[k] == 0 && (k < 2 || d.begin == 0);
}

inline struct cells_divisor cells_divisor_of(int64_t by)
{
    const int bits = std::bit_width((uint64_t)by - 1);
    return {(unsigned)by, (unsigned)((1ull << (31 + bits)) / (uint64_t)by + 1), 31 + bits};
}

/* Sets the division of vectors of n[0] x n[1] x n[2] unknowns, pitch apart, and of the sides: a
 * block has so many nodes from one to the next. */
inline void cells_divide_vectors(const int64_t n[3], int x, int y, int z, struct cells_division *d)
{
    const int nodes[3] = {x, y, z};
    for (int k = 0; k < 3; k++)
        d->nodes[k] = cells_divisor_of(nodes[k]);
    d->packs = cells_divisor_of(d->pitch / (int)WIDE);
    d->lines = cells_divisor_of(n[1]);
    d->side_x = (int64_t)(y + 1) * (z + 1);
    d->side_y = (int64_t)(x + 1) * (z + 1);
    d->side = d->side_x + d->side_y + (int64_t)(x + 1) * (y + 1);
}

inline int64_t cells_update_blocks(int64_t packs)
{
    const int64_t blocks = (packs + CGS_THREADS * UPDATE_PACKS - 1) / (CGS_THREADS * UPDATE_PACKS);
    return blocks < CGS_MOST_BLOCKS ? blocks : (int64_t)CGS_MOST_BLOCKS;
}

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

/* A thread's column of points, and of nodes. */
struct cells_column {
    bool working, node, inside; /* has points; has nodes; these are unknowns */
    int cell, i, j, cx, cy, cz;
    /* x and y of its points: weights, the two parts of the metric linear along z, the wave. */
    real weight, gx, gy, over;
    /* By numbers: the unknown's place in x and y; each direction's metric and the diagonal's number
     * in a cell of mean length in z; the mass of the column in x and y; the cell's node 0 in x, in
     * y is an unknown that no cell before has. */
    int x, y;
    real along[3], lump, mass;
    bool starts_x, starts_y;
};

/* Sets the column of a kernel by numbers. */
template <class S>
__device__ inline void find_numbers(const struct cells_division &d, struct cells_column *me)
{
    const struct cgs_order_form &f = d.form;
    const int cells_x = (int)f.cells[0], cells_y = (int)f.cells[1];
    const int x = me->cx * S::P + me->i - d.held[0], y = me->cy * S::P + me->j - d.held[1];
    const real lx = f.length[0][min(me->cx, cells_x - 1)];
    const real ly = f.length[1][min(me->cy, cells_y - 1)];
    const real wx = f.weight[me->i] * lx, wy = f.weight[me->j] * ly, over_x = 1 / lx,
               over_y = 1 / ly;
    me->x = x == d.period[0] ? 0 : x;
    me->y = y == d.period[1] ? 0 : y;
    me->inside = me->node && me->cx < cells_x && me->cy < cells_y && me->x >= 0 && me->x < f.n[0] &&
                 me->y >= 0 && me->y < f.n[1];
    me->starts_x = S::starts(d, 0) && me->cx == 0;
    me->starts_y = S::starts(d, 1) && me->cy == 0;
    me->mass = wx * wy;
    me->along[0] = f.factor[0] * me->mass * (over_x * over_x);
    me->along[1] = f.factor[1] * me->mass * (over_y * over_y);
    me->along[2] = f.factor[2] * me->mass;
    me->lump = d.reaction * me->mass;
    for (int side = 0; side < 2; side++) {
        if (me->i == side * S::P && me->cx == side * (cells_x - 1))
            me->lump += d.transfer[0][side] * wy;
        if (me->j == side * S::P && me->cy == side * (cells_y - 1))
            me->lump += d.transfer[1][side] * wx;
    }
}

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
    if constexpr (S::OPEN) {
        find_numbers<S>(d, &me);
        return me;
    }
    me.inside = me.node && x >= 1 && x <= f.n[0] && y >= 1 && y <= f.n[1];
    const int ex = min(me.cx, (int)f.cells[0] - 1), ey = min(me.cy, (int)f.cells[1] - 1);
    const real r = f.point[me.i], s = f.point[me.j];
    const real wx = f.wave[0][ex] + r * f.step[0][ex], wy = f.wave[1][ey] + s * f.step[1][ey];
    me.weight = f.weight[me.i] * f.weight[me.j] * f.factor[0];
    me.gx = f.over * f.step[0][ex] * wy;
    me.gy = f.over * wx * f.step[1][ey];
    me.over = f.over * wx * wy;
    return me;
}

/* kappa along a column of layer cz: k[0] + k[1] t + k[2] t^2. Of x and y it keeps nothing from
 * layer to layer, for kappa = 1, which needs all registers. */
__device__ inline void kappa_of(const struct cgs_order_form &f, const struct cells_column &me,
                                int cz, real wave, real step, real k[3])
{
    k[0] = 1;
    k[1] = k[2] = 0;
    if (f.kappa == CGS_KAPPA_ONE)
        return;
    const int ex = min(me.cx, (int)f.cells[0] - 1), ey = min(me.cy, (int)f.cells[1] - 1);
    if (f.kappa == CGS_KAPPA_JUMP)
        k[0] +=
            (real)0.5 * (1 - f.excess[0][ex] * f.excess[1][ey] * f.excess[2][cz]) * (f.ratio - 1);
    if (f.kappa == CGS_KAPPA_SMOOTH) {
        const real r = f.point[me.i], s = f.point[me.j], part = f.half_step[0] * me.over;
        const real move = part * wave, along = part * step;
        const real x = f.middle[0][ex] + r * f.half_step[0] + move;
        const real y = f.middle[1][ey] + s * f.half_step[1] + move;
        const real z = f.middle[2][cz] + move;
        const real rise = f.half_step[2] + along;
        k[0] += x + 2 * y * z;
        k[1] = along + 2 * (y * rise + z * along);
        k[2] = 2 * along * rise;
    }
}

/* Slopes at the column's points, x and y planes apart, become kappa w a G times them; returns the
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
        const real a = x[m * S::a::PLANE], b = y[m * S::b::PLANE], c = z[m];
        const real sum = a + b + c, common = gx * a + gy * b + gz * c - squares * sum;
        const real scale = me.weight * f.weight[m] * (k[0] + t * (k[1] + t * k[2]));
        const real u = scale * (whole * a - gx * sum - common);
        const real v = scale * (whole * (d.factor[1] * b) - gy * sum - common);
        const real w = scale * (whole * (d.factor[2] * c) - gz * sum - common);
        x[m * S::a::PLANE] = u;
        y[m * S::b::PLANE] = v;
        z[m] = w;
        energy += a * u + b * v + c * w;
    }
    return energy;
}

/* The same with numbers of kappa, and of the metric, which is diagonal. */
template <class S>
__device__ inline real fluxes_by_numbers(const struct cells_division &d,
                                         const struct cells_column &me, int cz, real *x, real *y,
                                         real *z)
{
    const struct cgs_order_form &f = d.form;
    const real length = f.length[2][cz];
    const real along[3] = {me.along[0] * length, me.along[1] * length, me.along[2] / length};
    const int ex = min(me.cx, (int)f.cells[0] - 1), ey = min(me.cy, (int)f.cells[1] - 1);
    const bool of_points = d.points > 1;
    const int64_t cell = ((cz - d.first) * f.cells[1] + ey) * f.cells[0] + ex;
    const real *const kappa =
        d.kappa + (d.kappa ? cell * d.points + (of_points ? me.j * S::Q + me.i : 0) : 0);
    real energy = 0;
#pragma unroll
    for (int m = 0; m < S::Q; m++) {
        const real *const at = kappa + (of_points ? m * S::Q * S::Q : 0);
        const real k = f.weight[m] * (d.kappa ? __ldg(at) : (real)1);
        const real ky = d.all ? f.weight[m] * __ldg(at + d.all) : k;
        const real kz = d.all ? f.weight[m] * __ldg(at + 2 * d.all) : k;
        const real a = x[m * S::a::PLANE], b = y[m * S::b::PLANE], c = z[m];
        const real u = along[0] * k * a, v = along[1] * ky * b, w = along[2] * kz * c;
        x[m * S::a::PLANE] = u;
        y[m * S::b::PLANE] = v;
        z[m] = w;
        energy += a * u + b * v + c * w;
    }
    return energy;
}

/* Adds the diagonal's numbers of the column's nodes u in layer cz; returns its part of u'A u. */
template <class S>
__device__ inline real add_lumped(const struct cells_division &d, const struct cells_column &me,
                                  int cz, const real *u, real *acc)
{
    const struct cgs_order_form &f = d.form;
    const real along = me.lump * f.length[2][cz];
    real energy = 0;
#pragma unroll
    for (int k = 0; k < S::N; k++) {
        real lump = along * f.weight[k];
        if (k == 0 && cz == 0)
            lump += d.transfer[2][0] * me.mass;
        if (k == S::P && cz == f.cells[2] - 1)
            lump += d.transfer[2][1] * me.mass;
        acc[k] += lump * u[k];
        energy += lump * u[k] * u[k];
    }
    return energy;
}

/* The vector that is multiplied: x, or the direction x + beta (direction before), which is then
 * stored. */
struct cells_vector {
    const struct fields &f;
    bool directs, in_q; /* the direction before is in q, not in p */
    real beta;
};

/* Shared memory of a block. before: nodes of the vector of this name; a, b: [cell][z][y][x] of
 * points, v: the same with Gauss's rule and slopes. */
template <class S> struct cells_memory {
    real *nodes, *before, *a, *b, *v, *edges;
};

/* Returns where the column begins in a layout; then the same of the thread's lines: along x number
 * i of plane j, along y number i of plane j. */
template <class LAYOUT> __device__ inline int column_place(const struct cells_column &me)
{
    return me.cell * LAYOUT::CELL + me.j * LAYOUT::LINE + me.i;
}

template <class LAYOUT> __device__ inline int line_x_place(const struct cells_column &me)
{
    return me.cell * LAYOUT::CELL + me.j * LAYOUT::PLANE + me.i * LAYOUT::LINE;
}

template <class LAYOUT> __device__ inline int line_y_place(const struct cells_column &me)
{
    return me.cell * LAYOUT::CELL + me.j * LAYOUT::PLANE + me.i;
}

/* Returns the plane of node k of layer cz. */
template <class S> __device__ inline int plane_of(const struct cells_division &d, int cz, int k)
{
    const int z = cz * S::P + k - S::held(d, 2) - d.begin;
    return S::OPEN && z == S::period(d, 2) ? 0 : z;
}

/* Returns where layer cz of the column begins in vectors. */
template <class S>
__device__ inline int64_t column_at(const struct cells_division &d, const struct cells_column &me,
                                    int cz)
{
    if (S::OPEN)
        return ((int64_t)cz * S::P - d.held[2] - d.begin) * d.plane + me.y * d.pitch + me.x;
    return ((int64_t)cz * S::P - 1 - d.begin) * d.plane +
           (int64_t)(me.cy * S::P + me.j - 1) * d.pitch + (me.cx * S::P + me.i - 1);
}

/* Returns the planes from where the column begins to its node k, at plane z. */
template <class S> __device__ inline int planes_to(const struct cells_division &d, int k, int z)
{
    return S::OPEN && k == S::P && z == 0 ? k - S::period(d, 2) : k;
}

/* Copies nodes FROM ... P of the column in layer cz to shared memory. (FROM = 0: once a block; by a
 * loop in kernels by numbers, which have most code.) */
template <class S, int FROM>
__device__ inline void
fetch_column(const struct cells_division &d, const struct cells_memory<S> &mem,
             const struct cells_column &me, int cz, const struct cells_vector &v)
{
    const int64_t at = column_at<S>(d, me, cz);
#pragma unroll(FROM == 0 && S::OPEN ? 1 : S::N)
    for (int k = FROM; k < S::N; k++) {
        const int z = plane_of<S>(d, cz, k);
        const int to = column_place<typename S::nodes>(me) + k * S::nodes::PLANE;
        const bool there = me.inside && z >= d.low && z < d.high;
        const int64_t from = there ? at + planes_to<S>(d, k, z) * d.plane : 0;
        copy_number(mem.nodes + to, v.f.x + from, there);
        if (v.directs) /* as if it were 0 where beta is, which it may not be at first */
            copy_number(mem.before + to, (v.in_q ? v.f.q : v.f.p) + from, there && v.beta != 0);
    }
}

/* Values at points of a line along y, at point i in x and j in z, become w det J times them, det J
 * being linear along it; returns the sum of their products. */
template <class S>
__device__ inline real weigh(const struct cells_division &d, const struct cells_column &me, int cz,
                             real *u)
{
    const struct cgs_order_form &f = d.form;
    const int ex = min(me.cx, (int)f.cells[0] - 1), ey = min(me.cy, (int)f.cells[1] - 1);
    const real x = f.step[0][ex], wx = f.wave[0][ex] + f.point[me.i] * x;
    const real z = f.step[2][cz], wz = f.wave[2][cz] + f.point[me.j] * z;
    const real y = f.step[1][ey], slopes = f.over * (x * wz + wx * z);
    const real weight = f.volume * f.weight[me.i] * f.weight[me.j], rise = weight * (slopes * y);
    const real middle = weight * (1 + f.over * (wx * wz) * y + slopes * f.wave[1][ey]);
    real energy = 0;
#pragma unroll
    for (int m = 0; m < S::Q; m++) {
        const real value = u[m];
        u[m] = f.weight[m] * (middle + f.point[m] * rise) * value;
        energy += value * u[m];
    }
    return energy;
}

/* Returns true if the column's unknowns are no other column's. */
template <class S> __device__ inline bool own_column(const struct cells_column &me)
{
    return me.inside && (me.i > 0 || (S::OPEN && me.starts_x)) &&
           (me.j > 0 || (S::OPEN && me.starts_y));
}

/* Returns where the direction is stored. */
__device__ inline real *direction_of(const struct cells_vector &v)
{
    return v.in_q ? v.f.p : v.f.q;
}

/* Ends fetch_column of the same numbers; those within the cell and on its upper faces are stored,
 * each node by one thread, and of a rank's first cells those on their lower face in z. */
template <class S, int FROM>
__device__ inline void take_column(const struct cells_division &d,
                                   const struct cells_memory<S> &mem, const struct cells_column &me,
                                   int cz, const struct cells_vector &v)
{
    settle_copies();
    if (!v.directs || !me.node)
        return;
    const bool owner = own_column<S>(me);
    real *const own = direction_of(v) + column_at<S>(d, me, cz);
#pragma unroll(FROM == 0 && S::OPEN ? 1 : S::N)
    for (int k = FROM; k < S::N; k++) {
        const int at = column_place<typename S::nodes>(me) + k * S::nodes::PLANE;
        const real now = mem.nodes[at] + v.beta * mem.before[at];
        mem.nodes[at] = now;
        const int z = plane_of<S>(d, cz, k);
        const bool lowest = (z < 0 && z >= d.low) || (z == 0 && S::starts(d, 2));
        if (owner && (k > 0 ? z < d.high : lowest))
            own[planes_to<S>(d, k, z) * d.plane] = now;
    }
}

/* Adds the diagonal's numbers times this rank's unknowns that the column alone has, of layer cz
 * without its lowest plane, unless that is of a free face; returns their part of u'A u. */
template <class S>
__device__ inline real add_diagonal(const struct cells_division &d, const struct cells_column &me,
                                    int cz, const struct cells_vector &v, real *acc)
{
    const int64_t at = column_at<S>(d, me, cz);
    const real *const u = (v.directs ? direction_of(v) : v.f.x) + at;
    real energy = 0;
    if (!own_column<S>(me))
        return energy;
#pragma unroll
    for (int k = 0; k < S::N; k++) {
        const int z = plane_of<S>(d, cz, k);
        if (k > 0 ? z >= 0 && z < d.form.n[2] : z == 0 && S::starts(d, 2)) {
            const int64_t place = planes_to<S>(d, k, z) * d.plane;
            const real product = __ldg(d.diagonal + at + place) * u[place];
            acc[k] += product;
            energy += product * u[place];
        }
    }
    return energy;
}

/* The column's part of layer cz: acc, at its nodes; returns its part of v'A v. The nodes of the
 * next layer are on their way afterwards if there is one. */
template <class S>
__device__ inline real multiply_cells(const struct cells_division &d,
                                      const struct cells_memory<S> &mem,
                                      const struct cells_column &me, int cz, bool next,
                                      const struct cells_vector &v, real *acc)
{
    using nodes = typename S::nodes;
    using A = typename S::a;
    using B = typename S::b;
    constexpr int N = S::N, Q = S::Q;
    const struct cgs_order_form &f = d.form;
    const int mine = column_place<A>(me), row = line_x_place<A>(me), column = line_y_place<B>(me);
    real *const at_b = mem.b + column_place<B>(me);
    real *const own = mem.nodes + column_place<nodes>(me);
    real gz[Q], u[N], energy = 0, below = 0;
    if constexpr (S::GAUSS) {
        if (me.node) {
            real out[Q];
#pragma unroll
            for (int k = 0; k < N; k++)
                u[k] = own[k * nodes::PLANE];
            cells_line<Q, N, true>(f.interpolate, u, out);
#pragma unroll
            for (int k = 0; k < Q; k++)
                mem.a[mine + k * A::PLANE] = out[k];
            own[0] = u[N - 1];
            if (next)
                fetch_column<S, 1>(d, mem, me, cz + 1, v);
        }
        __syncthreads();
        if (me.working && me.i < N)
            cells_pass<Q, N, true, 1>(f.interpolate, mem.a + row, mem.b + line_x_place<B>(me));
        __syncthreads();
        if (me.working) {
            real in[N], at[Q], out[Q];
#pragma unroll
            for (int m = 0; m < N; m++)
                in[m] = mem.b[column + m * B::LINE];
            cells_line<Q, N, true>(f.interpolate, in, at);
            if constexpr (S::MASS) {
                energy = weigh<S>(d, me, cz, at);
                cells_line<N, Q, true>(f.interpolate_t, at, in);
#pragma unroll
                for (int m = 0; m < N; m++)
                    mem.b[column + m * B::LINE] = in[m];
            } else {
                cells_line<Q, Q, false>(f.slope, at, out);
#pragma unroll
                for (int m = 0; m < Q; m++) {
                    mem.v[line_y_place<A>(me) + m * A::LINE] = at[m];
                    mem.b[column + m * B::LINE] = out[m];
                }
            }
        }
        __syncthreads();
        if constexpr (!S::MASS) {
            if (me.working) {
                real in[Q];
                cells_pass<Q, Q, false, 1>(f.slope, mem.v + row, mem.a + row);
#pragma unroll
                for (int m = 0; m < Q; m++)
                    in[m] = mem.v[mine + m * A::PLANE];
                cells_line<Q, Q, false>(f.slope, in, gz);
            }
            __syncthreads();
        }
    } else {
        if (me.working) {
            cells_pass<N, N, false, 1>(f.slope, mem.nodes + line_x_place<nodes>(me), mem.a + row);
            cells_pass<N, N, false, B::LINE>(f.slope, mem.nodes + line_y_place<nodes>(me),
                                             mem.b + column);
#pragma unroll
            for (int k = 0; k < N; k++)
                u[k] = own[k * nodes::PLANE];
            cells_line<N, N, false>(f.slope, u, gz);
            below = u[N - 1];
        }
        __syncthreads();
        if (me.working) {
            own[0] = below;
            if (next)
                fetch_column<S, 1>(d, mem, me, cz + 1, v);
        }
    }
    real out[Q];
    if constexpr (!S::MASS) {
        if (me.working) {
            if constexpr (S::OPEN)
                energy = fluxes_by_numbers<S>(d, me, cz, mem.a + mine, at_b, gz);
            else
                energy = fluxes<S>(d, me, cz, mem.a + mine, at_b, gz);
            cells_line<Q, Q, false>(f.slope_t, gz, out);
        }
    }
    if constexpr (S::AT_POINTS) {
        if (me.working) {
#pragma unroll
            for (int k = 0; k < Q; k++)
                mem.v[mine + k * A::PLANE] = out[k];
        }
        __syncthreads();
        if (me.working)
            cells_pass<Q, Q, false, 1, true>(f.slope_t, mem.a + row, mem.v + row);
        __syncthreads();
        if (me.working) {
            real in[Q], at[N];
#pragma unroll
            for (int m = 0; m < Q; m++)
                in[m] = mem.b[column + m * B::LINE];
            cells_line<Q, Q, false>(f.slope_t, in, out);
#pragma unroll
            for (int m = 0; m < Q; m++)
                out[m] += mem.v[line_y_place<A>(me) + m * A::LINE];
            cells_line<N, Q, true>(f.interpolate_t, out, at);
#pragma unroll
            for (int m = 0; m < N; m++)
                mem.b[column + m * B::LINE] = at[m];
        }
        __syncthreads();
    }
    if constexpr (S::GAUSS) {
        if (me.working && me.i < N)
            cells_pass<N, Q, true, 1>(f.interpolate_t, mem.b + line_x_place<B>(me), mem.a + row);
        __syncthreads();
        if (me.node) {
#pragma unroll
            for (int k = 0; k < Q; k++)
                out[k] = mem.a[mine + k * A::PLANE];
            cells_line<N, Q, true>(f.interpolate_t, out, acc);
        }
    } else {
        __syncthreads();
        if (me.working) {
            cells_pass<N, N, false, 1>(f.slope_t, mem.a + row, mem.a + row);
            cells_pass<N, N, false, B::LINE>(f.slope_t, mem.b + column, mem.b + column);
        }
        __syncthreads();
        if (me.working) {
#pragma unroll
            for (int k = 0; k < N; k++)
                acc[k] = out[k] + (mem.a[mine + k * A::PLANE] + at_b[k * B::PLANE]);
            if (S::OPEN && d.lumped)
                energy += add_lumped<S>(d, me, cz, u, acc);
        }
    }
    return energy;
}

/* Lets the tile's cells to the left and in front have what the column has of their nodes, and adds
 * what it gets from those to the right, behind and both; a barrier lies between. */
template <class S>
__device__ inline void store_edges(const struct cells_memory<S> &mem, const struct cells_column &me,
                                   const real *acc)
{
    constexpr int N = S::N;
    real *const edges = mem.edges + me.cell * S::EDGES;
    if (!me.node)
        return;
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (me.i == 0)
            edges[k * 2 * N + me.j] = acc[k];
        if (me.j == 0)
            edges[k * 2 * N + N + me.i] = acc[k];
    }
}

template <class S>
__device__ inline void add_edges(const struct cells_memory<S> &mem, const struct cells_column &me,
                                 real *acc)
{
    constexpr int N = S::N;
    const bool right = me.node && me.i == S::P && me.cell % S::TX + 1 < S::TX;
    const bool up = me.node && me.j == S::P && me.cell / S::TX + 1 < S::TY;
    const real *const edges = mem.edges + me.cell * S::EDGES;
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

/* m: APPLY, APPLY_DOT or DIRECTION, where f.x is z. */
template <class S>
__global__ void __launch_bounds__(S::THREADS, S::FIT)
    order_cells(const __grid_constant__ struct cells_division d, enum mode m,
                const __grid_constant__ struct fields f, struct cgs_cg_state *state,
                enum cgs_sum sum, double *partials, unsigned *tickets)
{
    CGS_DYNAMIC_SHARED(real, order_cells_memory);
    constexpr int P = S::P, N = S::N, SIDE_X = S::TX * P + 1, SIDE_Y = S::TY * P + 1;
    struct cells_memory<S> mem;
    mem.nodes = order_cells_memory;
    mem.before = mem.nodes + S::CELLS * S::nodes::CELL;
    mem.a = mem.before + S::CELLS * S::nodes::CELL;
    mem.b = mem.a + S::CELLS * S::a::CELL;
    mem.v = mem.b + S::CELLS * S::b::CELL;
    mem.edges = mem.v + (S::AT_POINTS ? S::CELLS * S::a::CELL : 0);
    const int tile = (int)blockIdx.x % (d.tiles_x * d.tiles_y);
    const int start = (int)blockIdx.x / (d.tiles_x * d.tiles_y) * d.chunk;
    const int first = max(start, d.first), last = min(start + d.chunk, (int)d.form.cells[2]);
    const struct cells_column me = find_column<S>(d, tile % d.tiles_x, tile / d.tiles_x);
    /* Node of the tile; where the column's sums go: y, or a side. */
    const int gx = me.cell % S::TX * P + me.i, gy = me.cell / S::TX * P + me.j;
    const bool owner = me.inside && (me.i > 0 || gx == 0) && (me.j > 0 || gy == 0);
    const bool low_x = gx == 0 && !(S::OPEN && me.starts_x);
    const bool low = low_x || (gy == 0 && !(S::OPEN && me.starts_y));
    const int last_layer = (int)d.form.cells[2];
    real *const side = d.sides + (int64_t)blockIdx.x * d.side;
    real *const bottom = side + d.side_x + d.side_y + gy * SIDE_X + gx;
    real *to = f.y + column_at<S>(d, me, first);
    int64_t step = d.plane;
    if (low) {
        to = low_x ? side + gy : side + d.side_x + gx;
        step = low_x ? SIDE_Y : SIDE_X;
        to += (first - start) * P * step;
    }
    double mine = 0.0, total;
    real carry = 0;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    struct cells_vector v = {f, m == DIRECTION, false, 0};
    if (m == DIRECTION) {
        v.in_q = cgs_cg_direction_in_q(state) != 0;
        v.beta = (real)state->beta;
    }
    if (me.node)
        fetch_column<S, 0>(d, mem, me, first, v);
    take_column<S, 0>(d, mem, me, first, v);
    __syncthreads();
    for (int cz = first; cz < last; cz++) {
        const bool next = cz + 1 < last;
        real acc[N];
        const bool ours = cz < d.owned && (!S::OPEN || cz >= d.mine);
        const real energy = multiply_cells<S>(d, mem, me, cz, next, v, acc);
        mine += ours ? (double)energy : 0.0;
        if (S::OPEN && d.diagonal)
            mine += (double)add_diagonal<S>(d, me, cz, v, acc);
        store_edges<S>(mem, me, acc);
        if (next)
            take_column<S, 1>(d, mem, me, cz + 1, v);
        __syncthreads();
        add_edges<S>(mem, me, acc);
        if (!owner)
            continue;
        acc[0] += carry;
        carry = acc[P];
#pragma unroll
        for (int k = 0; k < P; k++) {
            if (k > 0 ? low || ours : low || cz > first || (cz == 0 && S::starts(d, 2)))
                *to = acc[k];
            else if (k == 0 && (cz > d.first || S::period(d, 2)))
                *bottom = acc[k];
            to += step;
        }
    }
    if (S::OPEN && !low && last == last_layer && S::period(d, 2))
        to -= S::period(d, 2) * d.plane;
    if (owner && (low || last < last_layer || (S::OPEN && plane_of<S>(d, last, 0) < d.form.n[2])))
        *to = carry;
    if (m != APPLY && cgs_grid_sum<S::THREADS>(mine, partials, tickets, &total))
        state->sums[sum] = total;
}

/* A node in one direction: the block in which it is number 0 ... nodes, and the next one, which
 * has the last of them, too, if it is shared. */
struct cells_position {
    int block, next, local;
    bool shared;
};

__host__ __device__ inline int cells_blocks(const struct cells_division &d, int k)
{
    return k == 0 ? d.tiles_x : k == 1 ? d.tiles_y : d.chunks;
}

__device__ inline struct cells_position position_of(const struct cells_division &d, int k,
                                                    int unknown)
{
    const int by = (int)d.nodes[k].by, period = d.period[k];
    int node = unknown + d.held[k] + (k == 2 ? d.begin : 0);
    if (node == 0 && period == 0)
        return {0, 1, 0, false};
    node = node == 0 ? period : node;
    const int block = (int)quotient((unsigned)node - 1, d.nodes[k]), local = node - block * by;
    const bool last = block + 1 == cells_blocks(d, k);
    return {block, last ? 0 : block + 1, local, last ? node == period : local == by};
}

/* Moves to the next unknown, which is no period's first one. */
__device__ inline void step_position(const struct cells_division &d, int k,
                                     struct cells_position *at)
{
    at->block = at->shared ? at->next : at->block;
    at->local = at->shared ? 1 : at->local + 1;
    at->next = at->block + 1;
    at->shared = at->local == (int)d.nodes[k].by && at->next < cells_blocks(d, k);
}

/* Returns the sum of what the blocks above, behind and to the right have of a node. */
__device__ inline real sum_of_sides(const struct cells_division &d,
                                    const struct cells_position at[3])
{
    const struct cells_position &x = at[0], &y = at[1], &z = at[2];
    const int wide = (int)d.nodes[0].by + 1, high = (int)d.nodes[1].by + 1;
    real sum = 0;
#pragma unroll
    for (int m = 1; m < 8; m++) {
        const bool right = m & 1, behind = m >> 1 & 1, above = m >> 2;
        if ((right && !x.shared) || (behind && !y.shared) || (above && !z.shared))
            continue;
        const int64_t layer = above ? z.next : z.block;
        const int64_t block = (layer * d.tiles_y + (behind ? y.next : y.block)) * d.tiles_x +
                              (right ? x.next : x.block);
        const int lx = right ? 0 : x.local, ly = behind ? 0 : y.local, lz = above ? 0 : z.local;
        sum += d.sides[block * d.side + (right    ? (int64_t)lz * high + ly
                                         : behind ? d.side_x + (int64_t)lz * wide + lx
                                                  : d.side_x + d.side_y + (int64_t)ly * wide + lx)];
    }
    return sum;
}

/* Returns the planes of nodes between blocks in direction k. */
__host__ __device__ inline int cells_planes_between(const struct cells_division &d, int k)
{
    return cells_blocks(d, k) - 1 + (d.period[k] > 0);
}

/* Adds the sides of the blocks above to y, at nodes of planes between blocks in x, then of those
 * in y, then in z. */
__global__ void __launch_bounds__(CGS_THREADS)
    order_cells_finish(const __grid_constant__ struct cells_division d, real *y,
                       const struct cgs_cg_state *state)
{
    if (state && !cgs_cg_going_on(state))
        return;
    for (int way = 0; way < 3; way++) {
        const int wide = (int)d.form.n[way == 0], deep = (int)d.form.n[way == 2 ? 1 : 2];
        const int64_t all = (int64_t)cells_planes_between(d, way) * wide * deep;
        for (int64_t at = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x; at < all;
             at += (int64_t)gridDim.x * CGS_THREADS) {
            const int w = (int)(at % wide), v = (int)(at / wide % deep);
            int on = ((int)(at / ((int64_t)wide * deep)) + 1) * (int)d.nodes[way].by -
                     d.held[way] - (way == 2 ? d.begin : 0);
            if (d.period[way] && on >= d.period[way])
                on = 0;
            const int node[3] = {way == 0 ? on : w,
                                 way == 0   ? w
                                 : way == 1 ? on
                                            : v,
                                 way == 2 ? on : v};
            struct cells_position position[3];
            for (int k = 0; k < 3; k++)
                position[k] = position_of(d, k, node[k]);
            if ((way > 0 && position[0].shared) || (way > 1 && position[1].shared))
                continue; /* done before */
            y[node[2] * d.plane + node[1] * d.pitch + node[0]] += sum_of_sides(d, position);
        }
    }
}

/* Adds the sides to the pack of the product that begins at number x of a line, and returns which
 * of its numbers are unknowns. */
__device__ inline unsigned add_sides(const struct cells_division &d, int x, int line,
                                     pack<WIDE> *product)
{
    const int plane = (int)quotient((unsigned)line, d.lines);
    const int y = line - plane * (int)d.lines.by;
    struct cells_position at[3] = {position_of(d, 0, x), position_of(d, 1, y),
                                   position_of(d, 2, plane)};
    unsigned in = 0;
#pragma unroll
    for (int v = 0; v < (int)WIDE; v++) {
        if (x + v < d.form.n[0]) {
            in |= 1u << v;
            if (at[0].shared || at[1].shared || at[2].shared)
                product->at[v] += sum_of_sides(d, at);
        }
        step_position(d, 0, &at[0]);
    }
    return in;
}

/* Rest of a step after its product, which is in f.y of UPDATE and LATE, in f.q of RESIDUAL, which
 * may be f.y, and RELAX. concludes: as march. Blocks go from the end to the beginning: what the
 * product has written last is still in the L2 cache. */
template <enum mode M>
__global__ void __launch_bounds__(CGS_THREADS)
    order_cells_update(const __grid_constant__ struct cells_division d,
                       const __grid_constant__ struct fields f, struct cgs_cg_state *state,
                       bool concludes, const struct cgs_sum_way way, double *partials,
                       unsigned *tickets)
{
    const int64_t packs = (int64_t)d.packs.by * d.lines.by * d.form.n[2];
    struct scalars s;
    double mine = 0.0, total;

    if (!read_state<M>(state, f, &s))
        return;
    for (int64_t i = (int64_t)(gridDim.x - 1 - blockIdx.x) * CGS_THREADS * UPDATE_PACKS; i < packs;
         i += (int64_t)gridDim.x * CGS_THREADS * UPDATE_PACKS)
#pragma unroll 1
        for (int64_t at = i + threadIdx.x; at < packs && at < i + CGS_THREADS * UPDATE_PACKS;
             at += CGS_THREADS) {
            const int line = (int)quotient((unsigned)at, d.packs);
            const int x = ((int)at - line * (int)d.packs.by) * (int)WIDE;
            const pack<WIDE> r = load_line<false>((reads_b(M) ? f.b : f.r) + at * WIDE);
            pack<WIDE> product = load_line<false>((reads_b(M) ? f.q : f.y) + at * WIDE);
            pack<WIDE> p = {}, solution = {};
            if (M == RELAX || s.moves)
                p = load_line<false>((M == RELAX ? f.x : s.own) + at * WIDE);
            if (s.moves && !s.fresh)
                solution = load_line<false>((M == RELAX ? f.y : f.solution) + at * WIDE);
            const unsigned in = add_sides(d, x, line, &product);
            mine += end_line<M>(f, s, at * WIDE, in, p, product, r, solution);
        }
    if (sums_up(M) && cgs_grid_sum(mine, partials, tickets, &total))
        end_march<M>(state, s, concludes, CGS_SUM_RR, way, total);
}

} // namespace
