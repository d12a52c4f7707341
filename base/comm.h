/* Communicator: the processes (ranks) that solve one system together.
 *
 * A context without a communicator belongs to a process alone: all functions below then do nothing,
 * or say what one owner would. core/ranks/ makes one of MPI. The operations return no status: in
 * the program MPI ends all ranks where one of its calls fails; in the library the communicator is
 * lost then: its operations do nothing from there on, and cgs_comm_agree returns CGS_LOST.
 *
 * Every rank calls the operations in the same order. A rank that fails between two of them goes up
 * to the next cgs_comm_agree, so that this comes before operations after anything that can fail on
 * one rank alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"

CGS_BEGIN_C

/* Largest number of ranks. */
enum { CGS_RANKS_MOST = 1024 };

/* A rank other than this one, which is not known (struct cgs_comm's `silent`). */
enum { CGS_SOME_RANK = CGS_RANKS_MOST };

/* A part of a halo: `bytes` of memory to or from another rank. Two ranks exchange at most one
 * message in each direction at a time. */
struct cgs_message {
    int peer;
    bool incoming;
    void *memory; /* borrowed until `finish` */
    int64_t bytes;
};

/* Seconds that a rank spends on communication while it solves (CGS_PHASE_SOLVE). A reduction ends
 * on all ranks at about the same time, as soon as the last one has come to it. So what it takes on
 * a rank beyond the shortest time of all ranks is waiting: `waiting`, a part of `sums`. */
struct cgs_comm_time {
    double halos, sums, waiting;
    int64_t halo_count, halo_bytes, sum_count; /* exchanges, bytes received in them, reductions */
    double last_sum; /* seconds of the last reduction; 0: it was outside a solve */
};

struct cgs_comm;

struct cgs_comm_ops {
    /* Gathers counts[r] numbers of each rank r, in rank order, on every rank (MPI_Allgatherv).
     * mine: counts[comm->rank] numbers. */
    void (*gather)(struct cgs_comm *comm, const double *mine, const int *counts, double *all);
    /* all[r] = status of rank r, on every rank. Uses a channel of its own, so that a rank that has
     * failed can wait here while others are in another operation; if they do not come, all are
     * ended with its message. message: of a failure; borrowed. `vote` NULL: `gather` is used. */
    void (*vote)(struct cgs_comm *comm, enum cgs_status mine, const char *message, double *all);
    /* Broadcasts `bytes` of rank root's memory (MPI_Bcast). */
    void (*share)(struct cgs_comm *comm, int root, void *memory, int64_t bytes);
    /* Sends out_counts[r] numbers to each rank r and receives in_counts[r] from it, both in rank
     * order (MPI_Alltoallv). */
    void (*swap)(struct cgs_comm *comm, const int64_t *out, const int *out_counts, int64_t *in,
                 const int *in_counts);
    /* `start` posts the messages, `finish` waits for all of them. One exchange at a time. */
    void (*start)(struct cgs_comm *comm, const struct cgs_message *messages, int count);
    void (*finish)(struct cgs_comm *comm);
    /* Called between the two: advances the messages without waiting. NULL: not needed. */
    void (*progress)(struct cgs_comm *comm);
};

struct cgs_comm {
    const struct cgs_comm_ops *ops;
    void *self; /* of the implementation */
    int rank, size;
    int on_host;         /* ranks on this rank's host, itself included */
    int host;            /* the lowest rank of this host */
    int64_t piece;       /* bytes of the largest message of a fetch; 0: 1 GiB */
    bool stop_asked;     /* this rank was asked to stop */
    bool stopping;       /* some rank was asked to stop; agreed on at each reduction */
    bool ended;          /* the ranks have agreed on a failure: no operations follow */
    /* The rank whose device did not answer in time, CGS_SOME_RANK if it is unknown, -1 if there is
     * none; NULL: devices do not wait for each other. Unless it is another rank, memory of this
     * rank's device can't be freed, and `vote` ends all ranks. */
    const volatile int32_t *silent;
    bool lost;           /* an operation has failed: reductions give 0, other operations nothing */
    char why[256];       /* if lost: the call that failed, and its message */
    struct cgs_comm_time time;
};

/* Returns the number of ranks, 1 for a process alone. */
int cgs_comm_size(const struct cgs_context *context);

/* Returns true on rank 0 and for a process alone: this one prints and writes. */
bool cgs_comm_first(const struct cgs_context *context);

/* Agrees on the outcome of a step. If any rank failed, the call fails on all ranks with status and
 * message of the lowest rank that failed; the message names that rank unless all have failed.
 * Without a communicator returns `status`. CGS_LOST: the communicator is lost; nothing was
 * exchanged, and other ranks may still be waiting. */
enum cgs_status cgs_comm_agree(struct cgs_context *context, enum cgs_status status);

/* Sum and maximum over all ranks. Sums are taken in rank order and exact for integers below
 * 2^53. */
double cgs_comm_sum(struct cgs_context *context, double mine);
double cgs_comm_most(struct cgs_context *context, double mine);

/* all[r] = the number of rank r; without a communicator all[0] = mine. all: cgs_comm_size
 * numbers. */
void cgs_comm_each(struct cgs_context *context, double mine, double *all);

/* starts[r] = the sum of the integers of ranks 0 ... r - 1, so that starts[size] is that of all.
 * starts: size + 1 numbers. Exact below 2^53. */
void cgs_comm_starts(struct cgs_context *context, int64_t mine, int64_t *starts);

/* Returns rank 0's number. */
double cgs_comm_first_of(struct cgs_context *context, double mine);

/* A distributed vector, described alike on all ranks: rank r owns entries cuts[r] ... cuts[r + 1] -
 * 1 and wants first[r] ... last[r] - 1; first[r] = last[r]: none. Arrays borrowed. */
struct cgs_comm_ranges {
    const int64_t *cuts, *first, *last;
};

/* Fetches the entries that each rank wants. mine: this rank's entries, the first of which is
 * entry `from` of the vector; only what some rank wants is read. wanted: room for last[rank] -
 * first[rank] numbers; may overlap `mine` where both mean the same entries. Needs a
 * communicator. */
void cgs_comm_fetch(struct cgs_context *context, const struct cgs_comm_ranges *ranges,
                    const double *mine, int64_t from, double *wanted);

/* The same for items of `size` bytes. */
void cgs_comm_fetch_items(struct cgs_context *context, const struct cgs_comm_ranges *ranges,
                          int64_t size, const void *mine, int64_t from, void *wanted);

/* Moves a vector of such items from one cut to another: items from[rank] ... from[rank + 1] - 1 in
 * `mine` become to[rank] ... to[rank + 1] - 1 in `there`. Without a communicator copies to[1] of
 * them. */
void cgs_comm_recut(struct cgs_context *context, int64_t size, const int64_t *from,
                    const void *mine, const int64_t *to, void *there);

/* Exchanges messages of any length, at most one each way between two ranks, and waits for them; on
 * all ranks at once. */
void cgs_comm_exchange(struct cgs_comm *comm, const struct cgs_message *messages, int count);

/* Gathers an array of records on all ranks, in place: rank r brings records starts[r] ... starts[r
 * + 1] - 1 of `numbers` numbers each. CGS_MEMORY, on all ranks alike. Without a communicator it
 * does nothing. */
enum cgs_status cgs_comm_complete(struct cgs_context *context, const int64_t *starts, int numbers,
                                  double *records);

/* count_exchange counts an exchange and the bytes of its messages; count_halo adds the seconds from
 * `begin` (cgs_now) to now, each time that the exchange is worked on or waited for. Both count
 * during a solve only. */
void cgs_comm_count_exchange(const struct cgs_context *context, const struct cgs_message *messages,
                             int count);
void cgs_comm_count_halo(const struct cgs_context *context, double begin);

/* Counts a reduction that began at `begin`. waited: how much longer than the fastest rank this one
 * took in the reduction before; added in any case. The rest counts during a solve only. */
void cgs_comm_count_sum(const struct cgs_context *context, double begin, double waited);

CGS_END_C
