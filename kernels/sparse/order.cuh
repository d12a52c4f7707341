/* Sorting and prefix sums on the device, by CUB, which comes with nvcc. Scratch is the pool's, the order
 * the stream's: nothing waits. */
#ifndef CGS_KERNELS_SPARSE_ORDER_CUH
#define CGS_KERNELS_SPARSE_ORDER_CUH

#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Bits that numbers 0 ... below - 1 need. */
static inline int cgs_key_bits(int64_t below)
{
    int bits = 1;
    while ((int64_t)1 << bits < below)
        bits++;
    return bits;
}

/* keys[0 ... count - 1], each 0 ... below - 1, ascending into `sorted`; places[s] is where the s-th
 * stood, ascending among equal keys. Holds 8 bytes a key and CUB's scratch (12) on the way.
 * CGS_MEMORY. */
enum cgs_status cgs_cuda_order(struct cgs_queue *queue, const int32_t *keys, int64_t count,
                               int64_t below, int32_t *sorted, int64_t *places);

/* The same for fewer than 2^32 keys of 32 or 64 bits, of which the lowest `bits` are looked at. Each
 * array is one of a pair, and both are overwritten: sorted keys, and the places where they stood, are
 * in keys[*side] and places[*side] in the end; the caller fills keys[0]. CGS_MEMORY. */
enum cgs_status cgs_cuda_order_32(struct cgs_queue *queue, uint32_t *const keys[2],
                                  uint32_t *const places[2], int64_t count, int bits, int *side);
enum cgs_status cgs_cuda_order_64(struct cgs_queue *queue, uint64_t *const keys[2],
                                  uint32_t *const places[2], int64_t count, int bits, int *side);

/* numbers[i] becomes numbers[0] + ... + numbers[i]. CGS_MEMORY. */
enum cgs_status cgs_cuda_add_up(struct cgs_queue *queue, int64_t count, int64_t *numbers);

CGS_END_C

#endif
