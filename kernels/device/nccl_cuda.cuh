/* NCCL, loaded at run time: halos and sums among devices that can't write to each other's memory,
 * without the host (kernels/vector/halo_cuda.cu, ranks_cuda.cu). Without the library the host
 * carries the numbers.
 *
 * Source: NCCL's documentation, "Point To Point Communication Functions", "Using NCCL with CUDA
 * Graphs". The types below are those of nccl.h, version 2, of which few are needed. */
#pragma once

#include "kernels/device/cuda.cuh"
#include "kernels/device/nccl_names.h"

struct cgs_nccl_id {
    char internal[128];
};
enum { CGS_NCCL_SUCCESS = 0, CGS_NCCL_BYTE = 0 /* ncclInt8 */ };

struct cgs_nccl {
    void *library, *comm; /* comm: of the ranks, on the queue's device */
    const char *(*error_string)(int error);
    int (*get_id)(struct cgs_nccl_id *id);
    int (*init)(void **comm, int ranks, struct cgs_nccl_id id, int rank);
    int (*destroy)(void *comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*send)(const void *from, size_t count, int type, int peer, void *comm,
                cudaStream_t stream);
    int (*receive)(void *to, size_t count, int type, int peer, void *comm, cudaStream_t stream);
    int (*all_gather)(const void *from, void *to, size_t count, int type, void *comm,
                      cudaStream_t stream);
};

CGS_BEGIN_C

/* Loads the library and makes a communicator of all ranks, on all at once. Returns false on all
 * of them, with an empty *nccl, where a rank lacks the library, two share a device, or NCCL
 * refuses; `why` says it on the rank, "" on others. */
bool cgs_nccl_open(struct cgs_queue *queue, struct cgs_nccl *nccl, char *why, size_t size);
void cgs_nccl_close(struct cgs_nccl *nccl); /* an empty one is allowed */

/* Fails with the words of NCCL unless `error` is none. */
enum cgs_status cgs_nccl_check(struct cgs_context *context, const struct cgs_nccl *nccl,
                               const char *call, int error);

CGS_END_C
