/* Mapping of device memory among the ranks of a host (peers.cuh). */
#pragma once

#include "base/linkage.h"
#include "kernels/device/peers.cuh"

CGS_BEGIN_C

/* struct cgs_backend's `join`: on all ranks at once; once a queue. */
enum cgs_status cgs_cuda_join(struct cgs_queue *queue);

/* Returns where the kernels that are launched now, or recorded for a solve, add up their time. */
struct cgs_peer_times *cgs_peers_times(const struct cgs_queue *queue);

/* struct cgs_backend's `times`. */
enum cgs_status cgs_cuda_times(struct cgs_queue *queue, struct cgs_comm_time *time);

/* Drops what that has made. */
void cgs_cuda_part(struct cgs_queue *queue);

/* Allocates `bytes` of zeros on each rank and maps them on all, on all ranks at once; of
 * CGS_WAY_STORES. *made: its own zeros after a failure. CGS_MEMORY, CGS_DEVICE. */
enum cgs_status cgs_peers_share(struct cgs_queue *queue, int64_t bytes, const char *what,
                                struct cgs_peer_memory *made);
void cgs_peers_unshare(struct cgs_queue *queue,
                       struct cgs_peer_memory *memory); /* of zeros is allowed */

CGS_END_C
