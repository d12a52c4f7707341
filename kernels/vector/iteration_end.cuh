/* The second half of an unpreconditioned iteration in one kernel, for small vectors: x += alpha p,
 * r -= alpha q, r'r, then, after a grid-wide barrier, p = r + beta p, and the end.
 *
 * A kernel boundary costs about as much as moving some megabytes of cached vectors; instead, every
 * thread keeps its numbers of r and p in registers across the barrier. All blocks must be resident
 * at once (cooperative launch), so the vector has to be small, which is also where it pays (H200, N
 * = 64 double: 29.8 us an iteration with plain launches instead of 32.5). Traffic: reads p, q, x,
 * r, writes x, r, p: 7 vectors instead of 9.
 */
#pragma once

#include "kernels/vector/steps.cuh"

namespace {

/* Blocks resident on a multiprocessor of any architecture: 1024 threads. */
enum { BLOCKS_RESIDENT = 1024 / CGS_THREADS };

__device__ inline unsigned read_epoch(const unsigned *epoch)
{
    unsigned e;
    NV_IF_ELSE_TARGET(
        NV_IS_DEVICE,
        (asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(e) : "l"(epoch) : "memory");),
        (__nanosleep(0); e = *epoch;))
    return e;
}

/* Grid-wide sum: adds every block's share and returns the total to all threads. The epoch changes
 * once all blocks have arrived; earlier writes are visible afterwards. */
__device__ inline double meet(double mine, double *partials, unsigned *tickets, unsigned *epoch,
                              double *sum)
{
    const unsigned before = threadIdx.x == 0 ? read_epoch(epoch) : 0;
    double total;
    if (cgs_grid_sum(mine, partials, tickets, &total)) {
        *sum = total;
        NV_IF_ELSE_TARGET(
            NV_IS_DEVICE,
            (asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(epoch) : "memory");),
            (atomicAdd(epoch, 1u);))
    }
    if (threadIdx.x == 0)
        while (read_epoch(epoch) == before)
            ;
    __syncthreads();
    return __ldcg(sum);
}

/* W numbers of r and p, kept in registers between the two halves. */
template <int W> struct held {
    pack<W> r, p;
};

template <int W>
__device__ inline double first_half(int64_t i, real alpha, const pack<W> &q, real *x, real *r,
                                    pack<W> xi, held<W> &h)
{
    double sum = 0.0;
    for (int k = 0; k < W; k++) {
        xi.at[k] += alpha * h.p.at[k];
        h.r.at[k] -= alpha * q.at[k];
        sum += (double)h.r.at[k] * (double)h.r.at[k];
    }
    store_pack<W>(x, i, xi);
    store_pack<W>(r, i, h.r);
    return sum;
}

template <int W> __device__ inline void second_half(int64_t i, real beta, real *p, held<W> &h)
{
    for (int k = 0; k < W; k++)
        h.p.at[k] = beta * h.p.at[k] + h.r.at[k];
    store_pack<W>(p, i, h.p);
}

__global__ void __launch_bounds__(CGS_THREADS, BLOCKS_RESIDENT)
    iteration_end(int64_t n, struct cgs_cg_state *state, real *p, const real *q, real *x, real *r,
                  double *partials, unsigned *tickets, unsigned *epoch)
{
    const int64_t me = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x, packs = n / WIDE;
    const int64_t at = me * WIDE, tail = packs * WIDE + me;
    const bool bulk = me < packs, rest = tail < n;
    pack<WIDE> qi, xi;
    held<WIDE> h;
    held<1> t;
    double sum = 0.0;
    if (bulk) {
        h = {load_pack<WIDE, true>(r, at), load_pack<WIDE, true>(p, at)};
        qi = load_pack<WIDE, true>(q, at);
        xi = load_pack<WIDE, true>(x, at);
    }
    struct cgs_cg_state now = read_scalars(state);
    if (!cgs_cg_going_on(&now))
        return;
    const real alpha = (real)cgs_cg_alpha(&now);
    if (bulk)
        sum = first_half<WIDE>(at, alpha, qi, x, r, xi, h);
    if (rest) {
        t = {load_pack<1, false>(r, tail), load_pack<1, false>(p, tail)};
        sum += first_half<1>(tail, alpha, load_pack<1, false>(q, tail), x, r,
                             load_pack<1, false>(x, tail), t);
    }
    now.sums[CGS_SUM_RR] = meet(sum, partials, tickets, epoch, &state->sums[CGS_SUM_RR]);
    const real beta = (real)cgs_cg_beta(&now);
    if (bulk)
        second_half<WIDE>(at, beta, p, h);
    if (rest)
        second_half<1>(tail, beta, p, t);
    if (cgs_grid_last(tickets))
        cgs_cg_conclude(state);
}

/* Blocks of the kernel above for n numbers; 0 if they cannot all be resident. */
int64_t iteration_end_blocks(const struct cgs_queue *queue, int64_t n)
{
    const cudaDeviceProp *properties = &cgs_cuda_device(queue)->properties;
    const int64_t packs = n / WIDE + 1; /* one more for the tail */
    const int64_t blocks = ((n % WIDE ? packs : packs - 1) + CGS_THREADS - 1) / CGS_THREADS;
    const int64_t most = (int64_t)properties->multiProcessorCount * BLOCKS_RESIDENT;
    return blocks <= most && properties->cooperativeLaunch ? blocks : 0;
}

} // namespace
