/* Chunks of the usual pattern, compressed SELL (matrix/sellc/sellc.h) on CUDA.
 *
 * A pattern read as data costs as much as x: a slot of 16 bytes needed by all 32 threads of a warp
 * goes 32 times from the L1 cache into registers. So the most frequent pattern is passed as a
 * kernel parameter, and the loop over its slots is unrolled: offsets and values are operands from
 * the constant bank, and only x goes through the L1 cache. TOGETHER such chunks are processed at a
 * time.
 *
 * Missing entries: a mask has one bit a row, 32 rows, and a chunk has one mask a slot. A warp loads
 * all masks at once, one word a thread, and transposes that bit matrix: each thread then has the
 * bits of its own row (H. S. Warren, Hacker's Delight, 7-3).
 *
 * If the diagonals form triples of neighbours and rows are in natural order, a thread takes two
 * neighbouring rows of one of two chunks, whose six products need four neighbouring numbers of x: a
 * pair that begins at an even place is one access. With o the offset of a triple's first slot and i
 * the even row, these are x[i + o], the pair x[i + o + 1], x[i + o + 2], and x[i + o + 3], if o is
 * odd, as in every triple of a cube of even N. Otherwise (N = 255) a thread takes one row of each
 * chunk.
 */
#pragma once

#include <nv/target>

#include "kernels/spmv/sell/sellc_slots.cuh"

namespace
{

/* Tunable: chunks processed together; slots in flight of each, or triples of a thread's two
 * rows. */
enum { TOGETHER = 2, USUAL_BATCH = 3, TRIPLES = 3 };
static_assert(TOGETHER == 2, "two chunks have 64 rows: two for each thread of a warp");
constexpr uint32_t ALL = UINT32_MAX;

/* Bit s is set if the thread's row has slot s of `slots` <= 32; masks NULL: all slots. */
__device__ inline uint32_t own_bits(const uint32_t *masks, int slots, int lane)
{
    if (!masks)
        return slots < 32 ? (1u << slots) - 1 : ALL;
    uint32_t bits = lane < slots ? __ldg(masks + lane) : 0, keep = 0x0000ffffu;
#pragma unroll
    for (int step = 16; step > 0; step /= 2, keep ^= keep << step) {
        const uint32_t other = __shfl_xor_sync(ALL, bits, step);
        bits = lane & step ? (bits & ~keep) | (other >> step & keep)
                           : (bits & keep) | (other << step & ~keep);
    }
    return bits;
}

/* Address of x at the thread's row in each chunk; one suffices in natural order. */
template <bool NATURAL> struct places {
    const char *x[NATURAL ? 1 : TOGETHER];
    __device__ const real *at(int g, int64_t bytes) const
    {
        return reinterpret_cast<const real *>(x[NATURAL ? 0 : g] + bytes) +
               (NATURAL ? g * (int)CGS_WARP : 0);
    }
};

/* Sums of the thread's rows in chunks of the usual pattern. */
template <bool MASKED, class Places>
__device__ inline void sum_usual(const struct usual &usual, const uint32_t bits[TOGETHER],
                                 const Places &places, real sum[TOGETHER])
{
#pragma unroll
    for (int g = 0; g < TOGETHER; g++)
        sum[g] = 0;
#pragma unroll
    for (int s = 0; s + USUAL_BATCH <= USUAL_MOST; s += USUAL_BATCH) {
        if (s >= usual.slots)
            break;
        real from[USUAL_BATCH][TOGETHER];
#pragma unroll
        for (int k = 0; k < USUAL_BATCH; k++)
#pragma unroll
            for (int g = 0; g < TOGETHER; g++) {
                const bool there = !MASKED || (bits[g] >> (s + k) & 1u) != 0;
                from[k][g] = there ? __ldg(places.at(g, usual.slot[s + k].bytes)) : (real)0;
            }
#pragma unroll
        for (int k = 0; k < USUAL_BATCH; k++)
#pragma unroll
            for (int g = 0; g < TOGETHER; g++)
                if (!MASKED || (bits[g] >> (s + k) & 1u) != 0)
                    sum[g] += usual.slot[s + k].v * from[k][g];
    }
}

/* Loads x[0] and x[1] by one aligned access. */
template <class T> __device__ inline void plain_two(const T *x, T *a)
{
    struct alignas(2 * sizeof(T)) both {
        T at[2];
    };
    const both b = *reinterpret_cast<const both *>(x);
    a[0] = b.at[0];
    a[1] = b.at[1];
}

/* Loads that keep their place in the program, if bit K is set; likewise *sum += v a. The bit is
 * tested inside; otherwise the compiler would test all of them in advance, into more registers than
 * there are. */
#define CGS_IF_BIT(there, bit)                                                                     \
    "{.reg .pred p; .reg .b32 b; and.b32 b, " there ", " bit "; setp.ne.u32 p, b, 0; @p "
#define CGS_LOADS(type, constraint, ptx)                                                           \
    template <int K> __device__ inline void load_one(const type *x, uint32_t there, type *a)       \
    {                                                                                              \
        NV_IF_ELSE_TARGET(NV_IS_DEVICE,                                                            \
                          (asm volatile(CGS_IF_BIT("%2", "%3") "ld.global.nc." ptx " %0, [%1];}"   \
                                        : "+" constraint(*a)                                       \
                                        : "l"(x), "r"(there), "n"(1u << K));),                     \
                          (if (there >> K & 1u) *a = *x;))                                         \
    }                                                                                              \
    template <int K> __device__ inline void load_two(const type *x, uint32_t there, type *a)       \
    {                                                                                              \
        NV_IF_ELSE_TARGET(                                                                         \
            NV_IS_DEVICE,                                                                          \
            (asm volatile(CGS_IF_BIT("%3", "%4") "ld.global.nc.v2." ptx " {%0, %1}, [%2];}"        \
                          : "+" constraint(a[0]), "+" constraint(a[1])                             \
                          : "l"(x), "r"(there), "n"(1u << K));),                                   \
            (if (there >> K & 1u) plain_two(x, a);))                                           \
    }                                                                                              \
    template <int K> __device__ inline void add_product(type *sum, uint32_t there, type v, type a) \
    {                                                                                              \
        NV_IF_ELSE_TARGET(                                                                         \
            NV_IS_DEVICE,                                                                          \
            (asm volatile(CGS_IF_BIT("%1", "%4") "fma.rn." ptx " %0, %2, %3, %0;}"                 \
                          : "+" constraint(*sum)                                                   \
                          : "r"(there), constraint(v), constraint(a), "n"(1u << K));),             \
            (if (there >> K & 1u) *sum += v * a;))                                        \
    }                                                                                              \
    __device__ inline void load_four(const type *x, type a[4])                                     \
    {                                                                                              \
        NV_IF_ELSE_TARGET(                                                                         \
            NV_IS_DEVICE,                                                                          \
            (asm volatile("ld.global.nc." ptx " %0, [%1];" : "=" constraint(a[0]) : "l"(x));       \
             asm volatile("ld.global.nc.v2." ptx " {%0, %1}, [%2];"                                \
                          : "=" constraint(a[1]), "=" constraint(a[2])                             \
                          : "l"(x + 1));                                                           \
             asm volatile("ld.global.nc." ptx " %0, [%1];" : "=" constraint(a[3]) : "l"(x + 3));), \
            (a[0] = x[0]; plain_two(x + 1, a + 1); a[3] = x[3];))                              \
    }
CGS_LOADS(double, "d", "f64")
CGS_LOADS(float, "f", "f32")

/* Numbers to load of the four, bit s for the triple that begins with slot s: the first, both middle
 * ones, only one of these, the last. */
struct wanted {
    uint32_t first, both, left, right, last;
};

__device__ inline struct wanted find_wanted(const uint32_t bits[2])
{
    const uint32_t left = bits[0] >> 1 | bits[1], right = bits[0] >> 2 | bits[1] >> 1;
    return {bits[0], left & right, left & ~right, right & ~left, bits[1] >> 2};
}

/* Loads triple K of the usual pattern: the numbers of x for a thread's two rows. */
template <bool MASKED, int K>
__device__ inline void load_triple(const struct usual &usual, const struct wanted &w, const real *x,
                                   real a[4])
{
    const char *at = reinterpret_cast<const char *>(x) + usual.slot[K].bytes;
    const real *from = reinterpret_cast<const real *>(at);
    if constexpr (MASKED) {
        a[0] = a[1] = a[2] = a[3] = 0;
        load_one<K>(from, w.first, a);
        load_two<K>(from + 1, w.both, a + 1);
        load_one<K>(from + 3, w.last, a + 3);
        load_one<K>(from + 1, w.left, a + 1);
        load_one<K>(from + 2, w.right, a + 2);
    } else {
        load_four(from, a);
    }
}

template <bool MASKED, int K>
__device__ inline void add_slot(const struct usual &usual, const uint32_t bits[2], const real a[4],
                                real sum[2])
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if constexpr (MASKED)
            add_product<K>(&sum[i], bits[i], usual.slot[K].v, a[K % 3 + i]);
        else
            sum[i] += usual.slot[K].v * a[K % 3 + i];
    }
}

template <bool MASKED, int K>
__device__ inline void add_triple(const struct usual &usual, const uint32_t bits[2],
                                  const real a[4], real sum[2])
{
    add_slot<MASKED, K>(usual, bits, a, sum);
    add_slot<MASKED, K + 1>(usual, bits, a, sum);
    add_slot<MASKED, K + 2>(usual, bits, a, sum);
}

/* Adds TRIPLES triples from slot K on, and all that follow. */
template <bool MASKED, int K>
__device__ inline void add_triples(const struct usual &usual, const struct wanted &w,
                                   const uint32_t bits[2], const real *x, real sum[2])
{
    if constexpr (K < USUAL_MOST) {
        constexpr int COUNT = K + 3 * TRIPLES <= USUAL_MOST ? (int)TRIPLES : (USUAL_MOST - K) / 3;
        real a[COUNT][4];
        if (K >= usual.slots)
            return;
        load_triple<MASKED, K>(usual, w, x, a[0]);
        if constexpr (COUNT > 1)
            load_triple<MASKED, K + 3>(usual, w, x, a[1]);
        if constexpr (COUNT > 2)
            load_triple<MASKED, K + 6>(usual, w, x, a[2]);
        add_triple<MASKED, K>(usual, bits, a[0], sum);
        if constexpr (COUNT > 1)
            add_triple<MASKED, K + 3>(usual, bits, a[1], sum);
        if constexpr (COUNT > 2)
            add_triple<MASKED, K + 6>(usual, bits, a[2], sum);
        add_triples<MASKED, K + 3 * COUNT>(usual, w, bits, x, sum);
    }
}

/* Sums of two neighbouring rows of the usual pattern made of triples; x: at the first row, an even
 * one. Not MASKED: both rows have all slots, which are whole batches. */
template <bool MASKED>
__device__ inline void sum_triples(const struct usual &usual, const uint32_t bits[2], const real *x,
                                   real sum[2])
{
    const struct wanted w = MASKED ? find_wanted(bits) : wanted{};
    sum[0] = sum[1] = 0;
    add_triples<MASKED, 0>(usual, w, bits, x, sum);
}

} // namespace
