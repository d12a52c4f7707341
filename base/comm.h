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
#ifndef CGS_BASE_COMM_H
#define CGS_BASE_COMM_H

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

/* Seconds of a rank with the others while it solves (CGS_PHASE_SOLVE), and what they were for. A
 * gathering ends on all ranks at about the same time, so that all but the last to come wait for
 * that one: the seconds of a gathering beyond the least of all ranks are `waiting`, a part of
 * `sums`. */
struct cgs_comm_time {
    double halos, sums, waiting;
    int64_t halo_count, halo_bytes, sum_count; /* exchanges, bytes received in them, gatherings */
    double last_sum; /* seconds of the last gathering; 0: not of a solve */
};

struct cgs_comm;

struct cgs_comm_ops {
    /* all = the numbers of all ranks in rank order, on every rank: counts[r] of rank r, known
     * before. mine: counts[comm->rank] numbers. */
    void (*gather)(struct cgs_comm *comm, const double *mine, const int *counts, double *all);
    /* all[r] = status of rank r, on every rank. On a channel of its own: a rank that has failed
     * waits here even while others are in another operation, and if they do not come, its
     * message ends all of them. message: of a status other than CGS_OK; borrowed. NULL: gather
     * does that. */
    void (*vote)(struct cgs_comm *comm, enum cgs_status mine, const char *message, double *all);
    /* Copies rank root's memory to that of all others. */
    void (*share)(struct cgs_comm *comm, int root, void *memory, int64_t bytes);
    /* Sends out_counts[r] numbers to each rank r and receives in_counts[r] from it, both in rank
     * order. */
    void (*swap)(struct cgs_comm *comm, const int64_t *out, const int *out_counts, int64_t *in,
                 const int *in_counts);
    /* Starts the messages, and waits for all of them. One exchange at a time. */
    void (*start)(struct cgs_comm *comm, const struct cgs_message *messages, int count);
    void (*finish)(struct cgs_comm *comm);
    /* In between: lets the messages go on, and returns at once. NULL: they do by themselves. */
    void (*progress)(struct cgs_comm *comm);
};

struct cgs_comm {
    const struct cgs_comm_ops *ops;
    void *self; /* of the implementation */
    int rank, size;
    int on_host;         /* ranks on this rank's host, itself included */
    int host;            /* the lowest of them */
    int64_t piece;       /* bytes of the largest message of a fetch; 0: 1 GiB */
    bool stop_asked;     /* this rank was asked to stop */
    bool stopping;       /* one of the ranks was: the same on all of them after each sum */
    bool ended;          /* the ranks have agreed on a failure: no operations follow */
    /* the rank whose device has been waited for in vain, CGS_SOME_RANK, or -1; NULL: no device
     * is waited for. Unless another rank is named, what is on this one's device can't be freed,
     * and `vote` ends all ranks. */
    const volatile int32_t *silent;
    bool lost;           /* an operation has failed: sums are zeros, and no operation is of use */
    char why[256];       /* then: the call that failed, and what it said */
    struct cgs_comm_time time;
};

/* Returns the number of ranks, 1 for a process alone. */
int cgs_comm_size(const struct cgs_context *context);

/* Returns true on rank 0 and for a process alone: this one prints and writes. */
bool cgs_comm_first(const struct cgs_context *context);

/* Agrees on the outcome of a step: if a rank failed, all fail alike, with the message of the
 * lowest rank that did, and the context says so. The message names the rank unless all have
 * failed. Returns `status` of a process alone. CGS_LOST: the communicator is lost; then nothing
 * is exchanged, so that other ranks may wait. */
enum cgs_status cgs_comm_agree(struct cgs_context *context, enum cgs_status status);

/* Sum and maximum of one number of each rank; sums in rank order, exact for integers below 2^53. */
double cgs_comm_sum(struct cgs_context *context, double mine);
double cgs_comm_most(struct cgs_context *context, double mine);

/* all[r] = the number of rank r; alone all[0] = mine. all: cgs_comm_size numbers. */
void cgs_comm_each(struct cgs_context *context, double mine, double *all);

/* Returns rank 0's number. */
double cgs_comm_first_of(struct cgs_context *context, double mine);

/* Ranges of a vector that is cut among the ranks, the same on all of them: rank r owns numbers
 * cuts[r] ... cuts[r + 1] - 1 and wants first[r] ... last[r] - 1; first[r] = last[r]: none.
 * Arrays borrowed. */
struct cgs_comm_ranges {
    const int64_t *cuts, *first, *last;
};

/* Brings each rank the numbers that it wants. mine: this rank's numbers from number `from` of
 * the vector on, of which only those that some rank wants are read. wanted: room for last[rank]
 * - first[rank] numbers; may hold `mine`, where these belong. On several ranks only. */
void cgs_comm_fetch(struct cgs_context *context, const struct cgs_comm_ranges *ranges,
                    const double *mine, int64_t from, double *wanted);

/* The same for items of `size` bytes. */
void cgs_comm_fetch_items(struct cgs_context *context, const struct cgs_comm_ranges *ranges,
                          int64_t size, const void *mine, int64_t from, void *wanted);

/* Completes an array of records of which each rank has a range: rank r those from starts[r] to
 * starts[r + 1] - 1, `numbers` numbers each. Afterwards all ranks have all. CGS_MEMORY, on all
 * ranks alike. Alone it does nothing. */
enum cgs_status cgs_comm_complete(struct cgs_context *context, const int64_t *starts, int numbers,
                                  double *records);

/* Counts an exchange of these messages, and its seconds from `begin` (cgs_now) to now: each time
 * that it is worked on or waited for, not what is computed meanwhile. Only a solve counts. */
void cgs_comm_count_exchange(const struct cgs_context *context, const struct cgs_message *messages,
                             int count);
void cgs_comm_count_halo(const struct cgs_context *context, double begin);

/* The same of a gathering for sums. `waited`: this rank's seconds in the one before beyond the
 * least of all ranks, which this one has told; of a solve, too. */
void cgs_comm_count_sum(const struct cgs_context *context, double begin, double waited);

CGS_END_C

#endif
