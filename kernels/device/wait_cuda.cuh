/* The host's waits for the device. */
#pragma once

#include "base/linkage.h"
#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Waits for all work of the queue, or for an event of its stream. Of several ranks it may find
 * that a device hangs (wait_cuda.cu). CGS_DEVICE. */
enum cgs_status cgs_cuda_wait(struct cgs_queue *queue);
enum cgs_status cgs_cuda_wait_for(struct cgs_queue *queue, cudaEvent_t event);

CGS_END_C
