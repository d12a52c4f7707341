/* The entries of a row, in a table in shared memory, sorted by columns: bitonic networks (K. E.
 * Batcher, Sorting networks and their applications, AFIPS 1968).
 *
 * Where LANES threads share a row, columns and sums change places in shared memory. Where a warp
 * has one, each lane holds R numbers column << bits | slot in registers, number lane R + r of the
 * row, and only these move: 15 steps by shuffles, whatever R is, the others within a lane. They
 * need column << bits to fit in 32 bits: 4 million columns with 1024 slots.
 */
#ifndef CGS_KERNELS_SPGEMM_SPGEMM_ORDER_CUH
#define CGS_KERNELS_SPGEMM_SPGEMM_ORDER_CUH

#include <climits>

#include "kernels/spgemm/spgemm_classes.cuh"

namespace {

/* Moves what the table holds to its front; how many. What is written in a step has been read in
 * it or before. `place(slot, to)` moves one. All lanes of the warp call. */
template <int LANES, class Place>
__device__ inline int pack(const int32_t *keys, int slots, Place place)
{
    const int lane = threadIdx.x % LANES, shift = threadIdx.x % 32 / LANES * LANES;
    const unsigned own = LANES == 32 ? ALL_LANES : (1u << LANES % 32) - 1;
    int entries = 0;
    for (int first = 0; first < slots; first += LANES) {
        const bool here = keys[first + lane] != -1;
        const unsigned full = __ballot_sync(ALL_LANES, here) >> shift & own;
        place(first + lane, entries + __popc(full & ((1u << lane) - 1)), here);
        entries += __popc(full);
        __syncwarp();
    }
    return entries;
}

/* Of the power of two above the longest row of the warp; slots behind the entries are made to
 * sort last. */
template <int LANES> __device__ inline void sort_slots(int32_t *keys, real *sums, int entries)
{
    const int lane = threadIdx.x % LANES;
    int longest = entries, room = 2;
    for (int step = 16; step > 0; step /= 2)
        longest = max(longest, __shfl_xor_sync(ALL_LANES, longest, step));
    while (room < longest)
        room *= 2;
    for (int slot = entries + lane; slot < room; slot += LANES)
        keys[slot] = INT_MAX;
    __syncwarp();
    for (int size = 2; size <= room; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            for (int pair = lane; pair < room / 2; pair += LANES) {
                const int low = 2 * pair - (pair & (stride - 1)), high = low + stride;
                const int32_t key_low = keys[low], key_high = keys[high];
                if ((key_low > key_high) == ((low & size) == 0)) {
                    const real sum = sums[low];
                    keys[low] = key_high;
                    keys[high] = key_low;
                    sums[low] = sums[high];
                    sums[high] = sum;
                }
            }
            __syncwarp();
        }
}

/* One step of the network on numbers lane R + r. */
template <int R> __device__ inline void exchange(unsigned (&x)[R], int size, int stride)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < R; r++) {
        const bool up = ((lane * R + r) & size) == 0;
        if (stride >= R) {
            const unsigned other = __shfl_xor_sync(ALL_LANES, x[r], stride / R);
            const bool low = (lane & (stride / R)) == 0;
            x[r] = low == up ? min(x[r], other) : max(x[r], other);
        } else if ((r & stride) == 0) {
            const unsigned a = x[r], b = x[r | stride];
            x[r] = up ? min(a, b) : max(a, b);
            x[r | stride] = up ? max(a, b) : min(a, b);
        }
    }
}

/* Where the e-th of sorted numbers stands: lanes that hold R in a row write to different banks.
 */
__device__ inline int padded(int e)
{
    return e + e / 32;
}

/* numbers[0 ... entries - 1] -> numbers[padded(e)]; 32 R is no less than `entries`. */
template <int R> __device__ inline void sort_numbers(unsigned *numbers, int entries)
{
    const int lane = threadIdx.x % 32;
    unsigned x[R];
#pragma unroll
    for (int r = 0; r < R; r++)
        x[r] = r * 32 + lane < entries ? numbers[r * 32 + lane] : UINT_MAX;
    __syncwarp();
#pragma unroll
    for (int size = 2; size <= 32 * R; size *= 2)
#pragma unroll
        for (int stride = size / 2; stride > 0; stride /= 2)
            exchange<R>(x, size, stride);
#pragma unroll
    for (int r = 0; r < R; r++)
        if (lane * R + r < entries)
            numbers[padded(lane * R + r)] = x[r];
    __syncwarp();
}

/* A warp's row, in a table of at most 32 MOST slots, of which three quarters are filled at
 * most: there is room for padding. A kernel has the registers of its largest sort, whichever it
 * takes. */
template <int MOST> __device__ inline void sort_row(unsigned *numbers, int entries)
{
    if constexpr (MOST > 1) {
        if (entries <= 16 * MOST)
            return sort_row<MOST / 2>(numbers, entries);
    }
    sort_numbers<MOST>(numbers, entries);
}

} // namespace

#endif
