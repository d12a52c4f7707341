/* Vectors on devices turned among ranks (kernels/fdm/turn.h).
 *
 *     stores     a kernel copies blocks to the lines or the slab of the other ranks, and raises a flag
 *                there; another one waits for their flags
 *     NCCL       a kernel packs, ncclSend and ncclRecv between all ranks, and another one unpacks
 *     host       the same, and the host carries the blocks
 *
 * Bytes of device memory: a slab read and written each time, and by NCCL as much again for what
 * goes from and to its buffers. Stores need no turns of memory: a rank writes to another one's
 * lines, or back to its slab, where that one has read the same block before it raised its last
 * flag. */
#pragma once

#include "kernels/fdm/turn.h"

CGS_BEGIN_C

struct cgs_turn_cuda;

/* Makes room to turn vectors of a space; on all ranks at once, which agree on `status`, that of
 * what each has made before. *turn is owned by the caller; of a process alone NULL, which the
 * functions below allow: they then give y. CGS_MEMORY, CGS_DEVICE, and what `status` says. */
enum cgs_status cgs_turn_cuda_create(const struct cgs_space *space,
                                     const struct cgs_turn_shape *shape, enum cgs_status status,
                                     struct cgs_turn_cuda **turn);
void cgs_turn_cuda_release(struct cgs_turn_cuda *turn);
/* Adds device memory; pinned memory of a host that carries the blocks is not counted. */
void cgs_turn_cuda_plan(struct cgs_plan *plan, const struct cgs_turn_shape *shape);

/* Returns the vector of the pass along z, and of that along y after it; shape and strides of the
 * second are those of y, the first has the rank's rows. */
void *cgs_turn_cuda_lines(const struct cgs_turn_cuda *turn, void *y);
void *cgs_turn_cuda_slab(const struct cgs_turn_cuda *turn, void *y);

/* Steps: y becomes the lines; these become the slab. */
enum cgs_status cgs_turn_cuda_over(struct cgs_turn_cuda *turn, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, void *y);
enum cgs_status cgs_turn_cuda_back(struct cgs_turn_cuda *turn, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, void *y);

CGS_END_C
