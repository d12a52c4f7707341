/* The state of CG in the CUDA space, and recordings of its steps. */
#pragma once

#include "kernels/device/cuda.cuh"
#include "kernels/space.h"

CGS_BEGIN_C

/* Entries of struct cgs_space_ops (kernels/space.h). */
enum cgs_status cgs_cuda_state_create(const struct cgs_space *space,
                                      const struct cgs_cg_state *initial,
                                      struct cgs_cg_state **state);
void cgs_cuda_state_free(const struct cgs_space *space, struct cgs_cg_state *state);
enum cgs_status cgs_cuda_state_set(const struct cgs_space *space, struct cgs_queue *queue,
                                   struct cgs_cg_state *state, const struct cgs_cg_state *from);
enum cgs_status cgs_cuda_look_start(const struct cgs_space *space, struct cgs_queue *queue,
                                    const struct cgs_cg_state *state, int slot);
enum cgs_status cgs_cuda_look_finish(const struct cgs_space *space, struct cgs_queue *queue,
                                     int slot, struct cgs_cg_state *out);
enum cgs_status cgs_cuda_records_get(const struct cgs_space *space, struct cgs_queue *queue,
                                     const struct cgs_cg_state *state, int64_t first, int64_t count,
                                     struct cgs_cg_record *records);
enum cgs_status cgs_cuda_reduce(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state, enum cgs_sum first, int count);
enum cgs_status cgs_cuda_begin(const struct cgs_space *space, struct cgs_queue *queue,
                               struct cgs_cg_state *state);
enum cgs_status cgs_cuda_close(const struct cgs_space *space, struct cgs_queue *queue,
                               struct cgs_cg_state *state);
enum cgs_status cgs_cuda_conclude(const struct cgs_space *space, struct cgs_queue *queue,
                                  struct cgs_cg_state *state);
enum cgs_status cgs_cuda_record_begin(struct cgs_queue *queue);
enum cgs_status cgs_cuda_record_end(struct cgs_queue *queue, void **recording);
enum cgs_status cgs_cuda_record_end_while(struct cgs_queue *queue, const struct cgs_cg_state *state,
                                          int64_t each, int64_t most, void **recording);
enum cgs_status cgs_cuda_replay(struct cgs_queue *queue, void *recording);
void cgs_cuda_recording_free(void *recording);

CGS_END_C
