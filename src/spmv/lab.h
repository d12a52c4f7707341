/* cgsolve spmv, the SpMV benchmark. Verifies every kernel that takes the matrix, then times the
 * kernels in turn. The results are a table with a row per kernel, the source of text, JSON, CSV,
 * figures and `cgsolve compare`. */
#pragma once

#include "core/autotune/choose.h"
#include "core/autotune/user_kernels.h"
#include "core/io/format.h"
#include "core/options/options.h"
#include "core/setup/input.h"
#include "core/setup/machine.h"
#include "core/setup/measure.h"
#include "src/lab/laboratory.h"

/* Results of one kernel on one matrix. Unknown numbers are 0. */
struct cgs_lab_row {
    char name[64];    /* of a user's kernel as it names itself */
    const char *file; /* of a user's kernel, as in --kernel=; borrowed, NULL: not one */
    enum cgs_device device;
    enum cgs_format format;
    int32_t chunk, sigma; /* SELL only, else 0 */
    bool reference;       /* a vendor's kernel */
    bool plugin;          /* a user's kernel: --kernel=./mine.so */
    int threads;          /* CPU threads; 1 for the single-threaded baseline, 0 for CUDA */

    enum cgs_trial_state state;
    /* what a user's kernel lacks of its containment; borrowed, NULL: not one */
    const char *uncontained;
    const char *calls; /* cgs_plugin_calls of a user's kernel; borrowed, NULL: not one */
    /* a user's kernel on small matrices; borrowed, NULL: not tried */
    const struct cgs_battery_result *tried;
    char reason[768];        /* why it was not timed, a sentence */
    int64_t wrong_row;       /* first wrong row, 0-based; -1: none */
    double worst_error;      /* max of |y_i - exact_i| / bound_i; at most 1 if verified */
    int64_t bytes_before;    /* the matrix as CRS with 32-bit columns and 64-bit pointers */
    int64_t bytes_after;     /* matrix data read by one product, padding included */
    int64_t padding;         /* bytes of padding among them */
    double convert_seconds;  /* rows to the kernel's arrays, on the host */
    double transfer_seconds; /* arrays to the device */
    int64_t transfer_bytes;
    double prepare_seconds;      /* wall-clock time of both, which overlap */
    double median, least, most;  /* seconds of one product */
    int products;                /* timed products, all batches together */
    double gbs;                  /* bytes of one product / median */
    double attainable_gbs;       /* measured bandwidth of the device's memory ... */
    const char *attainable_kind; /* ... by read, copy or triad */
    double gflops;               /* operations of one product of cells of order p > 1 / median */
    double attainable_gflops;    /* operations in registers */
    struct cgs_nearer limit;     /* of these two */
    double vendor_ratio;         /* best vendor's median / this median; above 1 is faster */
    double speedup;              /* single-threaded baseline's median / this median */
    double default_ratio;        /* the default kernel's median / this median */
    bool beside;                 /* baseline or vendor kernel, added without being asked for */
    bool standard;               /* the default kernel: of CRS, with the threads of a solve */
    int64_t break_even; /* products after which it beats the best CPU kernel, with conversion and
                           transfer counted; 0: at once, -1: never */
};

struct cgs_lab {
    const struct cgs_options *options; /* borrowed; defaults filled in */
    const struct cgs_context *context; /* borrowed */
    int argc;
    const char *const *argv;
    cgs_date date;
    const struct cgs_machine *machine; /* borrowed */
    const struct cgs_input *input;     /* borrowed */
    const char *member;                /* of an archive of many matrices; borrowed, NULL: none */
    struct cgs_matrix crs;             /* the matrix as CRS: sizes and row statistics, no arrays */
    /* users' kernels; opened here where it has none yet */
    struct cgs_user_kernels user_kernels;
    enum cgs_precision precision;
    struct cgs_bandwidth bandwidth[CGS_DEVICES]; /* measured for the devices in use */
    /* operations in registers in 1e9 a second, of boxes of order p > 1 alone */
    double arithmetic[CGS_DEVICES];
    bool cached;              /* matrix and vectors fit in the device's last-level cache */
    bool drawn;               /* crs is known */
    struct cgs_lab_row *rows; /* owned */
    int count;
    int chosen; /* row of the kernel chosen by --kernel=auto; -1: none */
    bool has_choice;
    struct cgs_selection choice; /* the choice in detail */
};
