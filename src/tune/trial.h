/* A kernel made ready on one matrix, and trials timed against each other in turn:
 *
 *     open -> take_room -> prepare -> verify -> race        release, at any time
 *
 * A step does nothing where an earlier one has ended the trial. */
#ifndef CGS_SRC_TUNE_TRIAL_H
#define CGS_SRC_TUNE_TRIAL_H

#include "solver/operator.h"
#include "src/plan/forecast.h"
#include "src/tune/candidates.h"
#include "src/tune/outcome.h"
#include "src/tune/verify.h"

enum { CGS_BATCHES_MOST = 20 };
/* Before its batches; those of a trial that looks hopeless once more. */
enum { CGS_FIRST_PRODUCTS = 2, CGS_MORE_PRODUCTS = 3 };

struct cgs_trial {
    const struct cgs_candidate *candidate; /* borrowed */
    const struct cgs_kernel *kernel;       /* of the precision */
    const struct cgs_stand *stand;         /* its device's; borrowed */
    struct cgs_matrix matrix;              /* facts once prepared: pointers and permutation NULL */
    struct cgs_operator op;                /* owned; steps NULL: not prepared */
    struct cgs_traffic traffic;
    double convert_seconds;  /* rows to arrays, on the host */
    double transfer_seconds; /* that the link was busy; what of it overlaps is in neither ... */
    double prepare_seconds;  /* ... of both together, by the clock */
    int64_t transfer_bytes;

    enum cgs_trial_state state;
    struct cgs_judgement verdict; /* reason: also of the other states */

    int products;          /* asked of it since it was prepared */
    int batches, in_batch; /* taken; products of each */
    double seconds[CGS_BATCHES_MOST],
        reads[CGS_BATCHES_MOST]; /* of a product; of reading the entries */
    int64_t read_bytes;          /* of entries; 0: not read */
};

/* Lays the matrix out, asks the kernel whether it takes it, and counts bytes; draws nothing.
 * A status is the run's own failure (an interrupt, no memory for the layout). */
enum cgs_status cgs_trial_open(const struct cgs_candidate *candidate, const struct cgs_stand *stand,
                               const struct cgs_row_source *source, enum cgs_precision precision,
                               struct cgs_trial *trial);

/* What prepare will hold. */
void cgs_trial_plan(const struct cgs_trial *trial, struct cgs_plan *plan);

/* Returns true if what prepare will hold fits into the room with what is held; it then counts as held. */
bool cgs_trial_take_room(const struct cgs_trial *trial, const struct cgs_room *room,
                         struct cgs_plan *held);

/* Draws the entries and uploads them; the layout is given back. */
enum cgs_status cgs_trial_prepare(struct cgs_trial *trial, enum cgs_precision precision);

/* The answers as that kernel is held against them; the arrays are still those of `truths`. */
struct cgs_truths cgs_trial_truths(const struct cgs_trial *trial, const struct cgs_truths *truths);

/* cgs_verify. */
enum cgs_status cgs_trial_verify(struct cgs_trial *trial, const struct cgs_truths *truths);

/* Seconds of one product: of `times` one after the other. */
enum cgs_status cgs_trial_time(struct cgs_trial *trial, int input, int times, double *seconds);

void cgs_trial_release(struct cgs_trial *trial);

/* Against the trial: ends it with these words, or with the context's own, which is clean then.
 * Passes on what ends the run: an interrupt. */
enum cgs_status cgs_trial_end(struct cgs_trial *trial, enum cgs_trial_state state,
                              const char *reason);

struct cgs_race {
    int products;  /* timed, of each trial; one a batch and the first ones come on top */
    int batches;   /* at most CGS_BATCHES_MOST */
    bool cold;     /* caches are flushed before each product */
    double budget; /* seconds that a trial may take at most, about; at least 3 products ... */
    double baseline_budget; /* ... and one that is beside, if this is not 0 */
    double hopeless;        /* times the best of its device: dropped after its first products ... */
    double patience;        /* ... unless all of them take fewer seconds than this */
    const struct cgs_truths *truths; /* a batch's last y is verified; NULL: nothing is */
};

/* Times all open trials in turn: batch after batch, each with another input than the one before. */
enum cgs_status cgs_race_run(const struct cgs_race *race, struct cgs_trial *const *trials,
                             int count);

/* Of the batches so far; 0 without one. */
double cgs_trial_median(const struct cgs_trial *trial, double *least, double *most);
double cgs_trial_read_gbs(const struct cgs_trial *trial);

#endif
