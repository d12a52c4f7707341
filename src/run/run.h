/* A run as its steps see it: private to run.c, to run_solve.c, and to run_box.c and run_file.c,
 * which know what is particular to a matrix of the box and to one of a file; and to library.c, which
 * keeps one between two solves. */
#ifndef CGS_SRC_RUN_RUN_H
#define CGS_SRC_RUN_RUN_H

#include "src/io/output.h"
#include "src/io/progress.h"
#include "src/precond/preconditioner.h"
#include "src/run/inject.h"
#include "src/run/report.h"
#include "src/settle/asked.h"
#include "src/setup/assemble.h"

struct cgs_run;

/* The steps of a run that differ by where its rows come from; NULL: nothing to do. */
struct cgs_run_source {
    enum cgs_status (*read)(
        struct cgs_run *run); /* before the plan: rows that it depends on, laid out */
    enum cgs_status (*open)(
        struct cgs_run *run); /* after the plan: rows that are computed as they are drawn */
    enum cgs_status (*check)(
        struct cgs_run *run); /* the matrix is symmetric, once it is laid out */
    enum cgs_status (*bound)(
        struct cgs_run *run); /* the error that --stop=discretization stops at */
    enum cgs_status (*load)(struct cgs_run *run);   /* right-hand side and start vector */
    enum cgs_status (*errors)(struct cgs_run *run); /* of the solution, as far as one is known */
    enum cgs_status (*draw)(struct cgs_run *run);   /* --output=FILE.vtkhdf and --slice */
};
/* The box (run_box.c), a file (run_file.c), the memory of a caller of the library (run_handed.c). */
extern const struct cgs_run_source cgs_source_box, cgs_source_file, cgs_source_memory;

struct cgs_run {
    struct cgs_context *context;
    struct cgs_options *options;
    struct cgs_report *report;
    struct cgs_output *save; /* --save-matrix; borrowed, NULL: not wanted */
    struct cgs_progress_view view;
    struct cgs_machine machine;
    const struct cgs_run_source *source;
    struct cgs_input input;
    struct cgs_row_source drawn; /* what the matrix draws from: the input's rows, or with a fault */
    struct cgs_injection injection;
    struct cgs_matrix matrix;
    struct cgs_spec spec; /* once the matrix is there */
    bool laid_out; /* the matrix is there */
    struct cgs_operator op;
    struct cgs_operator inner; /* of the iterations in mixed precision; else empty */
    struct cgs_precond_made precond; /* empty: none */
    struct cgs_cg *cg;
    struct cgs_profiler *profiler; /* --profile; else NULL */
    double
        *host; /* rows: right-hand side on its way to the device, later the solution from there */
    int64_t rows;
    bool fitted;   /* the plan */
    bool answered; /* once: the vectors are no longer as they were made */
    struct cgs_footprint footprint;
};

/* The pipeline alone: fills in the facts as far as it gets. `save`: where --save-matrix goes,
 * opened; NULL: nowhere. report->result.history, report->algebraic and report->solution are the caller's to
 * free, report->slice is to be released. */
enum cgs_status cgs_run(struct cgs_context *context, struct cgs_options *options, FILE *verbose,
                        struct cgs_output *save, struct cgs_report *report);
/* ---- run.c: what cgs_run consists of ---- */
/* All that a matrix and options need once: from the machine to CG with its vectors; of --plan the
 * plan. `run` has context, options, report and save, all else empty; it must stay where it is, and is
 * to be released whatever happened. */
enum cgs_status cgs_run_set_up(struct cgs_run *run, FILE *verbose);
/* Right-hand side, start vector, solve, errors, and what is measured afterwards. More than once, as
 * long as it does not fail: with other vectors of options->handed, a fresh copy of the report that
 * cgs_run_set_up left. */
enum cgs_status cgs_run_answer(struct cgs_run *run);
void cgs_run_release(struct cgs_run *run);
/* ---- run.c: steps of steps ---- */
void cgs_run_enter(struct cgs_run *run, enum cgs_phase phase);
/* Makes the source of the rows, and what is drawn from it. */
enum cgs_status cgs_run_open_input(struct cgs_run *run, const struct cgs_market_settings *settings);
enum cgs_status cgs_run_lay_out(struct cgs_run *run);

/* ---- run_solve.c ---- */
/* The operator, and the preconditioner where one is wanted. */
enum cgs_status cgs_run_make_operators(struct cgs_run *run);
/* What CG iterates with: the inner operator where there is one. */
const struct cgs_operator *cgs_run_iterated(const struct cgs_run *run);
/* CG with its vectors, on these operators. */
enum cgs_status cgs_run_make_solver(struct cgs_run *run);
/* The solve; the report gets the result, with a history of its own. */
enum cgs_status cgs_run_solve(struct cgs_run *run);
/* run->host is there afterwards. */
enum cgs_status cgs_run_take_host(struct cgs_run *run);
/* run->host into a vector of CG, and back; charged as transfer. */
enum cgs_status cgs_run_put(struct cgs_run *run, void *vector);
enum cgs_status cgs_run_get(struct cgs_run *run, const void *vector);
/* b = A x. */
enum cgs_status cgs_run_multiply(struct cgs_run *run);

/* ---- run_box.c ---- */
/* The errors of what stands in CG's solution; *there is false where nothing is known to compare. */
enum cgs_status cgs_run_box_measure(struct cgs_run *run, struct cgs_errors *errors, bool *there);
/* ---- run_start.c ---- */
/* The start vector by --guess. */
enum cgs_status cgs_run_start(struct cgs_run *run);

/* ---- run_file.c ---- */
/* --kernel=auto: candidates are measured on the matrix, within what CG's vectors will leave free; with
 * --reproducible cgs_run_choose_by_lengths.
 * Where nothing fits, the default stays, and the plan refuses it with its figures. */
enum cgs_status cgs_run_choose_kernel(struct cgs_run *run);
/* Symmetric, diagonal positive: CGS_BREAKDOWN says what is not. */
enum cgs_status cgs_run_file_check(struct cgs_run *run);
/* Least and largest diagonal entry, into the report, once; those of a positive definite matrix bound all
 * others. */
enum cgs_status cgs_run_note_range(struct cgs_run *run);
/* CGS_BREAKDOWN where single precision would take the right-hand side for 0, or for a few of its bits. */
enum cgs_status cgs_run_check_small(struct cgs_run *run, const char *name, const double *vector);
/* --precond-precision=auto of amg: double where the entries come near to the ends of single precision,
 * whose products and coarser grids would leave it. */
enum cgs_status cgs_run_choose_cycle(struct cgs_run *run);
/* Adds the file to the message of a failure that names an entry. */
void cgs_run_name_file(struct cgs_run *run);
/* Right-hand side by --rhs; the start vector is zero. */
enum cgs_status cgs_run_rows_load(struct cgs_run *run);
/* The error of the solution where --rhs=random: max |x - u| and ||x - u|| / ||u||. */
enum cgs_status cgs_run_rows_errors(struct cgs_run *run);
/* --save-matrix. */
enum cgs_status cgs_run_save_matrix(struct cgs_run *run);

/* ---- run_handed.c: for a caller of the library ---- */
/* Whether bandwidths, products and memory are measured for the report; the program's always does. */
bool cgs_run_measures(const struct cgs_run *run);
/* --kernel=auto, nothing measured: SELL, sorted where that saves much; CRS where it were padded even
 * so. */
enum cgs_status cgs_run_choose_by_lengths(struct cgs_run *run);
/* The caller's right-hand side. */
enum cgs_status cgs_run_handed_load(struct cgs_run *run);
/* Before right-hand side and start: x is zero again. After the right-hand side: the caller's start, if
 * there is one. */
enum cgs_status cgs_run_handed_clear(struct cgs_run *run);
enum cgs_status cgs_run_handed_start(struct cgs_run *run);
/* The solution, to the caller. */
enum cgs_status cgs_run_handed_over(struct cgs_run *run);

#endif
