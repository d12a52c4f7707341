/* State of a run, private to the files run*.c, of which run_box.c, run_file.c and run_handed.c have
 * the steps that depend on the source of the matrix; and to library.c, which keeps a run between
 * two solves. */
#ifndef CGS_CORE_RUN_RUN_H
#define CGS_CORE_RUN_RUN_H

#include "core/io/output.h"
#include "core/io/progress.h"
#include "core/precond/preconditioner.h"
#include "core/run/inject.h"
#include "core/run/report.h"
#include "core/settle/asked.h"
#include "core/setup/assemble.h"
#include "fem/slab.h"
#include "matrix/ranks/cut.h"
#include "matrix/ranks/renumber.h"

struct cgs_run;

/* Steps of a run that depend on the source of its rows; NULL: nothing to do. */
struct cgs_run_source {
    enum cgs_status (*read)(
        struct cgs_run *run); /* before the plan: reads the rows and lays them out */
    enum cgs_status (*open)(
        struct cgs_run *run); /* after the plan: opens rows that are computed on demand */
    enum cgs_status (*prepare)(
        struct cgs_run *run); /* after the layout: computes what needs no entries of the matrix */
    enum cgs_status (*check)(
        struct cgs_run *run); /* after the layout: checks that the matrix is symmetric */
    enum cgs_status (*bound)(
        struct cgs_run *run); /* sets the error at which --stop=discretization stops */
    enum cgs_status (*load)(struct cgs_run *run);   /* computes right-hand side and start vector */
    enum cgs_status (*errors)(struct cgs_run *run); /* measures errors if a solution is known */
    enum cgs_status (*draw)(struct cgs_run *run);   /* writes fields of --output, and --slice */
};
/* Model problem (run_box.c), file (run_file.c), memory of the library's caller (run_handed.c), the same on
 * a device, a function of that caller. */
extern const struct cgs_run_source cgs_source_box, cgs_source_file, cgs_source_memory,
    cgs_source_device, cgs_source_callback;

/* Called when machine, problem and matrix are known, before the work begins. */
typedef void cgs_run_begun(void *user, const struct cgs_report *report);

struct cgs_run {
    struct cgs_context *context;
    struct cgs_options *options;
    struct cgs_report *report;
    struct cgs_output *save; /* --save-matrix; borrowed, NULL: none */
    cgs_run_begun *begun;    /* NULL: nobody asks */
    void *user;              /* of `begun` */
    struct cgs_progress_view view;
    struct cgs_machine machine;
    const struct cgs_run_source *source;
    struct cgs_input input;
    struct cgs_row_source drawn; /* rows of the matrix: the input's, with a fault if injected */
    struct cgs_portion portion;  /* of several ranks: which rows are this one's; else empty */
    struct cgs_renumbering renumbered; /* --partition: where the file's rows are; else empty */
    struct cgs_row_source owned;       /* rows of this rank; alone: `drawn` */
    struct cgs_injection injection;
    struct cgs_matrix matrix;
    struct cgs_spec spec; /* set with the matrix */
    bool laid_out;        /* the matrix has its layout */
    bool saved;           /* --save-matrix has been written */
    struct cgs_operator op;
    struct cgs_operator inner;       /* mixed precision: the iterations' operator; else empty */
    struct cgs_precond_made precond; /* empty: none */
    struct cgs_cg *cg;
    struct cgs_profiler *profiler; /* --profile; else NULL */
    double *host;  /* `rows` numbers; host copy of the right-hand side, later of the solution */
    bool loaded;   /* run->host is the right-hand side, made before the matrix */
    double given;  /* --rhs of the box: the sum of the file's numbers */
    double *start; /* `rows` numbers of --guess=FILE; NULL: none */
    const char *reading; /* the vector's file that is read */
    int64_t rows;        /* of this rank, once the matrix is laid out */
    bool fitted;         /* the plan fits */
    bool answered;       /* a solve has run: the vectors have been used */
    struct cgs_footprint footprint;
};

/* Runs a solve and fills in the report as far as it gets; prints no report. save: opened output of
 * --save-matrix, or NULL. `begun` may be NULL. The caller frees report->result.history, report->algebraic and
 * report->solution, and releases report->slice. */
enum cgs_status cgs_run(struct cgs_context *context, struct cgs_options *options, FILE *verbose,
                        struct cgs_output *save, cgs_run_begun *begun, void *user,
                        struct cgs_report *report);
/* ---- run.c: parts of cgs_run ---- */
/* Does the work needed once for a matrix and options: from opening the machine to CG with its
 * vectors; for --plan only up to the plan. *run has context, options, report and save, and is zero
 * otherwise. It must not move, and has to be released after errors, too. */
enum cgs_status cgs_run_set_up(struct cgs_run *run, FILE *verbose);
/* Makes again what does not hold any more: of a set-up whose options of CG were taken anew, or whose rows
 * have other values in the same places. After a failure the run is of no more use. */
enum cgs_run_stale { CGS_RUN_FRESH, CGS_RUN_STALE_SOLVER, CGS_RUN_STALE_VALUES };
enum cgs_status cgs_run_renew(struct cgs_run *run, enum cgs_run_stale stale);
/* Computes right-hand side and start vector, solves, and measures errors and times. May be called
 * again after success, with other vectors in options->handed and a fresh copy of the report as left
 * by cgs_run_set_up. */
enum cgs_status cgs_run_answer(struct cgs_run *run);
void cgs_run_release(struct cgs_run *run);
/* ---- run.c: helpers of the steps ---- */
void cgs_run_enter(struct cgs_run *run, enum cgs_phase phase);
/* Opens the source of the rows (run->input) and sets run->drawn. */
enum cgs_status cgs_run_open_input(struct cgs_run *run, const struct cgs_market_settings *settings);
/* Cuts the rows among ranks, and lays those of this one out. */
enum cgs_status cgs_run_lay_out(struct cgs_run *run);

/* ---- run_solve.c ---- */
/* Creates the operators and the preconditioner, if there is one. */
enum cgs_status cgs_run_make_operators(struct cgs_run *run);
/* Returns the operator of CG's iterations: the inner one in mixed precision. */
const struct cgs_operator *cgs_run_iterated(const struct cgs_run *run);
/* Creates CG with its vectors. */
enum cgs_status cgs_run_make_solver(struct cgs_run *run);
/* Solves; the report gets the result with its own copy of the history. */
enum cgs_status cgs_run_solve(struct cgs_run *run);
/* Allocates run->host unless done before. */
enum cgs_status cgs_run_take_host(struct cgs_run *run);
/* Copy run->host to a vector of CG, and back; counted as transfer. */
enum cgs_status cgs_run_put(struct cgs_run *run, void *vector);
enum cgs_status cgs_run_get(struct cgs_run *run, const void *vector);
/* Computes b = A x with CG's vectors b and x. */
enum cgs_status cgs_run_multiply(struct cgs_run *run);

/* ---- run_rows.c ---- */
/* Looks at the rows of b - A x: `rows` of struct cgs_cg_settings, whose user is the run.
 * CGS_MEMORY. */
enum cgs_status cgs_run_look_at_rows(void *run, struct cgs_cg *cg, const struct cgs_cg_norms *norms,
                                     double aim, struct cgs_cg_rows *rows);

/* ---- run_box.c ---- */
/* Measures the errors of CG's solution vector; sets *there to false if no exact solution is
 * known. */
enum cgs_status cgs_run_box_measure(struct cgs_run *run, struct cgs_errors *errors, bool *there);
/* ---- run_start.c ---- */
/* Computes the start vector of --guess. */
enum cgs_status cgs_run_start(struct cgs_run *run);

/* ---- run_vectors.c ---- */
/* Reads this rank's rows of the file of --rhs. CGS_FILE: it cannot be read, or does not fit. CGS_BREAKDOWN: its numbers
 * underflow in single precision. */
enum cgs_status cgs_run_read_rhs(struct cgs_run *run, double *b);
/* Reads the file of --guess, if there is one, into run->start. */
enum cgs_status cgs_run_read_start(struct cgs_run *run);
/* Copies run->start to CG's solution vector. */
enum cgs_status cgs_run_put_start(struct cgs_run *run);

/* ---- run_file.c ---- */
/* --kernel=auto: times candidates on the matrix within the memory that CG's vectors leave free, or
 * calls cgs_run_choose_by_lengths (--reproducible, or nothing is to be measured). If nothing fits,
 * the default kernel stays and the plan refuses it. */
enum cgs_status cgs_run_choose_kernel(struct cgs_run *run);
/* Checks that the matrix is symmetric with a positive diagonal. CGS_BREAKDOWN: it is not; the
 * message has the entry. */
enum cgs_status cgs_run_file_check(struct cgs_run *run);
/* Computes once the least and the largest diagonal entry for the report. The largest bounds all
 * entries of an SPD matrix. */
enum cgs_status cgs_run_note_range(struct cgs_run *run);
/* CGS_BREAKDOWN: a vector is too small or too large for single precision, in which the run holds
 * it. */
enum cgs_status cgs_run_check_single(struct cgs_run *run, const char *name, const double *vector);
/* --precond-precision=auto of amg: decides on double if diagonal entries are so near to the ends of
 * single precision that products and coarse grids would leave its range. */
enum cgs_status cgs_run_choose_cycle(struct cgs_run *run);
/* Adds the matrix file's name to the message of the failure. */
void cgs_run_name_file(struct cgs_run *run);
/* Computes or reads the right-hand side of --rhs; the start vector is zero. */
enum cgs_status cgs_run_rows_load(struct cgs_run *run);
/* Measures the error for --rhs=random: max |x - u| and ||x - u|| / ||u||. */
enum cgs_status cgs_run_rows_errors(struct cgs_run *run);
/* Writes the file of --save-matrix; on several ranks, of which each has a part of a file, before the rows are
 * renumbered. */
enum cgs_status cgs_run_save_matrix(struct cgs_run *run);

/* ---- run_ranks.c: on several ranks (base/comm.h); alone they do nothing, or return what there is ---- */
/* CGS_USAGE: an option that does not work on several ranks; the message says what to take instead. For
 * main, before anything is opened. */
enum cgs_status cgs_run_ranks_accept(struct cgs_context *context,
                                     const struct cgs_options *options);
/* Returns the rows of which ranks own whole multiples, of `rows` in all. */
int64_t cgs_run_ranks_unit(const struct cgs_run *run, int64_t rows);
/* Cuts that many rows for the ranks, whose parts of a file, or of the caller's matrix, are then theirs: `cut` of
 * struct cgs_market_settings, whose user is the run. */
void cgs_run_ranks_cuts(void *run, int64_t rows, int64_t *cuts);
/* Returns the number of rows of the whole matrix. */
int64_t cgs_run_all_rows(const struct cgs_run *run);
/* Cuts the rows of run->drawn, and makes run->owned those of this rank; run->rows becomes their
 * number. CGS_USAGE: the kernel cannot share rows, or more ranks than blocks of rows. */
enum cgs_status cgs_run_ranks_cut(struct cgs_run *run);
/* Distributes the rows of a file among ranks as --partition says; run->renumbered has their numbers in the
 * file. CGS_DEVICE: its library is missing. */
enum cgs_status cgs_run_ranks_partition(struct cgs_run *run);
/* Returns the number in the file, or of the box, of this rank's row i. */
int64_t cgs_run_row(const struct cgs_run *run, int64_t i);
/* Sets the report's matrix and traffic to those of the whole matrix, from this rank's. */
enum cgs_status cgs_run_ranks_matrix(struct cgs_run *run);
/* Starts to count the seconds that ranks spend with each other in solves. CGS_DEVICE, likewise below. */
enum cgs_status cgs_run_ranks_start(struct cgs_run *run);
/* Sets the report's seconds by rank, of all solves since. */
enum cgs_status cgs_run_ranks_times(struct cgs_run *run);
/* Returns the traffic of all ranks. */
struct cgs_traffic cgs_run_ranks_traffic(struct cgs_run *run, const struct cgs_traffic *own);
/* Gives rank 0 a copy of all numbers of a vector, in the file's order, and the others NULL. Alone: run->host. */
enum cgs_status cgs_run_ranks_collect(struct cgs_run *run, const void *vector, double **all);
/* Gives each rank r its numbers first[r] ... last[r] - 1 of a vector, which include those that it owns.
 * Alone: run->host with all. */
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
/* Returns the number of this rank's first row. */
int64_t cgs_run_first_row(const struct cgs_run *run);

/* ---- run_handed.c: for a caller of the library ---- */
/* Returns true if bandwidths, products and memory are measured for the report: always in the
 * program, on request in the library. */
bool cgs_run_measures(const struct cgs_run *run);
/* --kernel=auto without timing: SELL, sorted if that saves much padding; CRS if much remains. */
enum cgs_status cgs_run_choose_by_lengths(struct cgs_run *run);
/* Makes the caller's preconditioner. CGS_USAGE: it does not go with the options. */
enum cgs_status cgs_run_handed_precondition(struct cgs_run *run);
/* Takes the values of the caller's part of a matrix again. */
enum cgs_status cgs_run_handed_values(struct cgs_run *run);
/* Copies the caller's right-hand side to b. */
enum cgs_status cgs_run_handed_load(struct cgs_run *run);
/* Clear: sets x to zero again, before right-hand side and start vector are set. Start: copies the
 * caller's start vector, if there is one, to x. */
enum cgs_status cgs_run_handed_clear(struct cgs_run *run);
enum cgs_status cgs_run_handed_start(struct cgs_run *run);
/* Copies the solution to the caller, unless CG broke down. */
enum cgs_status cgs_run_handed_over(struct cgs_run *run);

#endif
