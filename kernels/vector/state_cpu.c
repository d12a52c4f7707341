/* The state of CG in host memory, shared by both number types of the CPU's space. */
#include "kernels/vector/state_cpu.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/device/queue_cpu.h"

enum cgs_status cgs_cpu_state_create(const struct cgs_space *space,
                                     const struct cgs_cg_state *initial,
                                     struct cgs_cg_state **state)
{
    struct cgs_context *context = space->queue->context;
    struct cgs_cg_state *made = NULL;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "state of CG", (void **)&made));
    *made = *initial;
    const enum cgs_status status =
        cgs_alloc(context, initial->max_iterations + 1, sizeof *made->records,
                  "record of the iterations", (void **)&made->records);
    if (status != CGS_OK) {
        cgs_free(context, made);
        return status;
    }
    /* Touches the pages now, as planned, not in the middle of an iteration. */
    memset(made->records, 0, (size_t)(initial->max_iterations + 1) * sizeof *made->records);
    *state = made;
    return CGS_OK;
}

void cgs_cpu_state_free(const struct cgs_space *space, struct cgs_cg_state *state)
{
    if (!state)
        return;
    cgs_free(space->queue->context, state->records);
    cgs_free(space->queue->context, state);
}

enum cgs_status cgs_cpu_state_set(const struct cgs_space *space, struct cgs_queue *queue,
                                  struct cgs_cg_state *state, const struct cgs_cg_state *from)
{
    (void)space;
    (void)queue;
    struct cgs_cg_state next = *from;
    for (int i = 0; i < CGS_SUMS; i++)
        next.sums[i] = state->sums[i];
    next.records = state->records;
    *state = next;
    return CGS_OK;
}

enum cgs_status cgs_cpu_look_start(const struct cgs_space *space, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, int slot)
{
    (void)space;
    assert(0 <= slot && slot < CGS_LOOK_SLOTS);
    ((struct cgs_queue_cpu *)queue->device)->slots[slot] = *state;
    return CGS_OK;
}

enum cgs_status cgs_cpu_look_finish(const struct cgs_space *space, struct cgs_queue *queue,
                                    int slot, struct cgs_cg_state *out)
{
    (void)space;
    assert(0 <= slot && slot < CGS_LOOK_SLOTS);
    *out = ((struct cgs_queue_cpu *)queue->device)->slots[slot];
    out->records = NULL;
    return CGS_OK;
}

enum cgs_status cgs_cpu_records_get(const struct cgs_space *space, struct cgs_queue *queue,
                                    const struct cgs_cg_state *state, int64_t first, int64_t count,
                                    struct cgs_cg_record *records)
{
    (void)space;
    (void)queue;
    for (int64_t i = 0; i < count; i++)
        records[i] = state->records[first + i];
    return CGS_OK;
}

/* Nothing to do: one owner has all. */
enum cgs_status cgs_cpu_reduce(const struct cgs_space *space, struct cgs_queue *queue,
                               struct cgs_cg_state *state, enum cgs_sum first, int count)
{
    (void)space;
    (void)queue;
    (void)state;
    (void)first;
    (void)count;
    return CGS_OK;
}

enum cgs_status cgs_cpu_begin(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state)
{
    (void)space;
    (void)queue;
    if (!cgs_cpu_stopped(state))
        cgs_cg_begin(state);
    return CGS_OK;
}

enum cgs_status cgs_cpu_conclude(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state)
{
    (void)space;
    (void)queue;
    if (!cgs_cpu_stopped(state))
        cgs_cg_conclude(state);
    return CGS_OK;
}

enum cgs_status cgs_cpu_wait(struct cgs_queue *queue)
{
    (void)queue;
    return CGS_OK;
}
