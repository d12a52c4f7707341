/* Sorts the entries of a row by column in a table in shared memory: bitonic networks (K. E.
 * Batcher, Sorting networks and their applications, AFIPS 1968).
 *
 * If LANES threads share a row, columns and sums are exchanged in shared memory. If a warp has a
 * row, each lane holds R numbers column << bits | slot in registers, number lane R + r of the row,
 * and only these move: 15 steps by shuffles for any R, the others within a lane. This requires
 * column << bits to fit in 32 bits: 4 million columns with 1024 slots.
 */
#pragma once

#include <climits>

#include "kernels/spgemm/spgemm_classes.cuh"

namespace {

/* Moves the contents of the table to its front; returns their number. A step overwrites only what
 * it or an earlier one has read. `place(slot, to)` moves one. All lanes of the warp call. */
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

/* Sorts with the power of two above the warp's longest row; slots after the entries sort last. */
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

/* Position of the e-th sorted number: lanes that hold R consecutive ones write to different
 * banks. */
__device__ inline int padded(int e)
{
    return e + e / 32;
}

/* Sorts numbers[0 ... entries - 1] into numbers[padded(e)]; 32 R >= entries. */
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

/* Sorts a warp's row in a table of at most 32 MOST slots, at most three quarters full, so that
 * there is room for padding. A kernel needs the registers of its largest sort for all of them. */
template <int MOST> __device__ inline void sort_row(unsigned *numbers, int entries)
{
    if constexpr (MOST > 1) {
        if (entries <= 16 * MOST)
            return sort_row<MOST / 2>(numbers, entries);
    }
    sort_numbers<MOST>(numbers, entries);
}

} // namespace
