/* CUDA graphs of the CUDA space. */
#ifndef CGS_KERNELS_VECTOR_RECORDING_CUDA_CUH
#define CGS_KERNELS_VECTOR_RECORDING_CUDA_CUH

#include "kernels/device/cuda.cuh"
#include "kernels/space.h"

CGS_BEGIN_C

/* Entries of struct cgs_space_ops (kernels/space.h). */
enum cgs_status cgs_cuda_record_begin(struct cgs_queue *queue);
enum cgs_status cgs_cuda_record_end(struct cgs_queue *queue, void **recording);
enum cgs_status cgs_cuda_record_end_while(struct cgs_queue *queue, const struct cgs_cg_state *state,
                                          int64_t each, int64_t most, void **recording);
enum cgs_status cgs_cuda_replay(struct cgs_queue *queue, void *recording);
void cgs_cuda_recording_free(void *recording);

CGS_END_C

#endif
