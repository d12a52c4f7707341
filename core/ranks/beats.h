/* Signs of life of all ranks. Each rank beats: on its own host into memory that the ranks there share, and
 * the first rank of each host (its leader) by messages to the leader of the next host, in a ring:
 *
 *     host a:  0 1 2 3      each sees the seats of the others      leader 0 --> leader 4
 *     host b:  4 5 6 7                                             leader 4 --> leader 0
 *
 * A turn is one call of cgs_beats_turn, by the watch's thread of each rank (core/ranks/watch.h). Time is
 * counted in one's own turns, not read from a clock: ranks that were all suspended, and go on, are not
 * late for each other.
 */
#ifndef CGS_CORE_RANKS_BEATS_H
#define CGS_CORE_RANKS_BEATS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct cgs_beats;

/* A rank that does not beat. */
struct cgs_late {
    int turns; /* since its last beat; 0: all beat */
    int rank;
    bool other_host;  /* a leader of another host; all of its host may be gone */
    const char *host; /* borrowed */
};

/* Makes the seats; called by all ranks of `all` at once. Leaders send messages only where `messages` is
 * set: it needs MPI_THREAD_MULTIPLE. NULL: there is no memory. */
struct cgs_beats *cgs_beats_open(MPI_Comm all, bool messages);

/* Number of ranks on this host. */
int cgs_beats_on_host(const struct cgs_beats *beats);

/* Lowest of them. */
int cgs_beats_host(const struct cgs_beats *beats);

/* Marks that this rank waits for others until cgs_beats_leave; that may take the time of moving `bytes`.
 * Called by the thread that calls MPI's operations, beside the watch's. */
void cgs_beats_enter(struct cgs_beats *beats, int64_t bytes);
void cgs_beats_leave(struct cgs_beats *beats);

/* Beats once, and looks at the others. `seconds`: between two turns. */
void cgs_beats_turn(struct cgs_beats *beats, double seconds);

/* Returns the rank that this one watches and that has been silent longest. */
struct cgs_late cgs_beats_late(const struct cgs_beats *beats);

/* Returns for how many turns all ranks of all hosts have waited, with nobody going on. */
int cgs_beats_idle(const struct cgs_beats *beats);

/* Returns true for the first rank of a host that asks: that one alone says what happened. */
bool cgs_beats_claim(struct cgs_beats *beats);

/* Ends the messages and releases all; NULL is allowed. Called by all ranks at once, none of which calls
 * anything else meanwhile or later. */
void cgs_beats_close(struct cgs_beats *beats);

#endif
