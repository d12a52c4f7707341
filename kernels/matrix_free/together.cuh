/* CG iterations with the 27-point stencil in one kernel, for small cubes: all vectors stay on chip;
 * blocks communicate through the L2 cache.
 *
 * A block has whole lines of x: HIGH lines in y, DEPTH planes; a thread has one column of DEPTH
 * numbers of x, r, p and A p in registers. p is in shared memory, with a halo around the block's
 * part. An iteration:
 *     p = r + beta p     for its own numbers and the halo, whose r has come through the L2
 *     A p, p'A p         from shared memory; all blocks exchange their sums
 *     x, r, r'r          in registers, r to the L2; all blocks exchange their sums
 * so that blocks wait for each other twice, the second time also for their neighbours' r.
 *
 * An exchange: every block writes its sum to its own slot, reads all slots and adds them in the
 * same order: the same bits everywhere, without contention on a counter. A slot is two words of 64
 * bits, each with half of the sum and the number of the exchange, so that a half-written slot is
 * detected. Slots of even and odd exchanges alternate, since a block ahead may write the next one
 * while others still read.
 *
 * All blocks have the same scalars; block 0 alone concludes iterations and writes the state. It
 * signals a reason to stop with its next sum: by then the others have begun an iteration, which
 * they discard.
 */
#ifndef CGS_KERNELS_MATRIX_FREE_TOGETHER_CUH
#define CGS_KERNELS_MATRIX_FREE_TOGETHER_CUH

#include "kernels/matrix_free/march.cuh"

namespace {

constexpr int DEPTH = 4;          /* planes of a block */
constexpr int MOST_THREADS = 512; /* of a block: 128 registers each */
constexpr int MOST_TOGETHER = 256;  /* blocks: the threads that read an exchange, at most */
constexpr unsigned STOP = 1u << 31; /* flag in the number of an exchange: block 0 stops */

/* Division of the cube: blocks of `high` lines and DEPTH planes, `wide` threads a line. */
struct together {
    int n, wide, high;
    int blocks_y, blocks_z;
    int64_t pitch, plane;
    real c[4];
};

struct alignas(16) slot { /* written and read by one access */
    unsigned long long high, low;
};

/* Persistent data in device memory: slots of even and odd exchanges. */
struct meeting {
    unsigned exchanges; /* done so far */
    struct slot slots[2][MOST_TOGETHER];
};

__device__ inline void write_slot(struct slot *slot, double sum, unsigned number)
{
    const unsigned long long bits = (unsigned long long)__double_as_longlong(sum);
    const unsigned long long high = (bits & 0xffffffff00000000ull) | number;
    const unsigned long long low = bits << 32 | number;
    NV_IF_ELSE_TARGET(
        NV_IS_DEVICE,
        (asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(slot), "l"(high), "l"(low)
                      : "memory");),
        (*slot = {high, low};))
}

/* Waits for that exchange's sum; sets *stop if the slot says so. */
__device__ inline double read_slot(const struct slot *slot, unsigned number, bool *stop)
{
    unsigned long long high, low;
    do {
        NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                          (asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                                        : "=l"(high), "=l"(low)
                                        : "l"(slot)
                                        : "memory");),
                          (__nanosleep(0); high = slot->high; low = slot->low;))
    } while (((unsigned)high & ~STOP) != number || ((unsigned)low & ~STOP) != number);
    *stop = ((unsigned)high & STOP) != 0;
    return __longlong_as_double((long long)((high & 0xffffffff00000000ull) | low >> 32));
}

/* Shared memory for the sum over a block. */
struct gathering {
    double warps[MOST_THREADS / 32];
    double total;
    int stop;
};

/* Sum over all threads of all blocks, the same bits in each; tells whether block 0 stops. If
 * `publish`, earlier writes of the blocks are visible afterwards. All threads call. */
__device__ inline double exchange(double mine, struct gathering *g, struct meeting *meeting,
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
        struct slot *slots = meeting->slots[number & 1];
        double sum = lane < warps ? g->warps[lane] : 0.0, all = 0.0;
        bool stops = false;
        for (int step = LANES / 2; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, step);
        if (lane == 0) {
            if (publish)
                cgs_fence();
            write_slot(&slots[blockIdx.x], sum, number | (stop ? STOP : 0));
        }
        for (int i = lane; i < (int)gridDim.x; i += LANES) {
            bool says;
            all += read_slot(&slots[i], number, &says);
            stops = stops || says;
        }
        if (publish)
            cgs_fence();
        for (int step = LANES / 2; step > 0; step /= 2)
            all += __shfl_xor_sync(0xffffffffu, all, step);
        stops = __any_sync(0xffffffffu, stops);
        if (lane == 0) {
            g->total = all;
            g->stop = stops;
        }
    }
    __syncthreads();
    return g->total;
}

/* Registers of a thread. */
struct column {
    real x[DEPTH], r[DEPTH], p[DEPTH], before[DEPTH], q[DEPTH];
};

/* Halo of a block: lines of the cube around its part, as offsets in shared memory and in a
 * vector. */
struct around {
    int count;
    int at[(MOST_THREADS / 32 + 2) * (DEPTH + 2)];
    int64_t from[(MOST_THREADS / 32 + 2) * (DEPTH + 2)];
};

/* Called by one thread. */
__device__ inline void find_around(const struct together &t, int y0, int z0, struct around *around)
{
    const int line = t.wide + 2;
    around->count = 0;
    for (int l = 0; l < (t.high + 2) * (DEPTH + 2); l++) {
        const int ly = l % (t.high + 2), lz = l / (t.high + 2), y = y0 + ly - 1, z = z0 + lz - 1;
        const bool own = ly >= 1 && ly <= t.high && lz >= 1 && lz <= DEPTH;
        if (own || y < 0 || y >= t.n || z < 0 || z >= t.n)
            continue;
        around->at[around->count] = l * line + 1;
        around->from[around->count] = (int64_t)z * t.plane + (int64_t)y * t.pitch;
        around->count++;
    }
}

/* p = r + beta p in the halo; r through the L2 cache, where the owners have written it. */
__device__ inline void renew_around(const struct together &t, const struct around *around,
                                    const real *r, double beta, int x, int y, real *p)
{
    enum { AT_ONCE = 4 };
    if (x >= t.n)
        return;
    for (int l = y; l < around->count; l += AT_ONCE * t.high) {
        real news[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (l + k * t.high < around->count)
                news[k] = __ldcg(&r[around->from[l + k * t.high] + x]);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (l + k * t.high < around->count) {
                real *to = &p[around->at[l + k * t.high] + x];
                *to = beta == 0.0 ? news[k] : news[k] + (real)beta * *to;
            }
    }
}

/* A p of the thread's column from shared memory: lines of wide + 2 numbers, zeros at both ends. */
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
        const real p0 = t.c[0] * centre + t.c[1] * near + t.c[2] * corners;
        const real p1 = t.c[1] * centre + t.c[2] * near + t.c[3] * corners;
        if (k >= 2) {
            c->q[k - 2] = done + p1;
            sum += (double)c->p[k - 2] * (double)c->q[k - 2];
        }
        done = p0 + p1_before;
        p1_before = p1;
    }
    return sum;
}

__global__ void __launch_bounds__(MOST_THREADS, 1)
    iterate_together(const struct together t, const struct fields f, struct cgs_cg_state *state,
                     int64_t iterations, struct meeting *meeting)
{
    CGS_DYNAMIC_SHARED(double, shared);
    __shared__ struct gathering gathered;
    __shared__ struct cgs_cg_state now; /* of block 0 */
    __shared__ struct around around;
    real *p = reinterpret_cast<real *>(shared);
    const int x = (int)threadIdx.x % t.wide, y = (int)threadIdx.x / t.wide;
    const int y0 = (int)blockIdx.x % t.blocks_y * t.high, z0 = (int)blockIdx.x / t.blocks_y * DEPTH;
    const int line = t.wide + 2, plane = line * (t.high + 2), lines = (t.high + 2) * (DEPTH + 2);
    const bool in = x < t.n && y0 + y < t.n; /* the thread has a column; some planes may be
                                                outside */
    const int64_t at = (int64_t)z0 * t.plane + (int64_t)(y0 + y) * t.pitch + x;
    const unsigned begun = meeting->exchanges;
    unsigned number = begun;
    struct column c;
    bool stop = false;

    if (!cgs_cg_going_on(state))
        return;
    double rz = state->rz, beta = state->beta;
    int64_t done = 0;
    const real *directions = cgs_cg_direction_in_q(state) ? f.q : f.p;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        now = *state;
    if (threadIdx.x == 0)
        find_around(t, y0, z0, &around);
    for (int i = (int)threadIdx.x; i < line * lines; i += (int)blockDim.x) {
        const int px = i % line - 1, py = i / line % (t.high + 2) - 1 + y0, pz = i / plane - 1 + z0;
        const bool inside = px >= 0 && px < t.n && py >= 0 && py < t.n && pz >= 0 && pz < t.n;
        p[i] = inside ? directions[(int64_t)pz * t.plane + (int64_t)py * t.pitch + px] : (real)0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        const bool here = in && z0 + k < t.n;
        c.x[k] = here ? f.solution[at + k * t.plane] : (real)0;
        c.r[k] = here ? f.r[at + k * t.plane] : (real)0;
        c.p[k] = p[(k + 1) * plane + (y + 1) * line + x + 1];
    }
    while (done < iterations) {
        /* p = r + beta p */
        renew_around(t, &around, f.r, beta, x, y, p);
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            c.before[k] = c.p[k];
            c.p[k] = beta == 0.0 ? c.r[k] : c.r[k] + (real)beta * c.p[k];
            p[(k + 1) * plane + (y + 1) * line + x + 1] = c.p[k];
        }
        __syncthreads();
        const double pq_mine = column_product(t, p, x, y, &c);
        const double pq = exchange(pq_mine, &gathered, meeting, ++number, stop, false);
        if (gathered.stop)
            break;
        const double alpha = pq > 0.0 && cgs_finite(pq) ? rz / pq : 0.0;
        double rr_mine = 0.0;
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            const bool here = in && z0 + k < t.n;
            c.x[k] += (real)alpha * c.p[k];
            c.r[k] = here ? c.r[k] - (real)alpha * c.q[k] : (real)0;
            rr_mine += (double)c.r[k] * (double)c.r[k];
            if (here)
                __stcg(&f.r[at + k * t.plane], c.r[k]);
        }
        const double rr = exchange(rr_mine, &gathered, meeting, ++number, false, true);
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
        if (in && z0 + k < t.n) {
            f.solution[at + k * t.plane] = c.x[k];
            last[at + k * t.plane] = began ? c.before[k] : c.p[k];
        }
    /* Block 0 may write the state once all others have read it: they have before the first
     * exchange, except for the iteration number. */
    exchange(0.0, &gathered, meeting, ++number, false, false);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *state = now;
        meeting->exchanges = number & ~STOP;
    }
}

} // namespace

#endif
