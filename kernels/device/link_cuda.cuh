/* Cost of the way between two devices. */
#ifndef CGS_KERNELS_DEVICE_LINK_CUDA_CUH
#define CGS_KERNELS_DEVICE_LINK_CUDA_CUH

#include "kernels/backend.h"
#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* struct cgs_backend's `link`. */
enum cgs_status cgs_cuda_link(struct cgs_queue *from, struct cgs_queue *to, struct cgs_link *link);

CGS_END_C

#endif
