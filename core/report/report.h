/* Facts of a run. The steps of the run fill them in as they become known; text and JSON are written
 * from this struct and leave out what is unknown or does not apply. */
#pragma once

#include <stdio.h>

#include "base/comm.h"
#include "core/autotune/choose.h"
#include "core/field/slice.h"
#include "core/io/format.h"
#include "core/io/page.h"
#include "core/plan/fitting.h"
#include "core/plan/forecast.h"
#include "core/plan/scaling.h"
#include "core/precond/preconditioning.h"
#include "core/setup/measure.h"
#include "core/setup/symmetrise.h"
#include "fem/errors.h"
#include "fem/probe.h"
#include "fem/user_problem/user_problem.h"
#include "matrix/definite.h"
#include "matrix/market/market.h"
#include "solver/profile.h"

/* Error against a solution u that is known at each unknown. */
struct cgs_known_error {
    double max;      /* max_i |x_i - u_i| */
    double relative; /* ||x - u|| / ||u|| */
};

/* Start vector of --guess=fmg; its relative residual is the first of the history. */
struct cgs_start {
    int cycles;           /* cycles on each grid */
    double setup_seconds; /* set-up of grids not shared with the preconditioner */
    double seconds;       /* full multigrid pass */
    bool has_errors;
    struct cgs_errors errors;
};

/* Seconds of the ranks for the same thing. */
struct cgs_rank_seconds {
    double least, median, most;
};

/* Parts of the time of ranks: seconds.solve is compute + halo + sums, and `waiting` for the
 * others a part of these (base/comm.h). On GPUs the launches of kernels are in `compute`. */
enum cgs_rank_part {
    CGS_RANK_COMPUTE,
    CGS_RANK_HALO,
    CGS_RANK_SUMS,
    CGS_RANK_WAITING,
    CGS_RANK_PARTS
};

/* Cost of a distribution of rows. */
struct cgs_cut_cost {
    int64_t ghosts;   /* numbers that come from other ranks for a product, of all ranks */
    int64_t edges;    /* of a file: pairs of rows of two ranks that an entry joins */
    double imbalance; /* entries of the fullest rank over the mean */
};

/* A rank's part of a run on GPUs; bytes are of the GPU's memory. */
struct cgs_gpu_part {
    int device, sharers; /* its number on its host; ranks that compute on it */
    char name[64];       /* of the device */
    int64_t rows;
    int64_t planned;
    int64_t available; /* this rank's share of what was free */
    int64_t peak;      /* taken; 0: not measured */
};

/* Ranks of a run; count 0: a process alone. */
struct cgs_rank_facts {
    int count;
    int64_t rows_least, rows_most; /* of a rank */
    struct cgs_cut_cost cost;
    int shares; /* of `share`, whenever there is a plan for GPUs; else 0 */
    struct cgs_gpu_part share[CGS_RANKS_MOST]; /* of each rank */
    int gpus;                                  /* that they compute on; 0: on CPUs */
    int device[CGS_RANKS_MOST];                /* of each rank, on its host */
    enum cgs_way way;                          /* of numbers between these */
    bool renumbered; /* rows are not in the file's order, in which they would cost: */
    struct cgs_cut_cost contiguous;
    const char *partitioner;  /* the library that cut them, */
    double partition_seconds; /* with the rows' way to their ranks */
    bool timed;               /* they have solved */
    struct cgs_rank_seconds parts[CGS_RANK_PARTS];
    double by_rank[CGS_RANK_PARTS][CGS_RANKS_MOST]; /* the same, of each */
    double imbalance;                               /* most compute / mean compute */
    int64_t exchanges, received_bytes, gatherings;  /* of the same solves; bytes: of all ranks */
    struct cgs_rank_seconds steps[CGS_CG_STEPS];    /* --profile: of the lines of the profile */
};

struct cgs_report {
    int argc;
    const char *const *argv;
    const struct cgs_settings *settings; /* borrowed; defaults filled in */
    const struct cgs_context *context;   /* borrowed; seconds, status, message, transfers */
    struct cgs_external external;        /* all borrowed */
    cgs_date date;

    bool has_machine;           /* kernel, host, device and all options are known */
    struct cgs_machine machine; /* for its facts; its queues may be closed */
    bool has_bandwidth;
    struct cgs_bandwidth host_bandwidth, bandwidth; /* host; backend's device */
    double arithmetic_gflops;                       /* of that device; 0: of order 1 and of ranks */

    bool has_plan;
    struct cgs_plan plan;      /* of several ranks: of one (cgs_planning_share) */
    int planned_rank;          /* that one */
    int64_t planned_all;       /* bytes on hosts, of all ranks; 0: a process alone */
    struct cgs_scaling_facts { /* --plan on several ranks; count 0: none */
        int count;
        struct cgs_scaling_problem problem;
        struct cgs_scaling_machine machine;
        double gathering; /* seconds */
        struct cgs_scaling_point points[CGS_SCALING_POINTS];
    } scaling;
    struct cgs_room room;
    struct cgs_variant variants[CGS_VARIANTS]; /* for --plan, or if the plan does not fit */
    int variant_count;

    bool has_market;          /* a file's matrix has been read */
    struct cgs_market market; /* the file */
    int64_t reading_bytes;    /* planned host memory for reading; freed by now but for the rows */

    bool has_choice; /* --kernel=auto */
    struct cgs_selection choice;

    bool has_matrix;
    struct cgs_matrix matrix; /* for its facts; arrays NULL */
    struct cgs_mesh mesh;
    struct cgs_traffic traffic;       /* bytes of one product, in mixed precision the iterations' */
    struct cgs_traffic outer_traffic; /* mixed precision: product of the true residual; else 0 */

    /* Model problem: true if the device computed the load vector, the errors; else the host did. */
    bool load_on_device, errors_on_device;

    struct cgs_rank_facts ranks;

    bool has_range; /* matrices given by rows: the range of the diagonal has been computed */
    double least_diagonal, most_diagonal;
    /* Hold on u of a user's own box (cgs_user_hold) over rows ||A||: bounds 1 / cond; 0:
     * unknown. */
    double hold;
    bool
        /* CG broke down: what the entries say (core/run/why.h), rows as in the file */
        has_definite;
    struct cgs_definite definite;
    struct cgs_null_part null_part;
    /* CG did not end well with functions of the caller: |u'F v - v'F u| of the matrix, and of the
     * preconditioner, for random u and v, over ||u|| ||F v|| + ||v|| ||F u||; 0: not measured. */
    double skew_product, skew_precondition;

    bool has_result;
    struct cgs_cg_result result; /* its history is owned by the report, by cgs_alloc */
    double bytes_per_unknown;    /* traffic of an iteration */
    double discretization_error; /* estimate in the energy norm for --stop; else 0 */

    struct cgs_columns { /* --rhs=FILE with several right-hand sides; count 0 or 1: with one */
        int64_t count, solved;
        struct cgs_column {
            enum cgs_outcome outcome;
            int64_t iterations;
            double relative_residual, true_relative_residual, seconds;
        } * list; /* [count], owned by the report, by cgs_alloc */
    } columns;

    double *algebraic;   /* estimated energy-norm error after iterations 0 ... iterations; owned,
                          by cgs_alloc; NULL: unknown */
    double once_seconds; /* set-up of matrix, operators, preconditioner and CG's vectors */
    struct cgs_solves {
        int64_t count;
        double median, least, most; /* seconds of the CG loop */
    } solves;

    bool has_preconditioning; /* --precond */
    struct cgs_precond_facts preconditioning;
    struct cgs_again { /* begun again with cycles in double; why NULL: it was not */
        const char *why;
        int64_t iterations;       /* before, and */
        double relative_residual; /* the one of then; 0, 0: in set-up */
    } again;

    bool has_profile; /* --profile */
    struct cgs_profile profile;

    bool has_start;
    struct cgs_start start;

    bool has_errors, has_consistency;
    struct cgs_errors errors;
    double consistency;

    bool has_extremes; /* of the box, where the host has seen the solution */
    struct cgs_extremes extremes;

    /* --probe, then the points of --line: owned by the report, by cgs_alloc; NULL: none */
    struct cgs_probe *probes;
    int64_t probe_count, line_count;

    bool has_balance; /* a problem of the user's own */
    struct cgs_balance balance;
    bool free_constant; /* no face holds u: its mean is set, */
    double
        /* and so was that of the load, whose sum was this times that of its magnitudes */
        compatibility;

    struct cgs_nullspace_facts { /* of a matrix by rows: vectors that A takes to 0 */
        int64_t dimension;       /* 0: none is known */
        bool constants;          /* of all rows; one process: alone */
        bool asked, vectors;     /* by --nullspace; vectors of its file, else constants */
        bool taken;              /* b's part along them was taken off, and x's was set */
        double outside;          /* length of b's part along them / ||b|| */
        int64_t bytes;           /* that a row takes on the host */
    } nullspace;

    struct cgs_asymmetry asymmetry; /* of a matrix that was made symmetric; most 0: it was not */

    bool has_known; /* a file's matrix with --rhs=random */
    struct cgs_known_error known;

    /* --output: matrix.rows numbers, or those of all columns one after the other; owned by the
     * report, by cgs_alloc */
    double *solution;

    bool has_fields;      /* --output has been written, as fields on the mesh */
    int64_t fields_bytes; /* size of that file */
    /* of --slice, in that order: owned by the report, to be given back by cgs_pictures_release */
    struct cgs_slice *slices;
    int slice_count;
    bool has_drawn; /* one of them has been drawn */

    bool has_product;
    struct cgs_product_time product;

    bool injected;       /* the fault of --inject has happened */
    char injection[160]; /* its description */
    int injected_rank;   /* where, of several ranks; -1: alone */

    bool has_peak;
    int64_t host_peak, device_peak;
};

/* Returns a report with the command line, the options and the date. */
struct cgs_report cgs_report_start(const struct cgs_context *context,
                                   const struct cgs_settings *settings, int argc,
                                   const char *const *argv);

/* Sets the traffic of the machine's kernels on that matrix, which may be a planned one. */
void cgs_report_take_traffic(struct cgs_report *report, const struct cgs_matrix *matrix);

/* ---- derived numbers, 0 if undefined ---- */
double cgs_report_mups(const struct cgs_report *report);
double cgs_report_spmv_gbs(const struct cgs_report *report);
double cgs_report_attainable(const struct cgs_report *report, const char **kind);
/* The attainable bandwidth of a step of the iteration. */
double cgs_report_step_attainable(const struct cgs_report *report,
                                  const struct cgs_profile_line *line, const char **kind);
/* Operations of the product in 1e9 a second, where they were measured in registers, too. */
double cgs_report_operator_gflops(const struct cgs_report *report);

/* The limit that is nearer to a product. */
struct cgs_nearer cgs_report_nearer(const struct cgs_report *report);

double cgs_report_transfer_gbs(const struct cgs_report *report);
/* Estimate of the algebraic error in the energy norm of the problem, without the scaling of the
 * matrix; 0 for a file's matrix. */
double cgs_report_energy_error(const struct cgs_report *report);

/* Returns true if products and quotients of numbers like x may leave the type's range: x below
 * 2^-50 or above 2^50 in single, 2^-450 or 2^450 in double. */
bool cgs_report_leaves(enum cgs_number number, double x);

typedef char cgs_row_name[96];

/* Names a row in the words of the user's matrix: "row 17 of the matrix", counted from 1, or the
 * unknown of the box and where it is. Returns name. */
const char *cgs_report_row_name(const struct cgs_report *report, int64_t row, cgs_row_name name);

/* Speed of reading the matrix file in MB/s. */
double cgs_report_reading_mbs(const struct cgs_report *report);
/* Returns the last part of a path: "nos4.mtx". */
const char *cgs_report_base_name(const char *path);
/* Bytes that ranks send each other for a product of the iterations. */
int64_t cgs_report_halo_bytes(const struct cgs_report *report, const struct cgs_cut_cost *cost);
/* Size of the matrix in memory; in mixed precision of both copies. */
int64_t cgs_report_matrix_bytes(const struct cgs_report *report);
/* Size of a compressed matrix as plain SELL. */
int64_t cgs_report_plain_bytes(const struct cgs_report *report);
/* Wall-clock time so far, independent of the phases, whose sum can be checked against it. */
double cgs_report_total_seconds(const struct cgs_report *report);

/* Writes CSV of the points of --line, with the header line arc_length,x,y,z,u,du_dx,du_dy,du_dz. */
void cgs_report_line(FILE *file, const struct cgs_report *report);

/* Returns the arc length of point i of --line. */
double cgs_report_arc(const struct cgs_report *report, int64_t i);

/* Writes CSV with the header line iteration,relative_residual,energy_error. */
void cgs_report_history(FILE *file, const struct cgs_report *report);
