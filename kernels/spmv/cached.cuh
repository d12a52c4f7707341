/* Which part of a matrix shall stay in the L2 cache between products: hints on the loads of its
 * entries (PTX ISA, "createpolicy" and ".level::cache_hint", sm_80 and later; no hints before).
 */
#ifndef CGS_KERNELS_CACHED_CUH
#define CGS_KERNELS_CACHED_CUH

#include <nv/target>

#include "kernels/device/cuda.cuh"

namespace {

/* Hints pay while the cache is a good part of the matrix, and what shall stay takes less than half
 * of the cache: vectors want to be there, too (H200, N = 64: flat from 16 to 32 of 60 MB). */
enum { PAYS_UP_TO = 4, KEEP_PERCENT = 40 };

/* How many rows from the first on shall stay; 0 where hints don't pay. */
int64_t kept_rows(const struct cgs_queue *queue, const struct cgs_matrix *matrix, int64_t entry)
{
    const cudaDeviceProp *p = &cgs_cuda_device(queue)->properties;
    const int64_t cache = p->l2CacheSize, bytes = matrix->stored * entry;
    if (p->major < 8 || bytes == 0 || bytes > PAYS_UP_TO * cache)
        return 0;
    const int64_t kept = cache * KEEP_PERCENT / 100;
    return kept >= bytes ? matrix->rows : (int64_t)((double)matrix->rows * (double)kept / (double)bytes);
}

/* What to say of a row's entries: stay, or pass by. */
__device__ inline uint64_t cache_hint(bool stay)
{
    uint64_t hint = 0;
    NV_IF_TARGET(NV_PROVIDES_SM_80, (
        if (stay) asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(hint));
        else asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(hint));))
    return hint;
}

/* One entry's value or column. With a hint it leaves the L1 cache to x. EARLY: the load stays where
 * it is written, so that it is under way while the thread waits for something else. */
#define CGS_LOAD_ENTRY(type, ptx, constraint)                                                      \
    template <bool HINT, bool EARLY> __device__ inline type load_entry(const type *p,              \
                                                                       uint64_t hint)              \
    {                                                                                              \
        type v;                                                                                    \
        if constexpr (HINT) {                                                                      \
            NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,                                                   \
                              (asm volatile(CGS_HINTED ptx " %0, [%1], %2;"                        \
                                            : "=" constraint(v)                                    \
                                            : "l"(p), "l"(hint));),                                \
                              (v = __ldg(p);))                                                     \
        } else if constexpr (EARLY) {                                                              \
            asm volatile("ld.global.nc." ptx " %0, [%1];" : "=" constraint(v) : "l"(p));           \
        } else {                                                                                   \
            v = __ldg(p);                                                                          \
        }                                                                                          \
        return v;                                                                                  \
    }
#define CGS_HINTED "ld.global.nc.L1::no_allocate.L2::cache_hint."

CGS_LOAD_ENTRY(double, "f64", "d")
CGS_LOAD_ENTRY(float, "f32", "f")
CGS_LOAD_ENTRY(int32_t, "s32", "r")

} // namespace

#endif
