/* CG iterations with the 27-point stencil in one kernel, for small boxes: all vectors stay on chip;
 * blocks communicate through the L2 cache, and with those of other ranks through NVLink.
 *
 * A block has whole lines of x: HIGH lines in y, DEPTH planes; a thread has one column of DEPTH
 * numbers of x, r, p and A p in registers. p is in shared memory, with a halo around the block's
 * part. An iteration:
 *     p = r + beta p     for its own numbers and the halo, whose r has come through the L2
 *     A p, p'A p         from shared memory; all blocks exchange their sums
 *     x, r, r'r          in registers, r to the L2; all blocks exchange their sums
 * so that blocks wait for each other twice, the second time also for their neighbours' r.
 *
 * An exchange: every block writes its sum to its own letter (peers.cuh) on each rank, reads all
 * letters here and adds them in the same order: the same bits everywhere, without contention on a
 * counter. Letters of even and odd exchanges alternate, since a block ahead may write the next one
 * while others still read.
 *
 * Planes of r next to a cut go to the other rank as letters, too, one a number, behind those of the
 * sums. They are overwritten after two exchanges, before the first of which they have been read.
 *
 * All blocks have the same scalars; block 0 of each rank concludes iterations and writes the state.
 * It signals a reason to stop with its next sum: by then the others have begun an iteration, which
 * they discard.
 */
#pragma once

#include "kernels/matrix_free/march.cuh"

namespace
{

constexpr int DEPTH = 4;            /* planes of a block */
constexpr int MOST_THREADS = 512;   /* of a block: 128 registers each */
constexpr int MOST_TOGETHER = 256;  /* blocks of a device */
constexpr unsigned STOP = 1u << 31; /* flag in the number of an exchange: block 0 stops */

/* Division of this rank's planes of the box: blocks of `high` lines and DEPTH planes, `wide`
 * threads a line; as many blocks on each rank, of which the last ones may have nothing. */
struct together {
    int n[2], wide, high; /* n: unknowns in x and y; 0: no division */
    int blocks_y, blocks_z;
    int planes, below, above; /* of this rank; 1: there is a rank below, above */
    int64_t pitch, plane;
    real c[8]; /* cgs_mesh_stencil */
};

/* Letters of a device alone, in its memory. */
struct meeting {
    char *there[1]; /* letters, as struct cgs_sum_way has them */
    unsigned turn;  /* exchanges done so far */
    struct cgs_letter letters[2][MOST_TOGETHER];
};

__host__ __device__ inline int blocks_of(const struct together &t)
{
    return t.blocks_y * t.blocks_z;
}

/* Place among the letters of an exchange of the number x = 0 of line y in the plane below this
 * rank's first one (side 0) or above its last (1). */
__host__ __device__ inline int64_t ghost_letter(const struct together &t, int ranks, int side,
                                                int y)
{
    return (int64_t)ranks * blocks_of(t) + ((int64_t)side * t.n[1] + y) * t.n[0];
}

template <bool SEVERAL> __device__ inline int ranks_of(const struct cgs_sum_way &way)
{
    return SEVERAL ? way.ranks : 1;
}

template <bool SEVERAL>
__device__ inline struct cgs_letter *letters_of(const struct cgs_sum_way &way, int rank,
                                                unsigned number)
{
    return (struct cgs_letter *)way.there[SEVERAL ? rank : 0] + (int64_t)(number & 1) * way.letters;
}

__device__ inline unsigned next(unsigned number)
{
    return (number + 1) & ~STOP;
}

__device__ inline bool has_come(const struct cgs_letter &l, unsigned number)
{
    return ((unsigned)(l.low >> 32) & ~STOP) == number &&
           ((unsigned)(l.high >> 32) & ~STOP) == number;
}

/* The sum of the letters of all blocks of all ranks, in all lanes of the warp that calls;
 * several are read at a time. *stop: one says so. */
template <bool SEVERAL>
__device__ inline double add_letters(const struct cgs_sum_way &way, unsigned number, bool *stop)
{
    enum { AT_ONCE = SEVERAL ? 2 : 1 };
    const struct cgs_letter *letters = letters_of<SEVERAL>(way, way.rank, number);
    const int lane = (int)threadIdx.x % LANES, blocks = (int)gridDim.x;
    const int count = ranks_of<SEVERAL>(way) * blocks;
    const int64_t begin = SEVERAL ? cgs_device_time() : 0;
    double sum = 0.0;
    bool says = false;
    for (int i = lane; i < count; i += AT_ONCE * LANES) {
        struct cgs_letter l[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (i + k * LANES < count)
                l[k] = cgs_look_at_letter(&letters[i + k * LANES]);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int at = i + k * LANES;
            if (at >= count)
                continue;
            while (!has_come(l[k], number)) {
                if (SEVERAL)
                    cgs_keep_waiting(way.patience, begin, at / blocks);
                NV_IF_ELSE_TARGET(NV_IS_DEVICE, (), (__nanosleep(0);)) /* emulated: others' turn */
                l[k] = cgs_look_at_letter(&letters[at]);
            }
            sum += cgs_letter_number(l[k]);
            says = says || (l[k].low >> 63) != 0;
        }
    }
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    *stop = __any_sync(0xffffffffu, says);
    return sum;
}

/* Shared memory for the sum over a block. */
struct gathering {
    double warps[MOST_THREADS / 32];
    double total;
    int stop;
    int64_t waited; /* nanoseconds that the first warp waited for letters, on several ranks */
    char *there[CGS_TREE_RUN]; /* the way's, nearer */
};

/* Sum over all threads of all blocks, the same bits in each; tells whether block 0 stops. If
 * `publish`, earlier writes of this device's blocks are visible afterwards. All threads call. */
template <bool SEVERAL>
__device__ inline double exchange(double mine, struct gathering *g, const struct cgs_sum_way &way,
                                  unsigned number, bool stop, bool publish)
{
    const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
    const int warps = (int)blockDim.x / LANES;
    for (int step = LANES / 2; step > 0; step /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, step);
    if (lane == 0)
        g->warps[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        double sum = lane < warps ? g->warps[lane] : 0.0;
        bool stops;
        for (int step = LANES / 2; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        stop = __any_sync(0xffffffffu, stop); /* the first thread knows */
        if (lane < ranks_of<SEVERAL>(way)) {
            if (publish)
                cgs_fence();
            const int own = SEVERAL ? way.rank * (int)gridDim.x + (int)blockIdx.x : (int)blockIdx.x;
            cgs_send_letter(letters_of<SEVERAL>(way, lane, number) + own, sum,
                            number | (stop ? STOP : 0));
        }
        const int64_t sent = SEVERAL ? cgs_device_time() : 0;
        const double all = add_letters<SEVERAL>(way, number, &stops);
        if (publish)
            cgs_fence();
        if (lane == 0) {
            g->total = all;
            g->stop = stops;
            if (SEVERAL)
                g->waited += cgs_device_time() - sent;
        }
    }
    __syncthreads();
    return g->total;
}

/* Registers of a thread. */
struct column {
    real x[DEPTH], r[DEPTH], p[DEPTH], before[DEPTH], q[DEPTH];
};

/* Halo of a block: lines of the box around its part, as offsets in shared memory and in a
 * vector; those of other ranks last, with places among the letters instead. */
struct around {
    int count, ghosts;
    int at[(MOST_THREADS / 32 + 2) * (DEPTH + 2)];
    int64_t from[(MOST_THREADS / 32 + 2) * (DEPTH + 2)];
};

/* Called by one thread. */
template <bool SEVERAL>
__device__ inline void find_around(const struct together &t, int ranks, int y0, int z0,
                                   struct around *around)
{
    const int line = t.wide + 2, lines = (t.high + 2) * (DEPTH + 2);
    around->count = around->ghosts = 0;
    for (int l = 0; l < (SEVERAL ? 2 : 1) * lines; l++) { /* own lines, then ghosts */
        const int ly = l % lines % (t.high + 2), lz = l % lines / (t.high + 2);
        const int y = y0 + ly - 1, z = z0 + lz - 1, at = around->count + around->ghosts;
        const bool own = z >= 0 && z < t.planes;
        const bool inner = own && ly >= 1 && ly <= t.high && lz >= 1 && lz <= DEPTH;
        if (inner || y < 0 || y >= t.n[1] || z < -t.below || z >= t.planes + t.above ||
            own != (l < lines))
            continue;
        around->at[at] = l % lines * line + 1;
        around->from[at] = own ? (int64_t)z * t.plane + (int64_t)y * t.pitch
                               : ghost_letter(t, ranks, z < 0 ? 0 : 1, y);
        own ? around->count++ : around->ghosts++;
    }
}

__device__ inline void renew(real news, double beta, real *p)
{
    *p = beta == 0.0 ? news : news + (real)beta * *p;
}

/* p = r + beta p in the halo; r through the L2 cache, where the owners have written it, or of
 * the letters of that number. */
template <bool SEVERAL>
__device__ inline void renew_around(const struct together &t, const struct around *around,
                                    const struct cgs_sum_way &way, unsigned number, const real *r,
                                    double beta, int x, int y, real *p)
{
    enum { AT_ONCE = 4 };
    if (x >= t.n[0])
        return;
    for (int l = y; l < around->count; l += AT_ONCE * t.high) {
        real news[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (l + k * t.high < around->count)
                news[k] = __ldcg(&r[around->from[l + k * t.high] + x]);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (l + k * t.high < around->count)
                renew(news[k], beta, &p[around->at[l + k * t.high] + x]);
    }
    for (int l = around->count + y; SEVERAL && l < around->count + around->ghosts; l += t.high) {
        const int64_t from = around->from[l];
        const int peer = from < ghost_letter(t, way.ranks, 1, 0) ? way.rank - 1 : way.rank + 1;
        const double news = cgs_await_letter(letters_of<true>(way, way.rank, number) + from + x,
                                             number, peer, way.patience);
        renew((real)news, beta, &p[around->at[l] + x]);
    }
}

/* Sends the number x of line y of a plane of this rank, z, if it is next to a cut. */
__device__ inline void send_border(const struct together &t, const struct cgs_sum_way &way,
                                   unsigned number, double value, int x, int y, int z)
{
    if (t.below && z == 0)
        cgs_send_letter(letters_of<true>(way, way.rank - 1, number) +
                            ghost_letter(t, way.ranks, 1, y) + x,
                        value, number);
    if (t.above && z == t.planes - 1)
        cgs_send_letter(letters_of<true>(way, way.rank + 1, number) +
                            ghost_letter(t, way.ranks, 0, y) + x,
                        value, number);
}

/* Adds to the time of the ranks; one thread of the device. Sums wait for the own device's
 * blocks, too; the wait for planes, which have mostly come with the sums, is not measured. */
__device__ inline void note_times(const struct together &t, const struct cgs_sum_way &way,
                                  const struct gathering *g, int exchanges, int64_t halos)
{
    way.times->sums += g->waited;
    way.times->waiting += g->waited;
    way.times->sum_count += exchanges;
    way.times->halo_count += halos;
    way.times->halo_bytes +=
        halos * (t.below + t.above) * t.n[0] * t.n[1] * (int64_t)sizeof(struct cgs_letter);
}

/* A p of the thread's column from shared memory: lines of wide + 2 numbers, zeros at both ends. */
template <bool CUBIC>
__device__ inline double column_product(const struct together &t, const real *p, int x, int y,
                                        struct column *c)
{
    const int line = t.wide + 2, plane = line * (t.high + 2);
    real p1_before = 0, done = 0;
    double sum = 0.0;
#pragma unroll
    for (int k = 0; k < DEPTH + 2; k++) {
        const real *a = p + k * plane + (y + 1) * line + x + 1;
        const real centre = a[0], sides = a[-1] + a[1], across = a[-line] + a[line];
        const real corners = a[-line - 1] + a[-line + 1] + a[line - 1] + a[line + 1];
        const real near = sides + across;
        const real p0 = CUBIC
                            ? t.c[0] * centre + t.c[1] * near + t.c[3] * corners
                            : t.c[0] * centre + t.c[1] * sides + t.c[2] * across + t.c[3] * corners;
        const real p1 = CUBIC
                            ? t.c[1] * centre + t.c[3] * near + t.c[7] * corners
                            : t.c[4] * centre + t.c[5] * sides + t.c[6] * across + t.c[7] * corners;
        if (k >= 2) {
            c->q[k - 2] = done + p1;
            sum += (double)c->p[k - 2] * (double)c->q[k - 2];
        }
        done = p0 + p1_before;
        p1_before = p1;
    }
    return sum;
}

/* CUBIC: numbers c of as many directions are equal. */
template <bool SEVERAL, bool CUBIC>
__global__ void __launch_bounds__(MOST_THREADS, 1)
    iterate_together(const struct together t, const struct fields f, struct cgs_cg_state *state,
                     int64_t iterations, const struct cgs_sum_way given)
{
    CGS_DYNAMIC_SHARED(double, shared);
    __shared__ struct gathering gathered;
    __shared__ struct cgs_cg_state now; /* of block 0 */
    __shared__ struct around around;
    real *p = reinterpret_cast<real *>(shared);
    const int x = (int)threadIdx.x % t.wide, y = (int)threadIdx.x / t.wide;
    const int y0 = (int)blockIdx.x % t.blocks_y * t.high, z0 = (int)blockIdx.x / t.blocks_y * DEPTH;
    const int line = t.wide + 2, plane = line * (t.high + 2), lines = (t.high + 2) * (DEPTH + 2);
    const bool in = x < t.n[0] && y0 + y < t.n[1]; /* the thread has a column; some planes may be
                                                outside */
    const int64_t at = (int64_t)z0 * t.plane + (int64_t)(y0 + y) * t.pitch + x;
    struct cgs_sum_way way = given;
    way.there = gathered.there;
    const unsigned begun = *way.turn & ~STOP;
    unsigned number = begun, sent = 0; /* number of the last exchange; of the last letters with r */
    struct column c;
    bool stop = false;

    if (!cgs_cg_going_on(state))
        return;
    double rz = state->rz, beta = state->beta;
    int64_t done = 0;
    const real *directions = cgs_cg_direction_in_q(state) ? f.q : f.p;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        now = *state;
    if ((int)threadIdx.x < ranks_of<SEVERAL>(given))
        gathered.there[threadIdx.x] = given.there[threadIdx.x];
    if (threadIdx.x == 0) {
        gathered.waited = 0;
        find_around<SEVERAL>(t, way.ranks, y0, z0, &around);
    }
    for (int i = (int)threadIdx.x; i < line * lines; i += (int)blockDim.x) {
        const int px = i % line - 1, py = i / line % (t.high + 2) - 1 + y0, pz = i / plane - 1 + z0;
        const bool inside =
            px >= 0 && px < t.n[0] && py >= 0 && py < t.n[1] && pz >= 0 && pz < t.planes;
        p[i] = inside ? directions[(int64_t)pz * t.plane + (int64_t)py * t.pitch + px] : (real)0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        const bool here = in && z0 + k < t.planes;
        c.x[k] = here ? f.solution[at + k * t.plane] : (real)0;
        c.r[k] = here ? f.r[at + k * t.plane] : (real)0;
        c.p[k] = p[(k + 1) * plane + (y + 1) * line + x + 1];
    }
    if (SEVERAL) { /* p and r of the ghosts; all ranks are here after the exchange */
        number = next(number);
#pragma unroll
        for (int k = 0; k < DEPTH; k++)
            if (in)
                send_border(t, way, number, (double)c.p[k], x, y0 + y, z0 + k);
        exchange<SEVERAL>(0.0, &gathered, way, number, false, false);
        renew_around<SEVERAL>(t, &around, way, number, directions, 0.0, x, y, p);
        sent = next(number);
#pragma unroll
        for (int k = 0; k < DEPTH; k++)
            if (in)
                send_border(t, way, sent, (double)c.r[k], x, y0 + y, z0 + k);
    }
    while (done < iterations) {
        /* p = r + beta p */
        renew_around<SEVERAL>(t, &around, way, sent, f.r, beta, x, y, p);
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            c.before[k] = c.p[k];
            c.p[k] = beta == 0.0 ? c.r[k] : c.r[k] + (real)beta * c.p[k];
            if (!SEVERAL || z0 + k < t.planes) /* else a ghost may be there */
                p[(k + 1) * plane + (y + 1) * line + x + 1] = c.p[k];
        }
        __syncthreads();
        const double pq_mine = column_product<CUBIC>(t, p, x, y, &c);
        number = next(number);
        const double pq = exchange<SEVERAL>(pq_mine, &gathered, way, number, stop, false);
        if (gathered.stop)
            break;
        const double alpha = pq > 0.0 && cgs_finite(pq) ? rz / pq : 0.0;
        number = next(number);
        sent = number;
        double rr_mine = 0.0;
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            const bool here = in && z0 + k < t.planes;
            c.x[k] += (real)alpha * c.p[k];
            c.r[k] = here ? c.r[k] - (real)alpha * c.q[k] : (real)0;
            rr_mine += (double)c.r[k] * (double)c.r[k];
            if (here)
                __stcg(&f.r[at + k * t.plane], c.r[k]);
            if (SEVERAL && here)
                send_border(t, way, sent, (double)c.r[k], x, y0 + y, z0 + k);
        }
        const double rr = exchange<SEVERAL>(rr_mine, &gathered, way, number, false, true);
        done += 1;
        beta = rz > 0.0 ? rr / rz : 0.0;
        rz = rr;
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            now.sums[CGS_SUM_PQ] = pq;
            now.sums[CGS_SUM_RR] = rr;
            cgs_cg_conclude(&now);
            stop = !cgs_cg_going_on(&now);
        }
    }
    const bool began = done < iterations; /* the last iteration is discarded */
    real *last = (cgs_cg_direction_in_q(state) + done) % 2 != 0 ? f.q : f.p;
#pragma unroll
    for (int k = 0; k < DEPTH; k++)
        if (in && z0 + k < t.planes) {
            f.solution[at + k * t.plane] = c.x[k];
            last[at + k * t.plane] = began ? c.before[k] : c.p[k];
        }
    /* Block 0 may write the state once all others have read it: they have before the first
     * exchange, except for the iteration number. */
    number = next(number);
    exchange<SEVERAL>(0.0, &gathered, way, number, false, false);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *state = now;
        *way.turn = number;
        if (SEVERAL)
            note_times(t, way, &gathered, (int)((number - begun) & ~STOP), done + 2);
    }
}

} // namespace
