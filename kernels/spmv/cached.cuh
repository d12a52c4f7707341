/* L2 cache policy of a matrix during and between products: hints on the loads of entries (PTX ISA,
 * "createpolicy" and ".level::cache_hint", sm_80 and later; no hints before).
 *
 * A matrix of a few times the cache size would evict itself in every product: there the first rows
 * are kept and the others streamed. In a matrix with far-off diagonals, the rows that use a number
 * of x are so far apart that the entries between them evict it: there all entries are streamed. In
 * between, hints cost a little and gain nothing.
 */
#pragma once

#include <nv/target>

#include "kernels/device/sum.cuh"

namespace {

enum hints { NO_HINTS, KEEP_FIRST, ALL_PASS };

/* KEEP_FIRST pays up to this multiple of the cache, and with this share of it, since vectors need
 * room, too (H200, N = 64: flat from 16 to 32 of 60 MB). */
constexpr double PAYS_UP_TO = 4.0, KEEP_SHARE = 0.4;

enum { LONGEST_SAMPLE = 4096 };

/* Distance in rows between the first and the last use of a number of x, estimated from the middle
 * row; a row too long for a sample uses all of x. (Sorting moves rows by less than a window and
 * keeps the order of rows of the same length: not counted.) */
int64_t reuse_distance(const struct cgs_matrix *matrix)
{
    const struct cgs_row_source *source = matrix->source;
    const int64_t row = matrix->rows / 2;
    int32_t length = 0, columns[LONGEST_SAMPLE];
    double values[LONGEST_SAMPLE];
    source->lengths(source, row, row + 1, &length);
    if (length > LONGEST_SAMPLE)
        return matrix->columns;
    source->fill(source, row, row + 1, columns, values);
    return length > 0 ? columns[length - 1] - columns[0] : 0;
}

/* *kept: number of first rows to keep in the cache (KEEP_FIRST). entry: bytes of an entry. */
enum hints choose_hints(const struct cgs_queue *queue, const struct cgs_matrix *matrix,
                        int64_t entry, int64_t *kept)
{
    const cudaDeviceProp *p = &cgs_cuda_device(queue)->properties;
    const double cache = (double)p->l2CacheSize, bytes = (double)matrix->stored * (double)entry;
    *kept = 0;
    if (p->major < 8 || bytes == 0.0)
        return NO_HINTS;
    /* hints apply to blocks of a single tile (sell_chunk.cu) */
    const bool one_tile = matrix->rows <= (int64_t)CGS_MOST_BLOCKS * CGS_THREADS;
    if (bytes <= PAYS_UP_TO * cache && one_tile) {
        const double share = KEEP_SHARE * cache / bytes;
        *kept = share < 1.0 ? (int64_t)(share * (double)matrix->rows) : matrix->rows;
        return KEEP_FIRST;
    }
    const double between = (double)reuse_distance(matrix) * bytes / (double)matrix->rows;
    return between > cache ? ALL_PASS : NO_HINTS;
}

/* Cache policy for a row's entries: keep or stream. */
__device__ inline uint64_t cache_hint(bool stay)
{
    uint64_t hint = 0;
    NV_IF_TARGET(NV_PROVIDES_SM_80, (
        if (stay) asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(hint));
        else asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(hint));))
    return hint;
}

/* Loads an entry's value or column. With a hint it bypasses the L1 cache, which is left to x. EARLY
 * (or a hint, whose load is volatile anyway): the load keeps its place in the program, so that it
 * is in flight while the thread waits for something else. */
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
            NV_IF_ELSE_TARGET(                                                                     \
                NV_IS_DEVICE,                                                                      \
                (asm volatile("ld.global.nc." ptx " %0, [%1];" : "=" constraint(v) : "l"(p));),    \
                (v = *p;))                                                                         \
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
