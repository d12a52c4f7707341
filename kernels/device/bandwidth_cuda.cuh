/* Bandwidth of a device's memory. */
#ifndef CGS_KERNELS_DEVICE_BANDWIDTH_CUDA_CUH
#define CGS_KERNELS_DEVICE_BANDWIDTH_CUDA_CUH

#include "kernels/backend.h"
#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* struct cgs_backend's `bandwidth`. */
enum cgs_status cgs_cuda_bandwidth(struct cgs_queue *queue, int64_t bytes, double seconds,
                                   struct cgs_bandwidth *bandwidth);

CGS_END_C

#endif
