/* Numbers between arrays of a caller in device memory and vectors, whose lines may be padded. */
#ifndef CGS_KERNELS_DEVICE_LINES_CUDA_CUH
#define CGS_KERNELS_DEVICE_LINES_CUDA_CUH

#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* Queues a copy of lines of numbers with these distances between their starts, converted. */
struct cgs_cuda_lines {
    void *to;
    enum cgs_number to_number;
    int64_t to_pitch;
    const void *from;
    enum cgs_number from_number;
    int64_t from_pitch;
    int64_t numbers, lines;
};
enum cgs_status cgs_cuda_copy_lines(struct cgs_queue *queue, const struct cgs_cuda_lines *lines);

CGS_END_C

#endif
