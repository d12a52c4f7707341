/* Sums over ranks on CUDA: each device writes its numbers to the memory of all others, and all
 * add them in one tree (tree.h), so that all have the same bits: in a kernel of their own, or at
 * the end of one that has added up its part. */
#pragma once

#include "kernels/device/peers.cuh"
#include "kernels/device/peers_cuda.cuh"
#include "kernels/vector/tree.h"

/* Numbers of which a sum consists: `local` of this rank, which are at ... at + local - 1 of
 * `all`. */
struct cgs_rank_numbers {
    const double *mine; /* in device memory; NULL: the state's own sum */
    int64_t local, at, all;
    bool alone; /* this rank has all of them */
};

CGS_BEGIN_C

/* Completes sums[first] ... sums[first + count - 1], each of which this rank has a part of.
 * late: also ends an iteration that may have deferred x (kernel.h, update_conclude). */
enum cgs_status cgs_cuda_add_ranks(struct cgs_queue *queue, struct cgs_cg_state *state,
                                   enum cgs_sum first, int count, bool late);

/* sums[sum] = the sum of these numbers of all ranks. */
enum cgs_status cgs_cuda_add_numbers(struct cgs_queue *queue, struct cgs_cg_state *state,
                                     enum cgs_sum sum, const struct cgs_rank_numbers *numbers);

CGS_END_C

/* ---- within a kernel ---- */

/* Way to the other ranks for a kernel that has a sum in one of its threads; ranks 1: there is
 * none, or another kernel has to take it. */
struct cgs_sum_way {
    int rank, ranks;
    char *const *there;
    int64_t letters; /* from those of one turn to those of the next */
    unsigned *turn;
    struct cgs_patience patience;
    struct cgs_peer_times *times;
};

/* shared: ranks have parts of the sum. */
static inline struct cgs_sum_way cgs_sum_way_of(const struct cgs_queue *queue, bool shared)
{
    struct cgs_sum_way way = {};
    way.ranks = 1;
    const struct cgs_peers *peers = shared ? cgs_peers_of(queue) : nullptr;
    if (peers && queue->way == CGS_WAY_STORES && peers->ranks <= CGS_TREE_RUN)
        way = {peers->rank,           peers->ranks,
               peers->letters.there,  cgs_ranks_letters(peers->ranks) / 2,
               peers->turn,           peers->patience,
               cgs_peers_times(queue)};
    return way;
}

/* Returns the sum over all ranks of `mine`, with the bits of cgs_cuda_add_ranks; one thread of
 * the grid calls, in the same kernels on all ranks. */
__device__ inline double cgs_sum_of_ranks(const struct cgs_sum_way &way, double mine)
{
    if (way.ranks == 1)
        return mine;
    const int64_t started = cgs_device_time();
    const unsigned turn = *way.turn + 1;
    const int64_t from = (int64_t)(turn & 1) * way.letters;
    for (int r = 0; r < way.ranks; r++)
        cgs_send_letter((struct cgs_letter *)way.there[r] + from + way.rank, mine, turn);
    const int64_t sent = cgs_device_time();
    double sum = 0.0;
    for (int r = 0; r < way.ranks; r++)
        sum += cgs_await_letter((const struct cgs_letter *)way.there[way.rank] + from + r, turn, r,
                                way.patience);
    const int64_t received = cgs_device_time();
    *way.turn = turn;
    way.times->sums += received - started;
    way.times->waiting += received - sent;
    way.times->sum_count++;
    return sum;
}
