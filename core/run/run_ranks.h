/* A run on several ranks (base/comm.h); alone its functions do nothing, or return what there is. */
#pragma once

#include "core/run/run.h"

/* Cuts the rows among ranks, and lays those of this one out. */
enum cgs_status cgs_run_lay_out(struct cgs_run *run);

/* CGS_USAGE: an option that does not work on several ranks; the message says what to take
 * instead. For main, before anything is opened. */
enum cgs_status cgs_run_ranks_accept(struct cgs_context *context,
                                     const struct cgs_settings *settings,
                                     const struct cgs_plugin *plugin);

/* Cuts that many rows for the ranks, whose parts of a file, or of the caller's matrix, are then
 * theirs: `cut` of struct cgs_market_settings, whose user is the run. */
void cgs_run_ranks_cuts(void *run, int64_t rows, int64_t *cuts);

/* Distributes the rows of a file among ranks as --partition says; run->renumbered has their
 * numbers in the file. CGS_DEVICE: its library is missing. */
enum cgs_status cgs_run_ranks_partition(struct cgs_run *run);

/* Sets the report's matrix and traffic to those of the whole matrix, from this rank's. */
enum cgs_status cgs_run_ranks_matrix(struct cgs_run *run);

/* Starts to count the seconds that ranks spend with each other in solves. CGS_DEVICE, likewise
 * below. */
enum cgs_status cgs_run_ranks_start(struct cgs_run *run);

/* Sets the report's seconds by rank, of all solves since. */
enum cgs_status cgs_run_ranks_times(struct cgs_run *run);

/* Returns the traffic of all ranks. */
struct cgs_traffic cgs_run_ranks_traffic(struct cgs_run *run, const struct cgs_traffic *local);

/* Gives rank 0 a copy of all numbers of a vector, in the file's order, and the others NULL.
 * Alone: run->host. */
enum cgs_status cgs_run_ranks_collect(struct cgs_run *run, const void *vector, double **all);

/* Gives each rank r its numbers first[r] ... last[r] - 1 of a vector, which include those that
 * it owns. Alone: run->host with all. */
enum cgs_status cgs_run_ranks_fetch(struct cgs_run *run, const void *vector, const int64_t *first,
                                    const int64_t *last, double **numbers);

/* The same for the planes of a slab of the box (cgs_run_ranks_slab). */
enum cgs_status cgs_run_ranks_planes(struct cgs_run *run, const struct cgs_slab *slab,
                                     const void *vector, double **numbers);

/* Frees what collect, fetch or planes gave. */
void cgs_run_ranks_drop(struct cgs_run *run, double *numbers);

/* Returns the planes of the box whose errors this rank measures. */
struct cgs_slab cgs_run_ranks_slab(const struct cgs_run *run);

/* Adds up a number of each row of all ranks, or of(number); values: of this rank's rows. The units
 * at which ranks are cut are added in one tree (kernels/vector/tree.h): the bits are the same for
 * any number of ranks. On all ranks at once. CGS_MEMORY: *sum is not set. */
enum cgs_status cgs_run_ranks_sum(struct cgs_run *run, const double *values, double (*of)(double),
                                  double *sum);
