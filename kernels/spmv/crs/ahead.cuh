/* Asynchronous copies of entries into a warp's shared memory.
 *
 * These need no registers and bypass the L1 cache, which is left to x: shared memory alone limits
 * the bytes in flight. Buffers are private to a warp: no block barrier. By architecture (PTX ISA):
 *     sm_90   cp.async.bulk: one thread requests a whole piece, a barrier in shared memory signals
 *             its arrival (with BULK; else as sm_80)
 *     sm_80   cp.async, 16 bytes a thread
 *     older   ordinary loads and stores
 */
#pragma once

#include <nv/target>

#include "kernels/device/sum.cuh"

namespace {

/* Tunable: whether to copy whole pieces. */
constexpr bool BULK = true;

constexpr int PIECE = 16; /* bytes: unit of copies */

/* Barrier in shared memory on which a warp waits for the copies of one stage. */
struct arrival {
    uint64_t barrier;
};

/* Initialises the barriers before first use; called by one thread, followed by a block barrier. */
__device__ inline void arrivals_start(struct arrival *arrivals, int count)
{
    NV_IF_TARGET(NV_PROVIDES_SM_90, (
        for (int i = 0; i < count; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                         :: "r"((unsigned)__cvta_generic_to_shared(&arrivals[i])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");))
}

/* Announces, from one thread, that `bytes` will arrive in this phase. */
__device__ inline void expect_bytes(struct arrival *arrival, int bytes)
{
    NV_IF_TARGET(NV_PROVIDES_SM_90, (
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :: "r"((unsigned)__cvta_generic_to_shared(arrival)), "r"(bytes) : "memory");))
}

/* Requests `bytes`, a multiple of PIECE, from one thread. */
__device__ inline void order(void *to, const void *from, int bytes, struct arrival *arrival,
                             uint64_t hint)
{
    NV_IF_TARGET(NV_PROVIDES_SM_90, (
        const unsigned at = (unsigned)__cvta_generic_to_shared(to);
        const unsigned barrier = (unsigned)__cvta_generic_to_shared(arrival);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".L2::cache_hint [%0], [%1], %2, [%3], %4;"
                     :: "r"(at), "l"(from), "r"(bytes), "r"(barrier), "l"(hint) : "memory");))
}

/* Copies by all threads, PIECE bytes each at a time. */
__device__ inline void copy_pieces(void *to, const void *from, int bytes, uint64_t hint)
{
    for (int at = (int)(threadIdx.x % CGS_WARP) * PIECE; at < bytes; at += (int)CGS_WARP * PIECE) {
        char *piece = (char *)to + at;
        const char *source = (const char *)from + at;
        NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (
            const unsigned address = (unsigned)__cvta_generic_to_shared(piece);
            asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
                         :: "r"(address), "l"(source), "l"(hint) : "memory");),
            (*(int4 *)piece = __ldg((const int4 *)source);))
    }
}

__device__ inline int whole_pieces(int bytes)
{
    return (bytes + PIECE - 1) / PIECE * PIECE;
}

__device__ inline void pieces_ahead(void *to1, const void *from1, int bytes1, void *to2,
                                    const void *from2, int bytes2, uint64_t hint)
{
    copy_pieces(to1, from1, bytes1, hint);
    copy_pieces(to2, from2, bytes2, hint);
    NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.commit_group;" ::: "memory");))
}

__device__ inline void order_ahead(void *to1, const void *from1, int bytes1, void *to2,
                                   const void *from2, int bytes2, struct arrival *arrival,
                                   uint64_t hint)
{
    if (threadIdx.x % CGS_WARP != 0)
        return;
    expect_bytes(arrival, bytes1 + bytes2);
    if (bytes1 > 0)
        order(to1, from1, bytes1, arrival, hint);
    if (bytes2 > 0)
        order(to2, from2, bytes2, arrival, hint);
}

/* Starts the copies of one stage, two arrays, with ends rounded up to whole pieces. All addresses
 * are multiples of PIECE. hint: their L2 cache policy (cached.cuh). */
__device__ inline void copy_ahead(void *to1, const void *from1, int bytes1, void *to2,
                                  const void *from2, int bytes2, struct arrival *arrival,
                                  uint64_t hint)
{
    bytes1 = whole_pieces(bytes1);
    bytes2 = whole_pieces(bytes2);
    if constexpr (BULK) {
        NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90,
            (order_ahead(to1, from1, bytes1, to2, from2, bytes2, arrival, hint);),
            (pieces_ahead(to1, from1, bytes1, to2, from2, bytes2, hint);))
    } else {
        pieces_ahead(to1, from1, bytes1, to2, from2, bytes2, hint);
    }
}

/* Returns true if the phase of this parity is over: all its bytes have arrived. */
__device__ inline bool has_arrived(struct arrival *arrival, unsigned parity)
{
    unsigned done = 1;
    NV_IF_TARGET(NV_PROVIDES_SM_90, (
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"((unsigned)__cvta_generic_to_shared(arrival)), "r"(parity) : "memory");))
    return done != 0;
}

__device__ inline bool bulk_here()
{
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (return BULK;), (return false;))
}

/* Waits until the oldest stage is filled and visible to the warp; LATER stages may still be in
 * flight. use: number of earlier waits for this arrival. */
template <int LATER> __device__ inline void wait_for_stage(struct arrival *arrival, unsigned use)
{
    if (bulk_here()) {
        while (!has_arrived(arrival, use & 1))
            ;
    } else {
        NV_IF_TARGET(NV_PROVIDES_SM_80,
                     (asm volatile("cp.async.wait_group %0;" :: "n"(LATER) : "memory");))
    }
    __syncwarp();
}

} // namespace
