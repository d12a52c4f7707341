/* Vector steps of the CUDA space: one kernel template, and one small struct a step.
 *
 * A step has begin(state), which evaluates its coefficients once a thread; load<W, EARLY>(i), which
 * reads W consecutive numbers of its operands from i on; and finish<W>(i, operands), which
 * computes, writes, and returns their share of the step's sum. W is 16 bytes wide for the bulk and
 * 1 for the tail. END says what happens when all are done; a step may have its own `conclude`. With
 * BACKWARDS it runs from the end of its vectors to their beginning. Everything is local to the
 * including file; otherwise the builds for double and float would share names.
 */
#pragma once

#include <nv/target>

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/precision.h"

namespace
{

enum { WIDE = 16 / sizeof(real) };

/* Blocks per multiprocessor: as many as are resident at once, so that all threads run from start to
 * end; four times as many for long vectors, to balance the load (H200, N = 128: 8 and 32 blocks
 * give 28 and 31 us an update; N = 256: 209 and 197). */
enum { BLOCKS_SHORT = 2048 / CGS_THREADS, BLOCKS_LONG = 4 * BLOCKS_SHORT, LONG_WAY = 16 };

/* W consecutive numbers, moved by one access. */
template <int W> struct alignas(W * sizeof(real)) pack {
    real at[W];
};

/* EARLY: keeps the load at this place in the program (volatile), ahead of its use. */
template <int W, bool EARLY> __device__ inline pack<W> load_pack(const real *x, int64_t i)
{
    pack<W> p;
    if constexpr (EARLY && W == 4)
        NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                          (asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                                        : "=f"(p.at[0]), "=f"(p.at[1]), "=f"(p.at[2]), "=f"(p.at[3])
                                        : "l"(x + i));),
                          (p = *reinterpret_cast<const pack<W> *>(x + i);))
    else if constexpr (EARLY && W == 2)
        NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                          (asm volatile("ld.global.v2.f64 {%0, %1}, [%2];"
                                        : "=d"(p.at[0]), "=d"(p.at[1])
                                        : "l"(x + i));),
                          (p = *reinterpret_cast<const pack<W> *>(x + i);))
    else
        p = *reinterpret_cast<const pack<W> *>(x + i);
    return p;
}

template <int W> __device__ inline void store_pack(real *x, int64_t i, const pack<W> &p)
{
    *reinterpret_cast<pack<W> *>(x + i) = p;
}

__device__ inline double load_early(const double *p)
{
    double v;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (asm volatile("ld.global.f64 %0, [%1];"
                                    : "=d"(v)
                                    : "l"(p));),
                      (v = *p;))
    return v;
}

__device__ inline int32_t load_early(const int32_t *p)
{
    int32_t v;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (asm volatile("ld.global.s32 %0, [%1];"
                                    : "=r"(v)
                                    : "l"(p));),
                      (v = *p;))
    return v;
}

/* Reads all scalars of the coefficients at once: on small vectors a step is a chain of latencies.
 * (Through the L1 cache: all threads read them, and volatile would send every thread to the same
 * place of the L2.) */
__device__ inline struct cgs_cg_state read_scalars(const struct cgs_cg_state *state)
{
    struct cgs_cg_state now;
    now.reason = load_early(&state->reason);
    now.preconditioned = load_early(&state->preconditioned);
    now.rz = load_early(&state->rz);
    now.sums[CGS_SUM_PQ] = load_early(&state->sums[CGS_SUM_PQ]);
    now.sums[CGS_SUM_RR] = load_early(&state->sums[CGS_SUM_RR]);
    now.sums[CGS_SUM_RZ] = load_early(&state->sums[CGS_SUM_RZ]);
    now.sums[CGS_SUM_QZ] = load_early(&state->sums[CGS_SUM_QZ]);
    return now;
}

enum end { NOTHING, SUM, CONCLUDE };

template <class Step> __device__ inline void conclude(struct cgs_cg_state *state)
{
    if constexpr (requires { Step::conclude(state); })
        Step::conclude(state);
    else
        cgs_cg_conclude(state);
}

/* ONCE: the grid has a thread for every pack. This is for small vectors, limited by the chain of
 * latencies: operands and scalars are loaded together. */
template <class Step, bool ONCE>
__global__ void __launch_bounds__(CGS_THREADS)
    run(int64_t n, struct cgs_cg_state *state, Step step, double *partials, unsigned *tickets)
{
    const int64_t me = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x, packs = n / WIDE;
    decltype(step.template load<WIDE, ONCE>(0)) operands;
    struct cgs_cg_state now;
    double sum = 0.0, total;
    if (ONCE && me < packs)
        operands = step.template load<WIDE, true>(me * WIDE);
    if (state) {
        now = read_scalars(state);
        if (!cgs_cg_going_on(&now)) {
            if (Step::END == CONCLUDE && now.reason == CGS_ENDING && me == 0)
                conclude<Step>(state);
            return;
        }
    }
    step.begin(&now);
    if (ONCE && me < packs)
        sum = step.template finish<WIDE>(me * WIDE, operands);
    for (int64_t i = me; !ONCE && i < packs; i += (int64_t)gridDim.x * CGS_THREADS) {
        int64_t at = i * WIDE;
        if constexpr (requires { Step::BACKWARDS; })
            at = (packs - 1 - i) * WIDE;
        sum += step.template finish<WIDE>(at, step.template load<WIDE, false>(at));
    }
    if (me < n - packs * WIDE)
        sum += step.template finish<1>(packs * WIDE + me,
                                       step.template load<1, false>(packs * WIDE + me));
    if constexpr (Step::END == SUM) {
        if (cgs_grid_sum(sum, partials, tickets, &total))
            state->sums[step.sum] = total;
    }
    if constexpr (Step::END == CONCLUDE) {
        if (cgs_grid_last(tickets))
            conclude<Step>(state);
    }
}

/* Returns true if a step over n numbers has more threads than the device holds at once. */
static inline bool is_long(const struct cgs_queue *queue, int64_t n)
{
    const int64_t processors = cgs_cuda_device(queue)->properties.multiProcessorCount;
    return (n / WIDE + CGS_THREADS - 1) / CGS_THREADS > BLOCKS_SHORT * processors;
}

/* Queues a step over n numbers. */
template <class Step>
enum cgs_status launch(struct cgs_queue *queue, int64_t n, const struct cgs_cg_state *state,
                       const Step &step, const char *name)
{
    const int64_t processors = cgs_cuda_device(queue)->properties.multiProcessorCount;
    const int64_t wanted = (n / WIDE + CGS_THREADS - 1) / CGS_THREADS;
    const int64_t at_a_time = BLOCKS_SHORT * processors;
    const bool once = !is_long(queue, n), far = wanted > LONG_WAY * at_a_time;
    const int64_t most = processors * (far ? BLOCKS_LONG : BLOCKS_SHORT);
    const int64_t grid = wanted < 1 ? 1 : wanted < most ? wanted : most;
    return cgs_launch(queue, name, once ? run<Step, true> : run<Step, false>, grid, n,
                      const_cast<struct cgs_cg_state *>(state), step, queue->partials,
                      queue->ticket);
}

} // namespace
