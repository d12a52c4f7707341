/* cgsolve spgemm, the benchmark of C = A B. Verifies every kernel asked for, then times the kernels
 * in turn. The results are a table with a row per kernel, the source of text, JSON, CSV and figure.
 *
 *     read or assemble A, B -> count the products and entries of every row -> plan -> slabs
 *     -> verify each kernel, a slab at a time -> time them in turn -> write
 *
 * If C and the kernel's own memory do not fit into the memory available, C is computed in slabs,
 * one after the other: consecutive rows of A, as many as fit.
 *
 *     rows of A   0 ... s1 - 1 | s1 ... s2 - 1 | s2 ...      each slab: a view of A, all of B
 *
 * Lower bound of the traffic, with A and B read once and C written once:
 *
 *     least = M(A) + M(B) + M(C),   M(X) = (value + 4) entries + 8 (rows + 1) bytes
 *
 * Gustavson's algorithm, row by row in two passes, reads A and the rows of B named by A's columns
 * twice, first the columns, then columns and values:
 *
 *     gustavson = 2 (4 + 16) a + value a + (2 4 + value) products + M(C)
 *
 * with a entries of A, and 16 bytes for the two pointers of a row of B. Caches serve part of it. A
 * product is a multiplication and an addition: GFLOP/s = 2e-9 products / seconds.
 */
#pragma once

#include "core/autotune/choose.h"
#include "core/autotune/user_kernels.h"
#include "core/io/format.h"
#include "core/setup/input.h"
#include "core/setup/machine.h"
#include "kernels/spgemm.h"
#include "src/lab/laboratory.h"

enum { CGS_MULTIPLY_ROWS = 48 }; /* maximum number of kernels in a run */

/* Results of one kernel. Unknown numbers are 0. */
struct cgs_multiply_row {
    const struct cgs_spgemm_entry *entry;
    const struct cgs_spgemm_kernel *kernel; /* table of the precision; NULL: cannot run */
    bool beside; /* a reference kernel, added for comparison without being asked for */
    enum cgs_trial_state state;
    char reason[512];        /* why it was not timed, a sentence */
    enum cgs_status skipped; /* status of that reason if it was skipped */
    int64_t wrong_row;       /* first wrong row of C, 0-based; -1: none */
    double worst_error;      /* max of |c_ij - exact| / bound; at most 1 if verified */
    double projected;        /* max of |C x - A (B x)| / bound, for a random x */
    int slabs;
    int64_t planned[CGS_PLACES];      /* bytes at the peak */
    double first;                     /* seconds of the first product, the one that is verified */
    int products;                     /* timed products */
    double median, least, most;       /* wall-clock seconds of one, allocation of C included */
    double stages[CGS_SPGEMM_STAGES]; /* median seconds, from products timed stage by stage */
    double gflops, gbs;               /* at the median; gbs: from the lower bound of the traffic */
    double attainable_gbs;            /* measured bandwidth of the device's memory ... */
    const char *attainable_kind;      /* ... by read, copy or triad */
    double ratio;                     /* best reference's median on that device / this median */
};

/* Operand A or B. */
struct cgs_operand {
    struct cgs_input input;
    struct cgs_crs drawn;      /* matrix of the model problem; owned */
    const struct cgs_crs *crs; /* the rows on the host; points into input or drawn; NULL: not yet */
    struct cgs_matrix facts;   /* sizes and row statistics as CRS, no arrays */
};

struct cgs_multiply {
    struct cgs_options *options; /* borrowed; defaults filled in */
    struct cgs_context *context; /* borrowed */
    int argc;
    const char *const *argv;
    cgs_date date;
    struct cgs_machine machine;
    struct cgs_operand left, right;  /* right: empty if B is A */
    const struct cgs_operand *a, *b; /* left and right (or left twice); NULL: not opened yet */
    enum cgs_number number;          /* type of the values */
    struct cgs_room room;
    struct cgs_bandwidth bandwidth[CGS_DEVICES]; /* measured for the devices in use */
    struct cgs_spgemm_size size;                 /* the whole product, counted on the host */
    int64_t *products, *entries; /* owned; prefix sums by row of C, rows + 1; NULL: not counted */
    struct cgs_multiply_row rows[CGS_MULTIPLY_ROWS];
    int count;
    struct cgs_crs c; /* owned; C for --output, by the first verified kernel */
    bool collected;   /* c is complete */
    const struct cgs_multiply_row *planned; /* --plan: the first kernel asked for that can run */
    struct cgs_plan plan;                   /* its memory in the largest slab */
    int plan_slabs;                         /* its number of slabs */
};
