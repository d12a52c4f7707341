/* Sums over ranks on CUDA: each device writes its numbers to the memory of all others, and all add them in
 * one tree (tree.h), so that all have the same bits. */
#ifndef CGS_KERNELS_VECTOR_RANKS_CUDA_CUH
#define CGS_KERNELS_VECTOR_RANKS_CUDA_CUH

#include "kernels/device/peers.cuh"

/* Numbers of which a sum consists: `own` of this rank, which are at ... at + own - 1 of `all`. */
struct cgs_rank_numbers {
    const double *mine; /* in device memory; NULL: the state's own sum */
    int64_t own, at, all;
    bool alone; /* this rank has all of them */
};

CGS_BEGIN_C

/* Completes sums[first] ... sums[first + count - 1], each of which this rank has a part of. late: also ends an
 * iteration that may have deferred x (kernel.h, update_conclude). */
enum cgs_status cgs_cuda_add_ranks(struct cgs_queue *queue, struct cgs_cg_state *state,
                                   enum cgs_sum first, int count, bool late);

/* sums[sum] = the sum of these numbers of all ranks. */
enum cgs_status cgs_cuda_add_numbers(struct cgs_queue *queue, struct cgs_cg_state *state,
                                     enum cgs_sum sum, const struct cgs_rank_numbers *numbers);

CGS_END_C

#endif
