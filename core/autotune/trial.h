/* Trial of a kernel on one matrix, and the timing of several trials in turn:
 *
 *     open -> take_room -> prepare -> verify -> race        release, at any time
 *
 * A step does nothing if an earlier one has ended the trial. */
#pragma once

#include "core/autotune/candidates.h"
#include "core/autotune/outcome.h"
#include "core/autotune/verify.h"
#include "core/plan/forecast.h"
#include "solver/operator.h"

enum { CGS_BATCHES_MOST = 20 };
/* Products before the batches, and further ones of a trial that looks too slow. */
enum { CGS_FIRST_PRODUCTS = 2, CGS_MORE_PRODUCTS = 3 };

struct cgs_trial {
    const struct cgs_candidate *candidate; /* borrowed */
    const struct cgs_kernel *kernel;       /* the entry's table of the precision; borrowed */
    const struct cgs_testbed *testbed;     /* test vectors of its device; borrowed */
    struct cgs_testbed padded;             /* owned; made by prepare for a kernel of padded lines */
    struct cgs_matrix matrix;              /* owned; arrays NULL once prepared */
    struct cgs_operator op;                /* owned; steps NULL: not prepared */
    struct cgs_traffic traffic;
    double convert_seconds;  /* rows to arrays on the host, without waiting for transfers */
    double transfer_seconds; /* busy time of the link, including what overlaps the conversion */
    double prepare_seconds;  /* wall-clock time of conversion and transfer together */
    int64_t transfer_bytes;

    enum cgs_trial_state state;
    struct cgs_judgement verdict; /* its reason also explains the states skipped and dropped */

    int products;          /* products timed since `prepare` */
    int batches, in_batch; /* batches timed; products in each */
    double seconds[CGS_BATCHES_MOST],
        reads[CGS_BATCHES_MOST]; /* per batch: time of a product; of reading the entries */
    int64_t read_bytes;          /* size of the entries; 0: not read */
};

/* Lays out the matrix, asks the kernel whether it takes it, and counts bytes, without generating
 * entries. Returns errors of the run only, such as an interrupt; lack of memory for the layout
 * skips the trial. */
enum cgs_status cgs_trial_open(const struct cgs_candidate *candidate,
                               const struct cgs_testbed *testbed,
                               const struct cgs_row_source *source, enum cgs_precision precision,
                               struct cgs_trial *trial);

/* Adds the memory that `prepare` will hold to the plan. */
void cgs_trial_plan(const struct cgs_trial *trial, struct cgs_plan *plan);

/* Returns true if the memory of `prepare` fits into the room together with `held`, and adds it to
 * `held`. */
bool cgs_trial_take_room(const struct cgs_trial *trial, const struct cgs_room *room,
                         struct cgs_plan *held);

/* Returns the test vectors in the kernel's layout. */
const struct cgs_testbed *cgs_trial_testbed(const struct cgs_trial *trial);

/* Generates the entries, uploads them and releases the layout. */
enum cgs_status cgs_trial_prepare(struct cgs_trial *trial, enum cgs_precision precision);

/* Returns `references` with the kernel's tolerance: `loose` for kernels without entries. The arrays
 * stay owned by `references`. */
struct cgs_references cgs_trial_references(const struct cgs_trial *trial,
                                           const struct cgs_references *references);

/* Runs cgs_verify on the kernel; the result goes to trial->verdict. */
enum cgs_status cgs_trial_verify(struct cgs_trial *trial, const struct cgs_references *references);

/* Times `times` consecutive products of that input; *seconds is the mean of one. */
enum cgs_status cgs_trial_time(struct cgs_trial *trial, int input, int times, double *seconds);

void cgs_trial_release(struct cgs_trial *trial);

/* Ends the trial in that state with `reason`, or with the context's message (NULL), and clears the
 * context's error. CGS_INTERRUPTED is passed on. */
enum cgs_status cgs_trial_end(struct cgs_trial *trial, enum cgs_trial_state state,
                              const char *reason);

/* Return the median (with least and most) of a product's seconds and the bandwidth of reading the
 * entries in GB/s, over the batches so far; 0 without a batch. */
double cgs_trial_median(const struct cgs_trial *trial, double *least, double *most);
double cgs_trial_read_gbs(const struct cgs_trial *trial);
