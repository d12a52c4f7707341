/* Entries on their way into shared memory while their warp does something else: asynchronous copies
 * (PTX ISA, "cp.async", sm_80 and later; ordinary loads and stores before).
 *
 * They need no registers and pass the L1 cache by, which is left to x: what is under way is limited
 * by shared memory alone. All are a warp's own: no barrier of the block.
 */
#ifndef CGS_KERNELS_AHEAD_CUH
#define CGS_KERNELS_AHEAD_CUH

#include <nv/target>

#include "kernels/device/sum.cuh"

namespace
{

enum { PIECE_BYTES = 16 };

/* 16 bytes, of which the first `bytes` are read and the others set to 0. */
template <bool HINT>
__device__ inline void piece_ahead(char *to, const char *from, int bytes, uint64_t hint)
{
    NV_IF_ELSE_TARGET(
        NV_PROVIDES_SM_80,
        (const unsigned at = (unsigned)__cvta_generic_to_shared(to);
         if constexpr (HINT) asm volatile(
             "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(at),
             "l"(from), "r"(bytes), "l"(hint)
             : "memory");
         else asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from),
                           "r"(bytes)
                           : "memory");),
        (for (int i = 0; i < bytes; i += 4) * (float *)(to + i) =
             __ldg((const float *)(from + i));))
}

/* The warp begins to copy `bytes` (a multiple of 4) from `from` to `to`, both at multiples of 16.
 */
template <bool HINT>
__device__ inline void copy_ahead(void *to, const void *from, int bytes, uint64_t hint)
{
    const int first = (int)(threadIdx.x % CGS_WARP) * PIECE_BYTES;
#pragma unroll 4
    for (int at = first; at < bytes; at += (int)CGS_WARP * PIECE_BYTES)
        piece_ahead<HINT>((char *)to + at, (const char *)from + at,
                          min(bytes - at, PIECE_BYTES + 0), hint);
}

/* What has been begun since the last time is one batch. */
__device__ inline void end_batch()
{
    NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.commit_group;" ::: "memory");))
}

/* Until all of the warp's batches but the last `LATER` have arrived, for the whole warp to see. */
template <int LATER> __device__ inline void wait_for_batch()
{
    NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.wait_group %0;" ::"n"(LATER)
                                                  : "memory");))
    __syncwarp();
}

} // namespace

#endif
