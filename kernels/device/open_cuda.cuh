/* Selection of a CUDA device, with a remedy for everything that can be missing. */
#ifndef CGS_KERNELS_DEVICE_OPEN_CUDA_CUH
#define CGS_KERNELS_DEVICE_OPEN_CUDA_CUH

#include "base/linkage.h"
#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Writes the error message with the call's own text and the remedy; returns CGS_MEMORY or
 * CGS_DEVICE. */
enum cgs_status cgs_cuda_fail(struct cgs_context *context, const char *file, int line,
                              const char *call, cudaError_t error);

CGS_END_C

#endif
