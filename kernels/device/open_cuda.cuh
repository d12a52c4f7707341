/* Choosing a CUDA device. */
#pragma once

#include "kernels/backend.h"
#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Makes `index` the current device, or fails with what is missing (driver, device, code for its
 * architecture) and the remedy. */
enum cgs_status cgs_cuda_select(struct cgs_context *context, int index);

/* Counts and names the devices; makes no context on any. */
void cgs_cuda_survey(struct cgs_survey *survey);

/* Version of the kernel driver ("580.159.04"), or of the CUDA that it offers ("CUDA 13.0"). */
void cgs_cuda_driver_version(char *text, size_t size);

CGS_END_C
