/* Memory of a caller on a device. */
#pragma once

#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Returns true if the address is in the memory of a device. */
bool cgs_cuda_holds(const void *address);

/* Waits for all streams of the device. */
enum cgs_status cgs_cuda_settle(struct cgs_queue *queue);

CGS_END_C
