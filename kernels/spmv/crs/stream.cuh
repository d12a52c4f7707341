/* Loads of entries in kernels with several threads a row: a thread's bytes are part of a cache line
 * that its neighbours, or its own next loads, need too. So, unlike SELL's (cached.cuh), they go
 * through the L1 cache with first eviction priority; the L2 policy is as there.
 */
#pragma once

#include "kernels/spmv/cached.cuh"

namespace {

/* L2 policy of a row's entries: keep or stream. If the matrix is far larger than the L2 cache they
 * are evicted first: 4 % faster on the Q1 matrix (H200, 2026-11-21). */
__device__ inline uint64_t stream_hint(enum hints hints, bool stay)
{
    uint64_t hint = 0;
    if (hints != NO_HINTS)
        return cache_hint(stay);
    NV_IF_TARGET(NV_PROVIDES_SM_80, (asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;"
                                         : "=l"(hint));))
    return hint;
}

/* Loads *to = *p if left > at, else leaves it unchanged: the loads of a batch follow each other
 * without a branch, at constant offsets from one address. Not `.nc`: ptxas moves such loads across
 * __syncwarp() and the wait for the previous kernel, so that loads of entries would wait for a
 * column whose x is requested first. */
#define CGS_PREDICATED(left, at, load)                                                             \
    "{.reg .pred there; setp.gt.s32 there, " left ", " at "; @there ld.global." load ";}"
#define CGS_STREAMED(ptx, to, left, at, from, hint)                                                \
    CGS_PREDICATED(left, at, "L1::evict_first.L2::cache_hint." ptx " " to ", [" from "], " hint)

#define CGS_STREAM_LOAD(type, text, ...)                                                           \
    __device__ inline void stream_load(type *to, const type *p, int left, int at, uint64_t hint)   \
    {                                                                                              \
        type &v = *to;                                                                             \
        NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,                                                       \
                          (asm volatile(text:__VA_ARGS__                                           \
                                        : "r"(left), "r"(at), "l"(p), "l"(hint));),                \
                          (if (left > at) v = __ldcs(p);))                                         \
    }
CGS_STREAM_LOAD(double, CGS_STREAMED("f64", "%0", "%1", "%2", "%3", "%4"), "+d"(v))
CGS_STREAM_LOAD(float, CGS_STREAMED("f32", "%0", "%1", "%2", "%3", "%4"), "+f"(v))
CGS_STREAM_LOAD(int32_t, CGS_STREAMED("s32", "%0", "%1", "%2", "%3", "%4"), "+r"(v))
CGS_STREAM_LOAD(double2, CGS_STREAMED("v2.f64", "{%0, %1}", "%2", "%3", "%4", "%5"), "+d"(v.x),
                "+d"(v.y))
CGS_STREAM_LOAD(float4, CGS_STREAMED("v4.f32", "{%0, %1, %2, %3}", "%4", "%5", "%6", "%7"),
                "+f"(v.x), "+f"(v.y), "+f"(v.z), "+f"(v.w))
CGS_STREAM_LOAD(int4, CGS_STREAMED("v4.s32", "{%0, %1, %2, %3}", "%4", "%5", "%6", "%7"), "+r"(v.x),
                "+r"(v.y), "+r"(v.z), "+r"(v.w))

/* Loads a number of x in the same way. */
#define CGS_GATHER(type, ptx, constraint)                                                          \
    __device__ inline void gather(type *to, const type *p, int left, int at)                       \
    {                                                                                              \
        type &v = *to;                                                                             \
        NV_IF_ELSE_TARGET(NV_IS_DEVICE,                                                            \
                          (asm volatile(CGS_PREDICATED("%1", "%2", ptx " %0, [%3]")                \
                                        : constraint(v)                                            \
                                        : "r"(left), "r"(at), "l"(p));),                           \
                          (if (left > at) v = *p;))                                                \
    }
CGS_GATHER(double, "f64", "+d")
CGS_GATHER(float, "f32", "+f")

} // namespace
