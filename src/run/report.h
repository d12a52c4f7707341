/* The facts of a run. The pipeline fills them in as they become known; text and JSON render the
 * same struct, and leave out what is not known or does not apply. */
#ifndef CGS_SRC_RUN_REPORT_H
#define CGS_SRC_RUN_REPORT_H

#include <stdio.h>

#include "fem/errors.h"
#include "matrix/market/market.h"
#include "solver/profile.h"
#include "src/field/slice.h"
#include "src/io/format.h"
#include "src/plan/fitting.h"
#include "src/plan/forecast.h"
#include "src/precond/preconditioning.h"
#include "src/setup/measure.h"
#include "src/tune/choose.h"

/* Against a solution that is known at each unknown. */
struct cgs_known_error {
    double max;      /* max_i |x_i - u_i| */
    double relative; /* ||x - u|| / ||u|| */
};

/* What --guess=fmg gave CG to start from; its relative residual is the first of the history. */
struct cgs_start {
    int cycles;            /* on each grid */
    double setup_seconds;  /* of grids that the preconditioner does not share */
    double seconds;        /* of the pass */
    bool has_errors;
    struct cgs_errors errors;
};

struct cgs_report {
    int argc;
    const char *const *argv;
    const struct cgs_options *options; /* borrowed; as decided */
    const struct cgs_context *context; /* borrowed; seconds, status, message, transfers */
    cgs_date date;

    bool has_machine;           /* kernel, host, device and all options are known */
    struct cgs_machine machine; /* queues may be closed: facts only */
    bool has_bandwidth;
    struct cgs_bandwidth host_bandwidth, bandwidth; /* of the host, of the backend's device */

    bool has_plan;
    struct cgs_plan plan;
    struct cgs_room room;
    struct cgs_variant variants[CGS_VARIANTS]; /* of --plan and of a refusal */
    int variant_count;

    bool has_market;          /* a file's matrix: it has been read */
    struct cgs_market market; /* what was read */
    int64_t reading_bytes;    /* of the host that reading was to take; gone by now but the rows */

    bool has_choice; /* --kernel=auto */
    struct cgs_selection choice;

    bool has_matrix;
    struct cgs_matrix matrix; /* pointers are gone: facts only */
    struct cgs_mesh mesh;
    struct cgs_traffic traffic; /* of one product; in mixed precision of the iterations' */
    struct cgs_traffic outer_traffic; /* of the true residual's in mixed precision; else zeros */

    /* Of the box on a device: what that has computed by itself. Others: all by the host. */
    bool load_on_device, errors_on_device;

    bool has_range; /* of a matrix that came by its rows, where somebody had to know */
    double least_diagonal, most_diagonal;

    bool has_result;
    struct cgs_cg_result result; /* history is owned by the report, by cgs_alloc */
    double bytes_per_unknown;    /* of an iteration */
    double discretization_error; /* in the energy norm, where --stop asks for it; else 0 */

    double *algebraic; /* the error after iterations 0 ... iterations in the energy norm, estimated;
                          NULL: not known; owned by the report, by cgs_alloc */
    double once_seconds; /* of matrix, operators, preconditioner and CG's vectors */
    struct cgs_solves {
        int64_t count;
        double median, least, most; /* seconds of the loop */
    } solves;

    bool has_preconditioning; /* --precond */
    struct cgs_precond_facts preconditioning;

    bool has_profile; /* --profile */
    struct cgs_profile profile;

    bool has_start;
    struct cgs_start start;

    bool has_errors, has_consistency;
    struct cgs_errors errors;
    double consistency;

    bool has_known;               /* of a file's matrix, where --rhs=random */
    struct cgs_known_error known;

    double *solution; /* --output: rows of it; owned by the report, by cgs_alloc */

    bool has_vtkhdf;        /* --output=FILE.vtkhdf has been written */
    int64_t vtkhdf_bytes;   /* of that file */
    bool has_drawn;         /* --slice has been drawn */
    struct cgs_slice slice; /* --slice: its pixels are the report's, to be released; else empty */

    bool has_product;
    struct cgs_product_time product;

    bool injected;       /* the fault of --inject has happened */
    char injection[160]; /* what it was */

    bool has_peak;
    int64_t host_peak, device_peak;
};

/* A report that knows who asked for what, and when. */
struct cgs_report cgs_report_start(const struct cgs_context *context,
                                   const struct cgs_options *options, int argc,
                                   const char *const *argv);

/* The traffic of the machine's kernels on that matrix, which may be a forecast. */
void cgs_report_take_traffic(struct cgs_report *report, const struct cgs_matrix *matrix);

/* ---- derived figures, 0 where they do not exist ---- */
double cgs_report_mups(const struct cgs_report *report);
double cgs_report_spmv_gbs(const struct cgs_report *report);
double cgs_report_attainable(const struct cgs_report *report, const char **kind);
/* The same for a step of the iteration. */
double cgs_report_step_attainable(const struct cgs_report *report,
                                  const struct cgs_profile_line *line, const char **kind);
double cgs_report_transfer_gbs(const struct cgs_report *report);
/* The algebraic error's estimate in the problem's own energy norm, also where the matrix is scaled;
 * 0 for a file's matrix, whose norm is nobody's. */
double cgs_report_energy_error(const struct cgs_report *report);
/* ---- report_cost.c, which says what they are ---- */
double cgs_report_to_solution(const struct cgs_report *report);
double cgs_report_operator_gdofs(const struct cgs_report *report);

/* Returns true if products and quotients of numbers as large as x come near to the ends of that number
 * type's range: below 2^-50 or above 2^50 of single, 2^-450 or 2^450 of double. */
bool cgs_report_leaves(enum cgs_number number, double x);

/* MB of text that were read in a second. */
double cgs_report_reading_mbs(const struct cgs_report *report);
/* The last part of a path: "nos4.mtx". */
const char *cgs_report_base_name(const char *path);
/* Of all that is kept of the matrix: twice in mixed precision. */
int64_t cgs_report_matrix_bytes(const struct cgs_report *report);
/* The same in SELL, where the matrix is compressed. */
int64_t cgs_report_plain_bytes(const struct cgs_report *report);
/* Until now, by the clock and not as the sum of the phases: so the sum can be checked by it. */
double cgs_report_total_seconds(const struct cgs_report *report);

/* Text for people; `bold`: with emphasis for a terminal. */
void cgs_report_text(FILE *file, const struct cgs_report *report, bool bold);

/* The table of --plan. */
void cgs_report_plan(FILE *file, const struct cgs_report *report, bool bold);

/* JSON for programs, all that is known; failures too. CGS_MEMORY where it could not be built;
 * what could not be written shows in ferror(file). */
enum cgs_status cgs_report_json(struct cgs_context *context, FILE *file,
                                const struct cgs_report *report);

/* iteration,relative_residual,energy_error: CSV with a header line. */
void cgs_report_history(FILE *file, const struct cgs_report *report);

#endif
