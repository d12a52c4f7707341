/* Inside of libcgsolve: what a handle holds. Private to this room; the public header is
 * include/cgsolve/cgsolve.h. */
#pragma once

#include <locale.h>
#include <stdatomic.h>

#include "base/comm.h"
#include "core/io/threads.h"
#include "core/library/join.h"
#include "core/library/library_rows.h"
#include "core/options/options.h"
#include "core/run/pipeline.h"
#include "include/cgsolve/cgsolve.h"
#include "solver/callback.h"

enum cgs_library_matrix {
    CGS_LIBRARY_NONE, /* none was asked for, or the last one was refused */
    CGS_LIBRARY_CRS,  /* arrays */
    CGS_LIBRARY_PART, /* arrays, cut among ranks */
    CGS_LIBRARY_OPERATOR,
    CGS_LIBRARY_BOX,
    CGS_LIBRARY_FILE /* values[CGS_OPTION_matrix] */
};

struct cgsolve {
    atomic_flag busy;          /* a call is at work with the handle */
    struct cgs_context call;   /* of the last call: its status and message */
    char *values[CGS_OPTIONS]; /* as set, a line each of several; owned, NULL: not set */
    enum cgs_library_matrix matrix;
    char refused[512]; /* why the last matrix was refused; "": it was not */
    /* of the caller's arrays, borrowed or in `own`; empty unless CGS_LIBRARY_CRS */
    struct cgs_crs crs;
    int64_t nonzeros; /* the length of crs.column and crs.value */
    /* the arrays are in the memory of a device: `there`; of crs only rows are known */
    bool on_device;
    struct cgs_caller_rows there;
    struct cgs_join ranks;            /* comm NULL: none */
    struct cgs_caller_part part;      /* CGS_LIBRARY_PART; `nonzeros` is the length of its arrays */
    int64_t cuts[CGS_RANKS_MOST + 1]; /* of that part */
    struct cgs_library_rows own;      /* what was made of the caller's arrays; empty: nothing */
    struct cgs_callback product, precondition; /* of CGS_LIBRARY_OPERATOR; apply NULL: none */
    struct cgs_caller caller;
    int (*watch)(void *user, int64_t iteration, double relative_residual);
    void *user;
    int (*look)(void *user, int64_t iteration, double relative_residual, int64_t length,
                const double *x);
    void *look_user;
    bool forked;    /* this call is in a child of fork, without the OpenMP threads of its parent */
    locale_t plain; /* numbers of options have a point, whatever the caller's locale */

    /* The run: from the first set-up on, until matrix or options change. */
    bool ready;               /* cgs_run_set_up has done all */
    enum cgs_run_stale stale; /* ... and what of it does not hold any more */
    int64_t rows;  /* as long as matrix and options are those of the last set-up, else 0 */
    int64_t first; /* of several ranks this one's rows, from this number on */
    bool open;     /* it has begun, so that there is something to release */
    struct cgs_context context; /* of the run */
    struct cgs_options options;
    struct cgs_run run;
    struct cgs_stepping *stepping; /* of run; NULL: no steps in time */
    struct cgs_report facts;  /* as set up: what every solve begins with */
    struct cgs_report report; /* of the last set-up or solve */
    bool reported;
    struct cgs_threads_brief brief; /* of this call */
    int argument_count;
    char **arguments; /* those of the command line that solves the same; array and texts owned */
};
