/* Entries of the CPU's space table that concern only the state (see space.h). */
#pragma once

#include <stdbool.h>

#include "kernels/space.h"
#include "kernels/vector/blocks.h"

static inline bool cgs_cpu_stopped(const struct cgs_cg_state *state)
{
    return state && !cgs_cg_going_on(state);
}

/* Adds up the sums of a rank's blocks, queue->partials, into
 * state->sums[sum]. With a portion only as far as this rank can (tree.h): the rest is done by
 * cgs_cpu_reduce, to which the nodes are kept in the queue. portion NULL: one owner has all. */
void cgs_cpu_add_up(struct cgs_queue *queue, struct cgs_cg_state *state, enum cgs_sum sum,
                    const struct cgs_portion *portion, const struct cgs_blocks *blocks);

enum cgs_status cgs_cpu_state_create(const struct cgs_space *space,
                                     const struct cgs_cg_state *initial,
                                     struct cgs_cg_state **state);
void cgs_cpu_state_free(const struct cgs_space *space, struct cgs_cg_state *state);
enum cgs_status cgs_cpu_state_set(const struct cgs_space *space, struct cgs_queue *queue,
                                  struct cgs_cg_state *state, const struct cgs_cg_state *from);
enum cgs_status cgs_cpu_look_start(const struct cgs_space *space, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, int slot);
enum cgs_status cgs_cpu_look_finish(const struct cgs_space *space, struct cgs_queue *queue,
                                    int slot, struct cgs_cg_state *out);
enum cgs_status cgs_cpu_records_get(const struct cgs_space *space, struct cgs_queue *queue,
                                    const struct cgs_cg_state *state, int64_t first, int64_t count,
                                    struct cgs_cg_record *records);
enum cgs_status cgs_cpu_reduce(const struct cgs_space *space, struct cgs_queue *queue,
                               struct cgs_cg_state *state, enum cgs_sum first, int count);
enum cgs_status cgs_cpu_begin(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state);
enum cgs_status cgs_cpu_close(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state);
enum cgs_status cgs_cpu_conclude(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state);
enum cgs_status cgs_cpu_foresee(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state);
enum cgs_status cgs_cpu_wait(struct cgs_queue *queue);
