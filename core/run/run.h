/* State of a run, private to the files of core/run, of which run_box.c, run_file.c and
 * run_caller.c have the steps that depend on the source of the matrix; and to libcgsolve, which
 * keeps a run between two solves. */
#pragma once

#include "core/io/output.h"
#include "core/io/progress.h"
#include "core/precond/preconditioner.h"
#include "core/run/inject.h"
#include "core/report/report.h"
#include "core/setup/asked.h"
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
/* Model problem (run_box.c), file (run_file.c), memory of the library's caller (run_caller.c),
 * the same on a device, a function of that caller. */
extern const struct cgs_run_source cgs_source_box, cgs_source_file, cgs_source_memory,
    cgs_source_device, cgs_source_callback;

/* Called when machine, problem and matrix are known, before the work begins. */
typedef void cgs_run_begun(void *user, const struct cgs_report *report);

struct cgs_run {
    struct cgs_context *context;
    struct cgs_settings *settings;
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
    /* CG's iterations of the first solve after amg's set-up that ended well, and the most of all;
     * 0: none yet, of one that failed INT64_MAX. */
    int64_t first_iterations, most_iterations;
    struct cgs_precond_facts facts; /* of it; each solve says them, since one may make it again */
    struct cgs_cg *cg;
    struct cgs_profiler *profiler; /* --profile; else NULL */
    double least; /* of the box's diagonal, once it was asked for; 0: not yet */
    double *host; /* `rows` numbers; host copy of the right-hand side, later of the solution */
    bool loaded;  /* run->host is the right-hand side, made before the matrix */
    double given; /* --rhs of the box: the sum of the file's numbers */
    struct cgs_nullspace {
        int64_t count;   /* its dimension; 0: none is known */
        int32_t *part;   /* of each row the part whose constants are in it, -1: none; NULL: all
                           rows are one, or it is of vectors */
        int64_t *size;   /* rows of each part */
        double *vector;  /* count x rows, orthonormal; NULL: constants */
        bool proven;     /* by entries */
    } nullspace;         /* nullspace.h */
    double *start;       /* `rows` numbers of --guess=FILE; NULL: none */
    double *near;        /* near-null vectors of a file; NULL: none */
    double *columns;     /* `rows` numbers of each right-hand side of --rhs=FILE; NULL: not read */
    int64_t turns, turn; /* the library's caller takes these one by one: how many, which; or 0 */
    const char *reading; /* the vector's file that is read */
    int64_t rows;        /* of this rank, once the matrix is laid out */
    bool fitted;         /* the plan fits */
    bool answered;       /* a solve has run: the vectors have been used */
    struct cgs_footprint footprint;
};

/* Returns the operator of CG's iterations: the inner one in mixed precision. */
static inline const struct cgs_operator *cgs_run_iterated(const struct cgs_run *run)
{
    return run->inner.steps ? &run->inner : &run->op;
}

/* Returns true if --near-null, --coordinates or the library's caller brings near-null vectors, or
 * set-up finds some. */
static inline bool cgs_run_wants_near_null(const struct cgs_run *run)
{
    const struct cgs_caller *caller = run->report->external.caller;
    return run->settings->near_null || run->settings->coordinates || run->settings->adaptive > 0 ||
           (caller && caller->near.count > 0);
}
