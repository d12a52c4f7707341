/* The operator of order p of the plain or graded box with collocated points on CUDA: blocks that
 * march along z, a cell at a time, with a tile of whole cells in x and y.
 *
 * Mass matrices M are diagonal then, and with the stiffness matrices K of a line
 *     A a = K_x M_y M_z a + M_x K_y M_z a + M_x M_y K_z a + c M_x M_y M_z a
 * is a star. K is the sum of the cells' matrices, which are all the same but for a factor 2 / h.
 * Unknown u of a direction is number u % P + 1 of the P + 1 nodes of cell u / P, whose node 0 is
 * the last one of the cell before: a cell owns its upper end, and tiles begin at multiples of P
 * unknowns.
 *
 * Where node 0 of the line is an unknown, it is the last number of one more cell before the others,
 * whose other numbers no vector has: unknown u is number (u + P - 1) % P + 1 of cell
 * (u + P - 1) / P.
 *
 *     free       the cell before the first one, and the one after the last, have as their factor
 *                what makes their one entry the coefficient of transfer
 *     periodic   the cell before the first one is the last one; numbers outside are those of the
 *                other end. Its share of p'A p is left out.
 *
 * A rank begins with such a cell, too, where the face z0 is free: the one below its planes, of
 * which it has the last number; the rank below counts that cell's share of p'A p.
 *
 * SHAPE::BATCH planes at a time are put into shared memory. There a thread has as its task a cell
 * of a line in x or y, of which it loads each number once and computes all rows; the constants of
 * K come from the kernel's parameters. Along z a thread has COLUMNS lines in registers, and adds
 * what a plane contributes to the P + 1 planes of its cell when the plane comes.
 *
 *     DIRECTION        p'A p is the sum of a'K a over cells, which needs no rows, half the
 *                      products, and one number before a tile's own in x and in y
 *     the other modes  (march.cuh) one number before a tile's own and P after them, as the last
 *                      node of a cell has a row of the next cell, too; no corners
 *
 * DIRECTION also makes p of the planes of other ranks that can be read, as they do: the next kernel
 * reads it there.
 *
 * UPDATE and LATE are one kernel, as are all products, whose mode is an argument: what differs is
 * the end of a number.
 *
 * Numbers come into shared memory by asynchronous copies, a batch ahead. An iteration of CG reads
 * and writes 7 vectors, as for Q1. The rest for an unknown, without what surrounds a tile:
 *
 *                      multiply-adds           numbers of shared memory
 *     DIRECTION        3 (P + 1)(P + 2) / 2P   5 + 2 (P + 1) / P
 *     the other modes  3 (P + 1)^2 / P         6 + 4 (P + 1) / P
 */
#pragma once

#include "kernels/matrix_free/march.cuh"

namespace
{

/* The box of unknowns, the layout of its vectors and its division. Tables reach to the end of the
 * last tile, and P further, with zeros. Along z all is counted from this rank's first cell: others
 * have the planes below its own down to its first cell's node 0, and the next cell's planes, or
 * its own last cell's last one, above them, which can be read. */
struct order_division {
    int n[3];
    int shift[3];         /* numbers of the first cell before unknown 0: 0 or P - 1 */
    int period[3];        /* n, or 0 where there is none */
    int low, high;        /* planes low ... high - 1 can be read, those beyond are zero */
    int64_t pitch, plane; /* numbers from line to line, from plane to plane */
    int tiles_x, tiles_y;
    int cells, chunks;     /* along z */
    const real *factor[3]; /* of cells: 2 kappa / h */
    const real *mass[3];   /* of this rank's unknowns; zero beyond them */
    real reaction;         /* c */
};

template <int P> struct order_box : order_division {
    real k[(P + 1) * (P + 1)]; /* of a cell of length 2 */
};

/* EARLY: operands of a cell's results are fetched into the L2 cache when the cell begins. OPEN: of
 * all faces and reactions; else of values on all faces and no reaction, in less time. */
template <int ORDER, int CELLS_X, int CELLS_Y, int BATCH_, int THREADS_, int FIT_,
          bool EARLY_ = false, bool OPEN_ = true>
struct order_shape {
    static constexpr int P = ORDER, X = P * CELLS_X, Y = P * CELLS_Y, OWN = X * Y;
    static constexpr int BATCH = BATCH_ < P ? BATCH_ : P, BATCHES = (P + BATCH - 1) / BATCH;
    static constexpr int THREADS = THREADS_, FIT = FIT_;
    static constexpr int COLUMNS = (OWN + THREADS - 1) / THREADS;
    static constexpr bool EARLY = EARLY_, OPEN = OPEN_;

    __device__ static int shift(const struct order_division &box, int k)
    {
        return OPEN ? box.shift[k] : 0;
    }
    __device__ static int period(const struct order_division &box, int k)
    {
        return OPEN ? box.period[k] : 0;
    }
    __device__ static real reaction(const struct order_division &box)
    {
        return OPEN ? box.reaction : (real)0;
    }
};

/* A tile's plane in shared memory, with AFTER numbers after its own. Pitches are odd, so that
 * threads with neighbouring lines meet different banks. */
template <class SHAPE, int AFTER> struct order_plane {
    static constexpr int AROUND = 1 + AFTER;
    static constexpr int PITCH = (SHAPE::X + AROUND) | 1, SIZE = PITCH * (SHAPE::Y + AROUND);
    static constexpr int MORE = AROUND * (SHAPE::X + SHAPE::Y); /* numbers that are not its own */
    static constexpr int LOADS = (MORE + SHAPE::THREADS - 1) / SHAPE::THREADS;
};

template <class SHAPE> struct order_result {
    static constexpr int PITCH = SHAPE::X | 1, SIZE = PITCH * SHAPE::Y;
};

/* Bytes of shared memory of a block. */
template <class SHAPE> constexpr int64_t order_march_shared()
{
    return (int64_t)sizeof(real) * SHAPE::BATCH * 2 *
           (order_plane<SHAPE, SHAPE::P>::SIZE + order_result<SHAPE>::SIZE);
}

template <class SHAPE> constexpr int64_t order_direction_shared()
{
    return (int64_t)sizeof(real) * SHAPE::BATCH * 3 * order_plane<SHAPE, 0>::SIZE;
}

/* Planes of a batch, and the batch's first plane in its cell, counted from 0. */
template <class SHAPE> __device__ constexpr int order_planes(int batch)
{
    const int left = SHAPE::P - batch * SHAPE::BATCH;
    return left < SHAPE::BATCH ? left : SHAPE::BATCH;
}

/* Loads of a thread of each plane: its columns, then its share of the numbers around the tile.
 * at: in the plane; < 0: nothing. to: in shared memory; < 0: nothing. */
template <class SHAPE, int AFTER> struct order_part {
    static constexpr int C = SHAPE::COLUMNS, ALL = C + order_plane<SHAPE, AFTER>::LOADS;
    int at[ALL], to[ALL];

    __device__ inline bool holds(int c) const
    {
        return (c < C && SHAPE::OWN % SHAPE::THREADS == 0) || to[c] >= 0;
    }
};

/* Returns the place of number i of a direction in memory; without a period i itself. */
__device__ inline int order_wrapped(int i, int n, int period)
{
    return i < 0 ? i + period : i >= n ? i - period : i;
}

template <class SHAPE, int AFTER>
__device__ inline void find_part(const struct order_box<SHAPE::P> &box, int x0, int y0,
                                 struct order_part<SHAPE, AFTER> *out)
{
    using plane = order_plane<SHAPE, AFTER>;
    constexpr int C = SHAPE::COLUMNS, A = plane::AROUND, X = SHAPE::X, Y = SHAPE::Y;
#pragma unroll
    for (int c = 0; c < C + plane::LOADS; c++) {
        int i = (int)threadIdx.x + (c < C ? c : c - C) * SHAPE::THREADS, x = i % X, y = i / X;
        const bool there = i < (c < C ? SHAPE::OWN : plane::MORE);
        if (c >= C && i < A * Y) {
            x = i % A == 0 ? -1 : X + i % A - 1;
            y = i / A;
        } else if (c >= C) {
            i -= A * Y;
            x = i % X;
            y = i / X == 0 ? -1 : Y + i / X - 1;
        }
        const int at_x = order_wrapped(x0 + x, box.n[0], SHAPE::period(box, 0));
        const int at_y = order_wrapped(y0 + y, box.n[1], SHAPE::period(box, 1));
        const int64_t at = at_y * box.pitch + at_x;
        out->to[c] = there ? (y + 1) * plane::PITCH + x + 1 : -1;
        out->at[c] = there && at_x >= 0 && at_x < box.n[0] && at_y >= 0 && at_y < box.n[1]
                         ? (int)at
                         : -1;
    }
}

/* The vector marched over: a, or a + beta b; planes apart from low ... high - 1 are zero. */
struct order_vector {
    const real *a, *b;
    real beta;
    int64_t plane;
    int low, high, n, period;
};

template <bool TWO> __device__ inline real load_number(const struct order_vector &v, int z, int at)
{
    z = order_wrapped(z, v.n, v.period);
    if (at < 0 || z < v.low || z >= v.high)
        return 0;
    const int64_t i = z * v.plane + at;
    const real a = v.a[i];
    return TWO && v.beta != 0 ? a + v.beta * v.b[i] : a;
}

/* Copies planes z ... z + planes - 1 of a vector like v. end: of the planes that are read. */
template <class SHAPE, int AFTER>
__device__ inline void copy_batch(const struct order_vector &v, const real *a,
                                  const struct order_part<SHAPE, AFTER> &part, int z, int end,
                                  int planes, real *to)
{
#pragma unroll
    for (int i = 0; i < SHAPE::BATCH; i++) {
        const int place = order_wrapped(z + i, v.n, v.period);
        const bool in = i < planes && z + i < end && (!SHAPE::OPEN || place >= v.low);
        const real *const from = a + (in ? place * v.plane : 0);
        if (i >= planes)
            continue;
#pragma unroll
        for (int c = 0; c < order_part<SHAPE, AFTER>::ALL; c++)
            if (part.holds(c))
                copy_number(to + i * order_plane<SHAPE, AFTER>::SIZE + part.to[c],
                            from + (part.at[c] >= 0 ? part.at[c] : 0), in && part.at[c] >= 0);
    }
}

/* Rows 1 ... P of a cell of a line: of its own numbers, and the last one also of the next cell's,
 * which are loaded after the other rows are stored, to need no more registers. */
template <int P>
__device__ inline void contract_cell(const real *k, const real *from, int step, real own, real next,
                                     real *to, int to_step)
{
    real u[P + 1], after = 0;
#pragma unroll
    for (int a = 0; a <= P; a++)
        u[a] = from[a * step];
#pragma unroll
    for (int j = 1; j <= P; j++) {
        real row = 0;
#pragma unroll
        for (int a = 0; a <= P; a++)
            row += k[j * (P + 1) + a] * u[a];
        to[(j - 1) * to_step] = own * row;
    }
#pragma unroll
    for (int a = 0; a <= P; a++)
        after += k[a] * from[(P + a) * step];
    to[(P - 1) * to_step] += next * after;
}

/* Returns the part of number l of a cell in u'K u, after numbers 0 ... l - 1. */
template <int P> __device__ inline real energy_share(const real *k, const real *u, int l)
{
    real before = 0;
#pragma unroll
    for (int a = 0; a < l; a++)
        before += k[l * (P + 1) + a] * u[a];
    return u[l] * (k[l * (P + 1) + l] * u[l] + 2 * before);
}

template <int P> __device__ inline real energy_of_cell(const real *k, const real *from, int step)
{
    real u[P + 1], sum = 0;
#pragma unroll
    for (int a = 0; a <= P; a++)
        u[a] = from[a * step];
#pragma unroll
    for (int l = 0; l <= P; l++)
        sum += energy_share<P>(k, u, l);
    return sum;
}

/* A block's place: the number that its tile begins with, its first cells in x and y, its cells
 * along z, and the first and the end of their planes that are read. */
struct order_place {
    int x0, y0, cell_x, cell_y, first, last, z0, end;
};

template <class SHAPE>
__device__ inline struct order_place order_place_of(const struct order_box<SHAPE::P> &box)
{
    const int tiles = box.tiles_x * box.tiles_y;
    const int chunk = (int)blockIdx.x / tiles, tile = (int)blockIdx.x % tiles;
    const int x = tile % box.tiles_x, y = tile / box.tiles_x;
    const int first = (int)((int64_t)box.cells * chunk / box.chunks);
    const int last = (int)((int64_t)box.cells * (chunk + 1) / box.chunks);
    const int end = SHAPE::P * last - SHAPE::shift(box, 2);
    return {x * SHAPE::X - SHAPE::shift(box, 0),
            y * SHAPE::Y - SHAPE::shift(box, 1),
            x * (SHAPE::X / SHAPE::P),
            y * (SHAPE::Y / SHAPE::P),
            first,
            last,
            SHAPE::P * first - SHAPE::shift(box, 2),
            SHAPE::period(box, 2) ? end : min(box.high, end)};
}

/* The kernel of a mode; RELAX: of all products, by an argument. */
constexpr enum mode order_kernel(enum mode m)
{
    return m == DIRECTION ? DIRECTION : updates(m) ? LATE : RELAX;
}

/* Ends a number of a product; returns its share of the sum. own: where the vector marched over
 * has it. */
__device__ inline double end_product(enum mode m, const struct fields &f, const struct scalars &s,
                                     int64_t i, real product, const real *own)
{
    real y = reads_b(m) ? f.b[i] - product : product;
    if (m == NORM)
        return (double)y * (double)y;
    if (m == RELAX) {
        y = f.c * (f.d ? f.d[i] * y : y) + f.on_x * *own;
        if (s.moves)
            y += f.on_y * f.y[i];
    }
    f.y[i] = y;
    return m == APPLY_DOT ? (double)*own * (double)y : 0.0;
}

/* The same of a step of CG. */
__device__ inline double end_step(const struct fields &f, const struct scalars &s, int64_t i,
                                  real product, const real *own)
{
    pack<1> p = {}, r = {f.r[i]}, x = {};
    if (s.moves)
        p.at[0] = *own;
    if (s.moves && !s.fresh)
        x.at[0] = f.solution[i];
    return end_line<LATE>(f, s, i, 1u, p, pack<1>{product}, r, x);
}

/* Ends plane z of the product in a column. own: that of the vector marched over, or NULL. */
template <enum mode KERNEL>
__device__ inline double end_plane(enum mode m, const struct order_vector &v,
                                   const struct fields &f, const struct scalars &s, int z, int at,
                                   real product, const real *own)
{
    const int64_t i = z * v.plane + at;
    own = own ? own : v.a + i;
    if constexpr (KERNEL == LATE)
        return end_step(f, s, i, product, own);
    else
        return end_product(m, f, s, i, product, own);
}

__device__ inline void fetch_number(const real *from)
{
    NV_IF_TARGET(NV_IS_DEVICE, (asm volatile("prefetch.global.L2 [%0];" ::"l"(from));))
}

/* Fetches what CG's results in a tile's P planes from z on need. */
template <class SHAPE>
__device__ inline void fetch_cell(const struct order_box<SHAPE::P> &box, const struct fields &f,
                                  bool moves, int x0, int y0, int z)
{
    constexpr int LINE = 128 / sizeof(real), ROW = (SHAPE::X + LINE - 1) / LINE;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < SHAPE::P * SHAPE::Y * ROW; i += SHAPE::THREADS) {
        const int x = max(x0 + i % ROW * LINE, 0), y = y0 + i / ROW % SHAPE::Y;
        const int to = z + i / ROW / SHAPE::Y;
        if (x >= box.n[0] || y < 0 || y >= box.n[1] || to < 0 || to >= box.n[2])
            continue;
        const int64_t at = to * box.plane + y * box.pitch + x;
        fetch_number(f.r + at);
        if (moves)
            fetch_number(f.solution + at);
    }
}

template <enum mode KERNEL, class SHAPE>
__device__ inline double order_march_chunk(enum mode m, const struct order_box<SHAPE::P> &box,
                                           const struct fields &f, const struct scalars &s,
                                           real *memory)
{
    constexpr int P = SHAPE::P, C = SHAPE::COLUMNS, X = SHAPE::X, Y = SHAPE::Y;
    constexpr int B = SHAPE::BATCH, THREADS = SHAPE::THREADS;
    constexpr bool EARLY = SHAPE::EARLY && KERNEL == LATE;
    using plane = order_plane<SHAPE, P>;
    using result = order_result<SHAPE>;
    const struct order_place me = order_place_of<SHAPE>(box);
    const struct order_vector v = {KERNEL == LATE ? s.own : f.x,
                                   nullptr,
                                   0,
                                   box.plane,
                                   box.low,
                                   box.high,
                                   box.n[2],
                                   SHAPE::period(box, 2)};
    real *const results = memory + 2 * B * plane::SIZE;
    struct order_part<SHAPE, P> part;
    real mass[C]; /* 0 where a column is no unknown */
    real below[C], sum_of[C][P + 1]; /* node 0 of the cell; the product in its planes so far */
    double sum = 0.0;
    int turn = 0;

    find_part<SHAPE, P>(box, me.x0, me.y0, &part);
#pragma unroll
    for (int c = 0; c < C; c++) {
        const int i = (int)threadIdx.x + c * THREADS;
        mass[c] = part.at[c] < 0 ? 0 : box.mass[0][me.x0 + i % X] * box.mass[1][me.y0 + i / X];
        below[c] = load_number<false>(v, me.z0 - 1, part.at[c]);
        sum_of[c][P] = 0;
    }
    copy_batch<SHAPE, P>(v, v.a, part, me.z0, me.end, order_planes<SHAPE>(0), memory);
#pragma unroll 1
    for (int cell = me.first; cell < me.last; cell++) {
        const real factor = box.factor[2][cell];
        const int z0 = P * cell - SHAPE::shift(box, 2);
        if (EARLY)
            fetch_cell<SHAPE>(box, f, s.moves, me.x0, me.y0, z0 - 1);
#pragma unroll
        for (int c = 0; c < C; c++) {
            const real to = factor * mass[c] * below[c];
            sum_of[c][0] = sum_of[c][P];
#pragma unroll
            for (int j = 0; j <= P; j++)
                sum_of[c][j] = box.k[j * (P + 1)] * to + (j == 0 ? sum_of[c][0] : (real)0);
        }
#pragma unroll
        for (int batch = 0; batch < SHAPE::BATCHES; batch++) {
            const int planes = order_planes<SHAPE>(batch), z = z0 + batch * B;
            real *const tile = memory + turn * B * plane::SIZE;
            turn ^= 1;
            settle_copies();
            __syncthreads();
            copy_batch<SHAPE, P>(v, v.a, part, z + planes, me.end,
                                 order_planes<SHAPE>((batch + 1) % SHAPE::BATCHES),
                                 memory + turn * B * plane::SIZE);
#pragma unroll
            for (int b = 0; b < planes; b++) {
                const int l = batch * B + b + 1;
#pragma unroll
                for (int c = 0; c < C; c++) {
                    const real own = part.holds(c) ? tile[b * plane::SIZE + part.to[c]] : (real)0;
                    const real to = factor * mass[c] * own;
#pragma unroll
                    for (int j = 0; j <= P; j++)
                        sum_of[c][j] += box.k[j * (P + 1) + l] * to;
                }
            }
            if (SHAPE::reaction(box) != 0) {
#pragma unroll
                for (int b = 0; b < planes; b++) {
                    const real m = SHAPE::reaction(box) * box.mass[2][z + b];
#pragma unroll
                    for (int c = 0; c < C; c++)
                        if (part.holds(c))
                            sum_of[c][batch * B + b + 1] +=
                                m * mass[c] * tile[b * plane::SIZE + part.to[c]];
                }
            }
            const int lines_x = planes * (X / P) * Y, lines_y = planes * (Y / P) * X;
#pragma unroll 1
            for (int task = (int)threadIdx.x; task < lines_x + lines_y; task += THREADS) {
                if (task < lines_x) {
                    const int y = task % Y, line = task / Y, cx = line % (X / P);
                    const int b = line / (X / P);
                    const real *const factors = box.factor[0] + me.cell_x + cx;
                    const real m = box.mass[1][me.y0 + y];
                    contract_cell<P>(box.k,
                                     tile + b * plane::SIZE + (y + 1) * plane::PITCH + P * cx, 1,
                                     m * factors[0], m * factors[1],
                                     results + b * result::SIZE + y * result::PITCH + P * cx, 1);
                } else {
                    const int x = (task - lines_x) % X, line = (task - lines_x) / X;
                    const int cy = line % (Y / P), b = line / (Y / P);
                    const real *const factors = box.factor[1] + me.cell_y + cy;
                    const real m = box.mass[0][me.x0 + x];
                    contract_cell<P>(box.k, tile + b * plane::SIZE + P * cy * plane::PITCH + x + 1,
                                     plane::PITCH, m * factors[0], m * factors[1],
                                     results + (B + b) * result::SIZE + P * cy * result::PITCH + x,
                                     result::PITCH);
                }
            }
            __syncthreads();
#pragma unroll
            for (int b = 0; b < planes; b++) {
                const real m = box.mass[2][z + b];
#pragma unroll
                for (int c = 0; c < C; c++) {
                    const int i = (int)threadIdx.x + c * THREADS;
                    const real *const at =
                        results + b * result::SIZE + i / X * result::PITCH + i % X;
                    if (i < SHAPE::OWN)
                        sum_of[c][batch * B + b + 1] += m * (at[0] + at[B * result::SIZE]);
                }
            }
        }
        /* the last batch is still in shared memory */
        constexpr int KEPT = (SHAPE::BATCHES - 1) * B;
        const real *const tile = memory + (turn ^ 1) * B * plane::SIZE;
#pragma unroll
        for (int c = 0; c < C; c++) {
            if (mass[c] == 0)
                continue;
#pragma unroll
            for (int j = 0; j < P; j++) {
                const int z = z0 + j - 1;
                const real *const own = j == 0 ? &below[c]
                                        : j <= KEPT
                                            ? nullptr
                                            : tile + (j - 1 - KEPT) * plane::SIZE + part.to[c];
                if ((j > 0 || cell > me.first) && (!SHAPE::OPEN || z >= 0) && z < box.n[2])
                    sum += end_plane<KERNEL>(m, v, f, s, z, part.at[c], sum_of[c][j], own);
            }
            below[c] = tile[(P - 1 - KEPT) * plane::SIZE + part.to[c]];
        }
    }
    /* the last plane, which has a row of the next chunk's first cell */
    const int z = P * me.last - SHAPE::shift(box, 2) - 1;
    if (z >= box.n[2])
        return sum;
    const real factor = box.factor[2][me.last];
#pragma unroll
    for (int c = 0; c < C; c++) {
        if (mass[c] == 0)
            continue;
        real row = box.k[0] * below[c];
#pragma unroll
        for (int a = 1; a <= P; a++)
            row += box.k[a] * load_number<false>(v, z + a, part.at[c]);
        sum += end_plane<KERNEL>(m, v, f, s, z, part.at[c], sum_of[c][P] + factor * mass[c] * row,
                                 &below[c]);
    }
    return sum;
}

template <class SHAPE>
__device__ inline double order_direction_chunk(const struct order_box<SHAPE::P> &box,
                                               const struct fields &f, const struct scalars &s,
                                               real *memory)
{
    constexpr int P = SHAPE::P, C = SHAPE::COLUMNS, X = SHAPE::X, Y = SHAPE::Y;
    constexpr int B = SHAPE::BATCH, THREADS = SHAPE::THREADS;
    using plane = order_plane<SHAPE, 0>;
    const struct order_place me = order_place_of<SHAPE>(box);
    const struct order_vector v = {f.z,     s.before, s.beta,   box.plane,
                                   box.low, box.high, box.n[2], SHAPE::period(box, 2)};
    struct order_part<SHAPE, 0> part;
    real *const before = memory + 2 * B * plane::SIZE;
    real mass[C], own[C][P + 1];
    double sum = 0.0;
    int turn = 0;

    find_part<SHAPE, 0>(box, me.x0, me.y0, &part);
#pragma unroll
    for (int c = 0; c < C; c++) {
        const int i = (int)threadIdx.x + c * THREADS;
        mass[c] = part.at[c] < 0 ? 0 : box.mass[0][me.x0 + i % X] * box.mass[1][me.y0 + i / X];
        own[c][P] = load_number<true>(v, me.z0 - 1, part.at[c]);
        if (me.first == 0 && box.low < 0 && part.at[c] >= 0)
            s.own[part.at[c] + (me.z0 - 1) * box.plane] = own[c][P];
        for (int z = me.end; z < box.high && me.last == box.cells && part.at[c] >= 0; z++)
            s.own[z * box.plane + part.at[c]] = load_number<true>(v, z, part.at[c]);
    }
    copy_batch<SHAPE, 0>(v, v.a, part, me.z0, me.end, order_planes<SHAPE>(0), memory);
    copy_batch<SHAPE, 0>(v, v.b, part, me.z0, me.end, order_planes<SHAPE>(0), before);
#pragma unroll 1
    for (int cell = me.first; cell < me.last; cell++) {
        const int z0 = P * cell - SHAPE::shift(box, 2);
        real energy[C];
#pragma unroll
        for (int c = 0; c < C; c++) {
            own[c][0] = own[c][P];
            energy[c] = energy_share<P>(box.k, own[c], 0);
        }
#pragma unroll
        for (int batch = 0; batch < SHAPE::BATCHES; batch++) {
            const int planes = order_planes<SHAPE>(batch), z = z0 + batch * B;
            real *const tile = memory + turn * B * plane::SIZE;
            turn ^= 1;
            settle_copies(); /* its own, which it combines */
#pragma unroll
            for (int b = 0; b < planes; b++) {
                const int l = batch * B + b + 1;
#pragma unroll
                for (int c = 0; c < part.ALL; c++) {
                    real now = 0;
                    if (part.holds(c)) {
                        const int to = b * plane::SIZE + part.to[c];
                        /* beta = 0: before is z, which leaves it */
                        tile[to] = now = tile[to] + v.beta * before[to];
                    }
                    if (c < C) {
                        if (mass[c] != 0 && z + b >= box.low && z + b < box.high)
                            s.own[(z + b) * box.plane + part.at[c]] = now;
                        own[c][l] = now;
                        energy[c] += energy_share<P>(box.k, own[c], l);
                    }
                }
            }
            __syncthreads();
            const int next = order_planes<SHAPE>((batch + 1) % SHAPE::BATCHES);
            copy_batch<SHAPE, 0>(v, v.a, part, z + planes, me.end, next,
                                 memory + turn * B * plane::SIZE);
            copy_batch<SHAPE, 0>(v, v.b, part, z + planes, me.end, next, before);
            const int lines_x = planes * (X / P) * Y, lines_y = planes * (Y / P) * X;
#pragma unroll 1
            for (int task = (int)threadIdx.x; task < lines_x + lines_y; task += THREADS) {
                const bool along_x = task < lines_x;
                real m, of;
                if (along_x) {
                    const int y = task % Y, line = task / Y, cx = line % (X / P);
                    const int b = line / (X / P);
                    m = box.mass[1][me.y0 + y] * box.factor[0][me.cell_x + cx] * box.mass[2][z + b];
                    of = energy_of_cell<P>(
                        box.k, tile + b * plane::SIZE + (y + 1) * plane::PITCH + P * cx, 1);
                } else {
                    const int x = (task - lines_x) % X, line = (task - lines_x) / X;
                    const int cy = line % (Y / P), b = line / (Y / P);
                    m = box.mass[0][me.x0 + x] * box.factor[1][me.cell_y + cy] * box.mass[2][z + b];
                    of = energy_of_cell<P>(box.k,
                                           tile + b * plane::SIZE + P * cy * plane::PITCH + x + 1,
                                           plane::PITCH);
                }
                sum += (double)(m * of);
            }
        }
        const real factor = box.factor[2][cell];
#pragma unroll
        for (int c = 0; c < C; c++)
            sum += (double)(factor * mass[c] * energy[c]);
        if (SHAPE::reaction(box) != 0) {
#pragma unroll
            for (int l = 1; l <= P; l++) {
                const real m = SHAPE::reaction(box) * box.mass[2][z0 + l - 1];
#pragma unroll
                for (int c = 0; c < C; c++)
                    sum += (double)(m * mass[c] * own[c][l] * own[c][l]);
            }
        }
    }
    return sum;
}

/* As `march`, which see. */
template <enum mode KERNEL, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::FIT)
    order_march(const __grid_constant__ struct order_box<SHAPE::P> box, enum mode m,
                const struct fields f, struct cgs_cg_state *state, bool concludes, enum cgs_sum sum,
                const struct cgs_sum_way way, double *partials, unsigned *tickets)
{
    CGS_DYNAMIC_SHARED(real, order_memory);
    __shared__ struct scalars s; /* not in registers, which the march needs */
    __shared__ bool goes_on;
    double mine, total;

    cgs_let_next_start();
    cgs_wait_for_previous();
    if (threadIdx.x == 0)
        goes_on = KERNEL == LATE && m == UPDATE ? read_state<UPDATE>(state, f, &s)
                                                : read_state<KERNEL>(state, f, &s);
    __syncthreads();
    if (!goes_on)
        return;
    if constexpr (KERNEL == DIRECTION)
        mine = order_direction_chunk<SHAPE>(box, f, s, order_memory);
    else
        mine = order_march_chunk<KERNEL, SHAPE>(m, box, f, s, order_memory);
    if (!sums_up(m) || !cgs_grid_sum<SHAPE::THREADS>(mine, partials, tickets, &total))
        return;
    if constexpr (KERNEL == RELAX)
        end_march<NORM>(state, s, concludes, sum, way, total);
    else
        end_march<KERNEL>(state, s, concludes && m != UPDATE, sum, way, total);
}

} // namespace
