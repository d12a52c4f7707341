/* Sums over ranks on CUDA (ranks_cuda.cuh): one block.
 *
 *     1. writes this rank's numbers to the letters of all ranks (peers.cuh), half a number and the turn a word
 *     2. waits for all numbers in its own letters
 *     3. adds them in the tree of tree.h: leaves of at most 17 numbers a thread, then their halves
 *
 * Letters of even and odd turns alternate: a rank that writes those of a turn has had all numbers
 * of the turn before, whose senders had read those of the turn before that.
 *
 * Two H200, NVLink: see bench/results. */
#include "kernels/vector/ranks_cuda.cuh"

#include <cstring>

#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/peers_cuda.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/vector/tree.h"

namespace
{

constexpr int ADDERS = 1024, LEAVES_MOST = (int)CGS_PARTIALS / (int)CGS_TREE_RUN;

struct sums {
    int first, count, rank, ranks;
    bool late;
    struct cgs_rank_numbers numbers; /* of each sum */
};

/* Half number `which` of 2^depth of the range, by the halves of tree.h. */
__device__ inline void find_leaf(int depth, int which, int64_t *first, int64_t *count)
{
    for (int bit = depth - 1; bit >= 0; bit--) {
        const int64_t half = *count / 2;
        if (which >> bit & 1) {
            *first += half;
            *count -= half;
        } else {
            *count = half;
        }
    }
}

__device__ inline double add_run(const double *values, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* The smallest leaf has at most CGS_TREE_RUN numbers, the largest one more, which tree.h halves
 * again. */
__device__ inline double add_leaf(const double *values, int64_t count)
{
    if (count <= CGS_TREE_RUN)
        return add_run(values, count);
    const double left = add_run(values, count / 2);
    return left + add_run(values + count / 2, count - count / 2);
}

/* The sum of values[0 ... count - 1] in the tree, in thread 0. All threads of the block call. */
__device__ inline double add_tree(const double *values, int64_t count, double *leaves)
{
    int depth = 0;
    while (count >> depth > CGS_TREE_RUN)
        depth++;
    for (int leaf = (int)threadIdx.x; leaf < 1 << depth; leaf += (int)blockDim.x) {
        int64_t first = 0, numbers = count;
        find_leaf(depth, leaf, &first, &numbers);
        leaves[leaf] = add_leaf(values + first, numbers);
    }
    __syncthreads();
    for (int apart = 1; apart < 1 << depth; apart *= 2) {
        for (int at = 2 * apart * (int)threadIdx.x; at < 1 << depth;
             at += 2 * apart * (int)blockDim.x)
            leaves[at] += leaves[at + apart];
        __syncthreads();
    }
    return leaves[0];
}

/* Ends an iteration whose update may have deferred x, as march.cuh does on one device. */
__device__ inline void conclude_late(struct cgs_cg_state *state)
{
    const bool moved = state->x_deferred != 0;
    const int64_t before = state->iteration;
    cgs_cg_conclude(state);
    state->x_deferred = !moved && state->iteration > before;
}

__device__ inline double local_number(const struct sums &s, const struct cgs_cg_state *state,
                                      int64_t i)
{
    return s.numbers.mine ? s.numbers.mine[i] : state->sums[s.first + i];
}

/* Number i of all numbers of all sums: sum by sum. */
__device__ inline int64_t letter_of(const struct sums &s, int64_t i)
{
    return i / s.numbers.local * s.numbers.all + s.numbers.at + i % s.numbers.local;
}

__global__ void __launch_bounds__(ADDERS)
    add_sums(struct cgs_cg_state *state, const struct sums s, char *const *there, int64_t letters,
             unsigned *turns, double *values, const struct cgs_patience patience,
             struct cgs_peer_times *times)
{
    __shared__ double leaves[LEAVES_MOST];
    const int64_t started = cgs_device_time();
    if (!cgs_cg_going_on(state))
        return;
    const int64_t local = s.count * s.numbers.local, all = s.count * s.numbers.all;
    const unsigned turn = *turns + 1;
    const int64_t from = (int64_t)(turn & 1) * letters;
    for (int64_t i = threadIdx.x; i < local * s.ranks; i += blockDim.x) {
        struct cgs_letter *to = (struct cgs_letter *)there[i % s.ranks] + from;
        cgs_send_letter(to + letter_of(s, i / s.ranks), local_number(s, state, i / s.ranks), turn);
    }
    const int64_t sent = cgs_device_time();
    const struct cgs_letter *mine = (const struct cgs_letter *)there[s.rank] + from;
    for (int64_t i = threadIdx.x; i < all; i += blockDim.x) {
        const int peer = s.numbers.all == s.ranks ? (int)(i % s.ranks) : -1;
        values[i] = cgs_await_letter(mine + i, turn, peer, patience);
    }
    __syncthreads();
    const int64_t received = cgs_device_time();
    for (int k = 0; k < s.count; k++) {
        const double sum = add_tree(values + k * s.numbers.all, s.numbers.all, leaves);
        if (threadIdx.x == 0)
            state->sums[s.first + k] = sum;
        __syncthreads();
    }
    if (threadIdx.x != 0)
        return;
    *turns = turn;
    if (s.late)
        conclude_late(state);
    times->sums += cgs_device_time() - started;
    times->waiting += received - sent;
    times->sum_count++;
}

/* The same where one rank has all numbers. */
__global__ void __launch_bounds__(ADDERS)
    add_alone(struct cgs_cg_state *state, int which, const double *mine, int64_t count)
{
    __shared__ double leaves[LEAVES_MOST];
    if (!cgs_cg_going_on(state))
        return;
    const double sum = add_tree(mine, count, leaves);
    if (threadIdx.x == 0)
        state->sums[which] = sum;
}

/* ---- carried by NCCL ---- */

/* Puts the own sums where ncclAllGather takes them: before the room for those of all ranks. */
__global__ void put_local(const struct cgs_cg_state *state, int first, int count, double *local,
                          struct cgs_peer_times *times, volatile int64_t *step)
{
    *step = times->begun = times->sent = cgs_device_time();
    for (int k = 0; k < count; k++)
        local[k] = state->sums[first + k];
}

/* all: the sums of rank 0, of rank 1, ... */
__global__ void __launch_bounds__(ADDERS)
    add_gathered(struct cgs_cg_state *state, const struct sums s, const double *all, double *values,
                 struct cgs_peer_times *times, volatile int64_t *step)
{
    __shared__ double leaves[LEAVES_MOST];
    const int64_t received = cgs_device_time();
    if (threadIdx.x == 0)
        *step = -received;
    if (!cgs_cg_going_on(state))
        return;
    for (int k = 0; k < s.count; k++) {
        for (int r = (int)threadIdx.x; r < s.ranks; r += (int)blockDim.x)
            values[r] = all[(int64_t)r * s.count + k];
        __syncthreads();
        const double sum = add_tree(values, s.ranks, leaves);
        if (threadIdx.x == 0)
            state->sums[s.first + k] = sum;
        __syncthreads();
    }
    if (threadIdx.x != 0)
        return;
    if (s.late)
        conclude_late(state);
    times->sums += cgs_device_time() - times->begun;
    times->waiting += received - times->sent;
    times->sum_count++;
}

enum cgs_status gather(struct cgs_queue *queue, struct cgs_cg_state *state, const struct sums *s,
                       int threads)
{
    const struct cgs_peers *peers = cgs_peers_of(queue);
    const struct cgs_nccl *nccl = &peers->nccl;
    struct cgs_peer_times *times = cgs_peers_times(queue);
    double *local = peers->values, *all = local + CGS_SUMS, *values = all + CGS_SUMS * s->ranks;
    CGS_TRY(cgs_launch_blocks(queue, "sums of ranks", put_local, {1, 1}, state, s->first, s->count,
                              local, times, peers->step));
    CGS_TRY(cgs_nccl_check(queue->context, nccl, "ncclAllGather",
                           nccl->all_gather(local, all, (size_t)s->count * sizeof *local,
                                            CGS_NCCL_BYTE, nccl->comm, cgs_cuda_stream(queue))));
    return cgs_launch_blocks(queue, "sums of ranks", add_gathered, {1, threads}, state, *s, all,
                             values, times, peers->step);
}

/* ---- carried by the host ---- */

struct totals {
    double sum[CGS_SUMS];
};

__global__ void show_state(const struct cgs_cg_state *state, struct cgs_cg_state *on_host)
{
    *on_host = *state;
}

__global__ void put_sums(struct cgs_cg_state *state, int first, int count,
                         const struct totals totals, bool late)
{
    for (int k = 0; k < count; k++)
        state->sums[first + k] = totals.sum[k];
    if (late)
        conclude_late(state);
}

/* Brings this rank's numbers to the host; numbers: s->count times s->numbers.own. */
enum cgs_status bring(struct cgs_queue *queue, const struct sums *s, double *numbers)
{
    if (!s->numbers.mine) {
        memcpy(numbers, cgs_peers_of(queue)->seen->sums + s->first,
               (size_t)s->count * sizeof *numbers);
        return CGS_OK;
    }
    return cgs_cuda_fetch(queue, numbers, s->numbers.mine,
                          s->numbers.local * (int64_t)sizeof *numbers);
}

/* Gathers and adds; all: room for the numbers of all ranks, rank by rank. */
void add_on_host(struct cgs_context *context, const struct sums *s, const double *local,
                 double *all, struct totals *totals)
{
    struct cgs_comm *comm = context->comm;
    int counts[CGS_RANKS_MOST];
    double each[CGS_RANKS_MOST];
    cgs_comm_each(context, (double)(s->count * s->numbers.local), each);
    for (int r = 0; r < comm->size; r++)
        counts[r] = (int)each[r];
    comm->ops->gather(comm, local, counts, all);
    if (s->numbers.mine) {
        totals->sum[0] = cgs_pairwise(all, s->numbers.all);
        return;
    }
    for (int k = 0; k < s->count; k++) {
        for (int r = 0; r < comm->size; r++)
            each[r] = all[(int64_t)r * s->count + k];
        totals->sum[k] = cgs_pairwise(each, comm->size);
    }
}

enum cgs_status carry(struct cgs_queue *queue, struct cgs_cg_state *state, const struct sums *s)
{
    struct cgs_context *context = queue->context;
    const struct cgs_peers *peers = cgs_peers_of(queue);
    struct totals totals = {};
    double *local = NULL;
    const int64_t room = s->count * (s->numbers.local + s->numbers.all);
    CGS_TRY(cgs_launch_blocks(queue, "show_state", show_state, {1, 1}, state, peers->seen));
    CGS_TRY(cgs_cuda_wait(queue));
    if (!cgs_cg_going_on(peers->seen))
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, room, sizeof *local, "sums of ranks", (void **)&local));
    enum cgs_status status = bring(queue, s, local);
    if (status == CGS_OK) {
        const double begin = cgs_now();
        add_on_host(context, s, local, local + s->count * s->numbers.local, &totals);
        cgs_comm_count_sum(context, begin, 0.0);
        status = cgs_launch_blocks(queue, "put_sums", put_sums, {1, 1}, state, s->first, s->count,
                                   totals, s->late);
    }
    cgs_free(context, local);
    return status;
}

/* Threads of the block: whole warps for so many letters. */
int adders_for(int64_t letters)
{
    const int64_t warps = (letters + CGS_WARP - 1) / CGS_WARP;
    return warps * CGS_WARP < ADDERS ? (int)(warps * CGS_WARP) : ADDERS;
}

enum cgs_status add(struct cgs_queue *queue, struct cgs_cg_state *state, const struct sums *s)
{
    const struct cgs_peers *peers = cgs_peers_of(queue);
    if (queue->way == CGS_WAY_HOST)
        return carry(queue, state, s);
    const int64_t most =
        s->count * (s->numbers.local * s->ranks > s->numbers.all ? s->numbers.local * s->ranks
                                                                 : s->numbers.all);
    if (queue->way == CGS_WAY_NCCL)
        return gather(queue, state, s, adders_for(most));
    return cgs_launch_blocks(queue, "sums of ranks", add_sums, {1, adders_for(most)}, state, *s,
                             peers->letters.there, cgs_ranks_letters(peers->ranks) / 2, peers->turn,
                             peers->values, peers->patience, cgs_peers_times(queue));
}

} // namespace

enum cgs_status cgs_cuda_add_ranks(struct cgs_queue *queue, struct cgs_cg_state *state,
                                   enum cgs_sum first, int count, bool late)
{
    const struct cgs_peers *peers = cgs_peers_of(queue);
    const struct sums s = {(int)first,   count, peers->rank,
                           peers->ranks, late,  {NULL, 1, peers->rank, peers->ranks, false}};
    return add(queue, state, &s);
}

enum cgs_status cgs_cuda_add_numbers(struct cgs_queue *queue, struct cgs_cg_state *state,
                                     enum cgs_sum sum, const struct cgs_rank_numbers *numbers)
{
    if (numbers->alone)
        return cgs_launch_blocks(queue, "sum of blocks", add_alone, {1, adders_for(numbers->all)},
                                 state, (int)sum, numbers->mine, numbers->all);
    const struct cgs_peers *peers = cgs_peers_of(queue);
    const struct sums s = {(int)sum, 1, peers->rank, peers->ranks, false, *numbers};
    return add(queue, state, &s);
}
