/* Sorting and prefix sums on the device by CUB (part of nvcc). Scratch comes from the pool, in
 * stream order: nothing waits. */
#pragma once

#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Number of bits of 0 ... below - 1. */
static inline int cgs_key_bits(int64_t below)
{
    int bits = 1;
    while ((int64_t)1 << bits < below)
        bits++;
    return bits;
}

/* Sorts keys[0 ... count - 1], each in 0 ... below - 1, into `sorted`, ascending. places[s]:
 * original position of the s-th key, ascending among equal keys. Needs 8 bytes a key and CUB's
 * scratch (12) temporarily. CGS_MEMORY. */
enum cgs_status cgs_cuda_order(struct cgs_queue *queue, const int32_t *keys, int64_t count,
                               int64_t below, int32_t *sorted, int64_t *places);

/* The same for fewer than 2^32 keys of 32 or 64 bits, by their lowest `bits`. The caller fills
 * keys[0]; both arrays of each pair are overwritten. Sorted keys and their original positions end
 * in keys[*side] and places[*side]. CGS_MEMORY. */
enum cgs_status cgs_cuda_order_32(struct cgs_queue *queue, uint32_t *const keys[2],
                                  uint32_t *const places[2], int64_t count, int bits, int *side);
enum cgs_status cgs_cuda_order_64(struct cgs_queue *queue, uint64_t *const keys[2],
                                  uint32_t *const places[2], int64_t count, int bits, int *side);

/* Prefix sum: numbers[i] becomes numbers[0] + ... + numbers[i]. CGS_MEMORY. */
enum cgs_status cgs_cuda_add_up(struct cgs_queue *queue, int64_t count, int64_t *numbers);

CGS_END_C
