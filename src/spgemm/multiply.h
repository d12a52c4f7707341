/* cgsolve spgemm: C = A B by every kernel asked for. Each one is verified, then timed against the
 * others in turn; the facts are a table of rows, which text, JSON, CSV and figure render.
 *
 *     read or assemble A, B -> count the products and entries of every row -> plan -> slabs
 *     -> verify each kernel, a slab at a time -> time them in turn -> write
 *
 * Where C, or what a kernel needs beside it, is beyond the memory that may be taken, C is computed
 * in slabs: consecutive rows of A, as many as fit, one slab after the other.
 *
 *     rows of A   0 ... s1 - 1 | s1 ... s2 - 1 | s2 ...      each slab: a view of A, all of B
 *
 * What a product must move, at least, is A and B read once and C written once:
 *
 *     least = M(A) + M(B) + M(C),   M(X) = (value + 4) entries + 8 (rows + 1) bytes
 *
 * Row by row (Gustavson), in two passes, it reads A and the rows of B that A's columns name twice,
 * first columns, then columns and values:
 *
 *     gustavson = 2 (4 + 16) a + value a + (2 4 + value) products + M(C)
 *
 * a the entries of A; 16 for the two pointers of a row of B. Caches keep it from the memory. A
 * product counts for two operations: GFLOP/s = 2e-9 products / seconds.
 */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_H
#define CGS_SRC_SPGEMM_MULTIPLY_H

#include <stdio.h>

#include "kernels/spgemm.h"
#include "src/io/format.h"
#include "src/lab/laboratory.h"
#include "src/setup/input.h"
#include "src/setup/machine.h"
#include "src/tune/choose.h"
#include "src/tune/own.h"

enum { CGS_MULTIPLY_ROWS = 48 }; /* kernels of a run, at most */

/* One kernel. Figures are 0 where they are not known. */
struct cgs_multiply_row {
    const struct cgs_spgemm_entry *entry;
    const struct cgs_spgemm_kernel *kernel; /* of the precision; NULL: not in this build */
    bool beside; /* not asked for: a reference to hold the others against */
    enum cgs_trial_state state;
    char reason[512];        /* why not timed: a sentence */
    enum cgs_status skipped; /* the status that goes with it, where it is SKIPPED */
    int64_t wrong_row;       /* of C, the first one, 0-based; -1: none */
    double worst_error;      /* |c_ij - exact| / bound at its worst; at most 1 where verified */
    double projected;        /* |C x - A (B x)| / bound at its worst, for a random x */
    int slabs;
    int64_t planned[CGS_PLACES];      /* bytes at the peak */
    double first;                     /* seconds of the first product, verified meanwhile */
    int products;                     /* timed */
    double median, least, most;       /* seconds of one, by the clock: C's memory counts */
    double stages[CGS_SPGEMM_STAGES]; /* medians of some products with marks between stages */
    double gflops, gbs;               /* of the median; gbs: of the least bytes */
    double attainable_gbs;            /* what the device's memory gives ... */
    const char *attainable_kind;      /* ... by read, copy or triad */
    double ratio;                     /* median of the best reference there / this median */
};

/* One operand. */
struct cgs_operand {
    struct cgs_input input;
    struct cgs_crs drawn;      /* of a box; owned */
    const struct cgs_crs *crs; /* by rows, on the host; NULL: not there yet */
    struct cgs_matrix facts;   /* as CRS, without pointers: counts and row statistics */
};

struct cgs_multiply {
    struct cgs_options *options; /* borrowed; as decided */
    struct cgs_context *context; /* borrowed */
    int argc;
    const char *const *argv;
    cgs_date date;
    struct cgs_machine machine;
    struct cgs_operand left, right;  /* right: empty where B is A */
    const struct cgs_operand *a, *b; /* NULL: not there yet */
    enum cgs_number number;          /* of the values */
    struct cgs_room room;
    struct cgs_bandwidth bandwidth[CGS_DEVICES]; /* of those that computed */
    struct cgs_spgemm_size size;                 /* of the whole product, counted on the host */
    int64_t *products, *entries; /* owned; rows + 1: of all rows before; NULL: not counted yet */
    struct cgs_multiply_row rows[CGS_MULTIPLY_ROWS];
    int count;
    struct cgs_crs c;     /* owned; --output's: of the first kernel that was right */
    bool collected;       /* c is complete */
    const struct cgs_multiply_row *planned; /* --plan: the first kernel that was asked for */
    struct cgs_plan plan;                   /* what it would hold */
    int plan_slabs;                         /* and how many slabs it would take */
};

/* Runs the command and writes matrix, text, JSON, CSV and figure. CGS_NOT_CONVERGED: a kernel
 * failed. CGS_MEMORY: not even slabs of a row fit. */
enum cgs_status cgs_multiply(struct cgs_context *context, const struct cgs_call *call);

/* ---- its parts ---- */

/* From the machine to the rows; what has been learnt stays in *m, whatever the status. */
enum cgs_status cgs_multiply_run(struct cgs_multiply *m, FILE *verbose);

/* Reads or assembles A and B. CGS_USAGE: they do not fit. CGS_MEMORY: they themselves don't. */
enum cgs_status cgs_multiply_open(struct cgs_multiply *m, FILE *verbose);
/* The rows of the table: the words of --kernel=, and the references of that device. */
enum cgs_status cgs_multiply_choose(struct cgs_multiply *m);
/* The devices of the words of --kernel=, a bit each. CGS_USAGE: one is no kernel. */
enum cgs_status cgs_multiply_devices(struct cgs_multiply *m, int *devices);

/* The bytes of the formulas above. */
int64_t cgs_multiply_least_bytes(const struct cgs_multiply *m);
int64_t cgs_multiply_gustavson_bytes(const struct cgs_multiply *m);

void cgs_multiply_text(FILE *file, const struct cgs_multiply *m, bool bold);
void cgs_multiply_csv(FILE *file, const struct cgs_multiply *m);
/* CGS_MEMORY where it could not be built. */
enum cgs_status cgs_multiply_json(struct cgs_context *context, FILE *file,
                                  const struct cgs_multiply *m);
enum cgs_status cgs_multiply_plot(struct cgs_context *context, const struct cgs_multiply *m,
                                  const char *path);

#endif
