/* Sorting on the device, by the radix sort of CUB, which comes with nvcc. */
#ifndef CGS_KERNELS_ORDER_CUH
#define CGS_KERNELS_ORDER_CUH

#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* keys[0 ... count - 1], each 0 ... below - 1, ascending into `sorted`; places[s] is where the s-th
 * stood, ascending among equal keys. Holds 8 bytes a key and CUB's scratch (12) on the way.
 * CGS_MEMORY. */
enum cgs_status cgs_cuda_order(struct cgs_queue *queue, const int32_t *keys, int64_t count,
                               int64_t below, int32_t *sorted, int64_t *places);

CGS_END_C

#endif
