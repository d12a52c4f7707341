/* The laboratory: cgsolve spmv. Every kernel that can take a matrix is verified, then timed against
 * the others in turn; the facts are a table of rows, which text, JSON, CSV, figures and
 * `cgsolve compare` render. */
#ifndef CGS_SRC_SPMV_LAB_H
#define CGS_SRC_SPMV_LAB_H

#include <stdio.h>

#include "src/io/format.h"
#include "src/lab/laboratory.h"
#include "src/options/options.h"
#include "src/setup/input.h"
#include "src/setup/machine.h"
#include "src/tune/choose.h"
#include "src/tune/own.h"

/* One kernel on one matrix. Figures are 0 where they are not known. */
struct cgs_lab_row {
    char name[64];
    enum cgs_device device;
    enum cgs_format format;
    int32_t chunk, sigma; /* 0 but for SELL */
    bool reference;       /* a vendor's */
    bool foreign;         /* the user's own: --kernel=./mine.so */
    int threads;          /* of the CPU; 1 in the one-thread baseline */

    enum cgs_trial_state state;
    char reason[512];        /* why not timed: a sentence */
    int64_t wrong_row;       /* the first one, 0-based; -1: none */
    double worst_error;      /* |y_i - exact_i| / bound_i at its worst; at most 1 where verified */
    int64_t bytes_before;    /* of the rows as CRS with 32-bit columns, 64-bit pointers */
    int64_t bytes_after;     /* of what one product reads, padding included */
    int64_t padding;         /* of these */
    double convert_seconds;  /* from rows to the kernel's own arrays, on the host */
    double transfer_seconds; /* to the device */
    int64_t transfer_bytes;
    double prepare_seconds;      /* both together, by the clock: they overlap */
    double median, least, most;  /* seconds of one product */
    int products;                /* timed, all batches together */
    double gbs;                  /* bytes of one product / median */
    double attainable_gbs;       /* what this device's memory gives ... */
    const char *attainable_kind; /* ... by read, copy or triad */
    double vendor_ratio;         /* best vendor's median / this median: above 1 is faster */
    double speedup;              /* one-thread CPU's median / this median */
    bool beside;        /* not asked for: a vendor's or a baseline, to hold the others against */
    int64_t break_even; /* products from which it pays against the best of the CPU, conversion and
                           transfer counted; 0: at once, -1: never */
};

struct cgs_lab {
    const struct cgs_options *options; /* borrowed; as decided */
    const struct cgs_context *context; /* borrowed */
    int argc;
    const char *const *argv;
    cgs_date date;
    const struct cgs_machine *machine; /* borrowed */
    const struct cgs_input *input;     /* borrowed */
    struct cgs_matrix crs;             /* the matrix as CRS: facts only, with row statistics */
    struct cgs_own own;                /* the person's own kernels */
    enum cgs_precision precision;
    struct cgs_bandwidth bandwidth[CGS_DEVICES]; /* of those that computed */
    bool cached;              /* the matrix fits in the device's last-level cache */
    bool drawn;               /* crs is known */
    struct cgs_lab_row *rows; /* owned */
    int count;
    int chosen; /* row that --kernel=auto takes; -1: none */
    bool has_choice;
    struct cgs_selection choice; /* how it came to that */
};

/* Runs the command and writes text, JSON, CSV and figure. CGS_NOT_CONVERGED: a kernel failed. */
enum cgs_status cgs_lab(struct cgs_context *context, const struct cgs_call *call);

/* ---- its parts ---- */

/* From the machine to the rows; what has been learnt stays in *lab, whatever the status. Machine
 * and input are those that *lab points at: empty at first, to be closed and released by the caller.
 */
enum cgs_status cgs_lab_run(struct cgs_context *context, struct cgs_options *options, FILE *verbose,
                            struct cgs_machine *machine, struct cgs_input *input,
                            struct cgs_lab *lab);
void cgs_lab_release(struct cgs_context *context, struct cgs_lab *lab);

/* The candidates of --kernel=: what was asked for, references, baselines. Room for another kind of
 * kernel is here. `room`: for --kernel=auto; stands: of the devices that there are. */
enum cgs_status cgs_lab_candidates(struct cgs_context *context, struct cgs_lab *lab,
                                   const struct cgs_stand stands[CGS_DEVICES],
                                   const struct cgs_row_source *source, const struct cgs_room *room,
                                   struct cgs_candidates *list);

/* The facts of one trial. */
void cgs_lab_note(const struct cgs_trial *trial, const struct cgs_lab *lab,
                  struct cgs_lab_row *row);
/* Ratios between rows that were timed together: items[0 ... count - 1] of lab->rows. */
void cgs_lab_hold_against_vendor(struct cgs_lab *lab, const int *items, int count);
/* Ratios to the CPU, once all rows are known. */
void cgs_lab_hold_against_cpu(struct cgs_lab *lab);

void cgs_lab_layout_name(const struct cgs_lab_row *row, char *text, size_t size); /* "SELL-8-1" */
void cgs_lab_text(FILE *file, const struct cgs_lab *lab, bool bold);
void cgs_lab_csv(FILE *file, const struct cgs_lab *lab);
/* Draws into `path` (src/figure/plot.h): seconds of one product, GB/s beside what is attainable, speed-up
 * against one thread of the CPU, a bar for each kernel that was timed, fastest first; those that
 * failed are named below them. Statuses of cgs_plot_write; CGS_MEMORY; CGS_USAGE:
 * there is no row to draw. */
enum cgs_status cgs_lab_plot(struct cgs_context *context, const struct cgs_lab *lab,
                             const char *path);
/* CGS_MEMORY where it could not be built; what could not be written shows in ferror(file). */
enum cgs_status cgs_lab_json(struct cgs_context *context, FILE *file, const struct cgs_lab *lab);

#endif
