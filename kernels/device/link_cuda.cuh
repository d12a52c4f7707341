/* Cost of the way between two devices. */
#pragma once

#include "kernels/backend.h"
#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* struct cgs_backend's `link`. */
enum cgs_status cgs_cuda_link(struct cgs_queue *from, struct cgs_queue *to, struct cgs_link *link);

CGS_END_C
