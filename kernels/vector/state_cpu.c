/* The state of CG in host memory, shared by both number types of the CPU's space. */
#include "kernels/vector/state_cpu.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/comm.h"
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

/* ---- sums over ranks ---- */

void cgs_cpu_add_up(struct cgs_queue *queue, struct cgs_cg_state *state, enum cgs_sum sum,
                    const struct cgs_portion *portion, const struct cgs_blocks *blocks)
{
    if (!portion) {
        state->sums[sum] = cgs_pairwise(queue->partials, blocks->count);
        return;
    }
    struct cgs_kept_sum *kept = &((struct cgs_queue_cpu *)queue->device)->kept[sum];
    const int64_t begin = cgs_blocks_until(blocks, portion->first);
    assert(portion->first % blocks->unit == 0);
    kept->portion = portion;
    kept->blocks = *blocks;
    kept->count = cgs_tree_nodes(cgs_blocks_until(blocks, portion->whole), begin,
                                 begin + blocks->count, queue->partials, kept->nodes);
}

/* Blocks at which the ranks are cut. blocks: ranks + 1 numbers. */
static void cut_blocks(const struct cgs_kept_sum *kept, int64_t *blocks)
{
    for (int r = 0; r <= kept->portion->ranks; r++)
        blocks[r] = cgs_blocks_until(&kept->blocks, kept->portion->cuts[r]);
}

/* Lists the sums of the range that wait for other ranks. */
static void list_waiting(struct cgs_queue_cpu *cpu, struct cgs_cg_state *state, enum cgs_sum first,
                         int count)
{
    struct cgs_waiting_sums *waiting = &cpu->waiting;
    waiting->state = state;
    waiting->count = 0;
    for (int s = (int)first; s < (int)first + count; s++)
        if (cpu->kept[s].portion) {
            waiting->sum[waiting->count] = s;
            waiting->kept[waiting->count++] = &cpu->kept[s];
        }
}

/* CGS_TOLD numbers that a rank sends after its nodes, counted from their end: seconds of its
 * gathering before this one, and whether it was asked to stop. */
enum { SECONDS_BEFORE = -2, STOP_ASKED = -1 };

/* Lists what this rank sends: the nodes sum after sum, then what it tells. */
static void list_nodes(const struct cgs_comm *comm, struct cgs_waiting_sums *waiting)
{
    int n = 0;
    for (int s = 0; s < waiting->count; s++) {
        const struct cgs_kept_sum *kept = waiting->kept[s];
        memcpy(waiting->mine + n, kept->nodes, (size_t)kept->count * sizeof *kept->nodes);
        n += kept->count;
    }
    waiting->mine[n + CGS_TOLD + SECONDS_BEFORE] = comm->time.last_sum;
    waiting->mine[n + CGS_TOLD + STOP_ASKED] = comm->stop_asked;
}

/* Numbers of nodes by sum and rank: nodes[s * ranks + r]; counts[r]: all that rank r sends. */
static void count_nodes(const struct cgs_waiting_sums *waiting, int ranks, int64_t *blocks,
                        int *nodes, int *counts)
{
    for (int r = 0; r < ranks; r++)
        counts[r] = CGS_TOLD;
    for (int s = 0; s < waiting->count; s++) {
        cut_blocks(waiting->kept[s], blocks);
        for (int r = 0; r < ranks; r++) {
            nodes[s * ranks + r] =
                cgs_tree_nodes(blocks[ranks], blocks[r], blocks[r + 1], NULL, NULL);
            counts[r] += nodes[s * ranks + r];
        }
    }
}

/* Evaluates the sums from what was gathered. */
static void evaluate(const struct cgs_waiting_sums *waiting, int ranks, int64_t *blocks,
                     const int *nodes, const int *counts, const double *all, double *one)
{
    for (int s = 0; s < waiting->count; s++) {
        const double *from = all;
        int n = 0;
        for (int r = 0; r < ranks; from += counts[r++]) {
            const double *at = from;
            for (int before = 0; before < s; before++)
                at += nodes[before * ranks + r];
            for (int i = 0; i < nodes[s * ranks + r]; i++)
                one[n++] = at[i];
        }
        cut_blocks(waiting->kept[s], blocks);
        waiting->state->sums[waiting->sum[s]] = cgs_tree_root(blocks[ranks], blocks, one);
        waiting->kept[s]->portion = NULL;
    }
}

/* Returns true if a rank was asked to stop. */
static bool somebody_stops(int ranks, const int *counts, const double *all)
{
    bool stops = false;
    for (int r = 0; r < ranks; r++) {
        all += counts[r];
        stops = stops || all[STOP_ASKED] != 0.0;
    }
    return stops;
}

/* Returns this rank's seconds in the gathering before beyond the least of all ranks: it waited
 * so long for the last of them. */
static double waited_before(const struct cgs_comm *comm, const int *counts, const double *all)
{
    double least = comm->time.last_sum;
    for (int r = 0; r < comm->size; r++) {
        all += counts[r];
        least = all[SECONDS_BEFORE] < least ? all[SECONDS_BEFORE] : least;
    }
    return comm->time.last_sum - least;
}

/* Completes sums that wait; nothing to do if one owner has all. They go rank after rank, of each
 * rank sum after sum, then what it tells. */
enum cgs_status cgs_cpu_reduce(const struct cgs_space *space, struct cgs_queue *queue,
                               struct cgs_cg_state *state, enum cgs_sum first, int count)
{
    struct cgs_queue_cpu *cpu = queue->device;
    struct cgs_comm *comm = queue->context->comm;
    int64_t blocks[CGS_RANKS_MOST + 1];
    if (!space->layout.portion)
        return CGS_OK;
    const double begin = cgs_now();
    const int ranks = space->layout.portion->ranks;
    list_waiting(cpu, state, first, count);
    if (cpu->waiting.count == 0)
        return CGS_OK;
    count_nodes(&cpu->waiting, ranks, blocks, cpu->nodes, cpu->counts);
    list_nodes(comm, &cpu->waiting);
    comm->ops->gather(comm, cpu->waiting.mine, cpu->counts, cpu->all);
    cgs_comm_count_sum(queue->context, begin, waited_before(comm, cpu->counts, cpu->all));
    comm->stopping = comm->stopping || somebody_stops(ranks, cpu->counts, cpu->all);
    evaluate(&cpu->waiting, ranks, blocks, cpu->nodes, cpu->counts, cpu->all, cpu->one);
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

enum cgs_status cgs_cpu_close(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state)
{
    (void)space;
    (void)queue;
    cgs_cg_close(state);
    return CGS_OK;
}

enum cgs_status cgs_cpu_conclude(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state)
{
    (void)space;
    (void)queue;
    if (cgs_cg_concludes(state))
        cgs_cg_conclude(state);
    return CGS_OK;
}

enum cgs_status cgs_cpu_foresee(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state)
{
    (void)space;
    (void)queue;
    if (!cgs_cpu_stopped(state))
        cgs_cg_foresee(state);
    return CGS_OK;
}

enum cgs_status cgs_cpu_wait(struct cgs_queue *queue)
{
    (void)queue;
    return CGS_OK;
}
