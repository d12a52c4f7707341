/* libcgsolve inside: what a handle holds. Private to library*.c; the public header is
 * include/cgsolve/cgsolve.h. */
#ifndef CGS_CORE_LIBRARY_LIBRARY_H
#define CGS_CORE_LIBRARY_LIBRARY_H

#include <fenv.h>
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
    struct cgs_crs
        crs; /* of the caller's arrays, borrowed or in `own`; empty unless CGS_LIBRARY_CRS */
    int64_t nonzeros; /* the length of crs.column and crs.value */
    bool
        /* the arrays are in the memory of a device: `there`; of crs only rows are known */
        on_device;
    struct cgs_caller_rows there;
    struct cgs_join ranks;            /* comm NULL: none */
    struct cgs_caller_part part;      /* CGS_LIBRARY_PART; `nonzeros` is the length of its arrays */
    int64_t cuts[CGS_RANKS_MOST + 1]; /* of that part */
    struct cgs_library_rows own;      /* what was made of the caller's arrays; empty: nothing */
    struct cgs_callback product, precondition; /* of CGS_LIBRARY_OPERATOR; apply NULL: none */
    struct cgs_caller caller;
    int (*watch)(void *user, int64_t iteration, double relative_residual);
    void *user;
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
    struct cgs_report facts;  /* as set up: what every solve begins with */
    struct cgs_report report; /* of the last set-up or solve */
    bool reported;
    struct cgs_threads_brief brief; /* of this call */
    int argument_count;
    char **arguments; /* those of the command line that solves the same; array and texts owned */
};

/* ---- library_call.c ---- */
/* State of the caller that a call sets aside: locale, floating-point traps and flags. */
struct cgs_library_call {
    struct cgsolve *solver;
    locale_t locale; /* 0: left alone */
    fenv_t floats;
    bool traps;  /* the caller traps floating-point exceptions */
    int threads; /* most that the call may have */
};

/* Begins each call that can fail: takes the handle, sets the caller's locale and floating-point
 * environment aside, clears the message. false: the handle is NULL or in use; the message says
 * so, the status is CGSOLVE_USAGE, and nothing was changed. */
bool cgs_library_begin(struct cgs_library_call *call, struct cgsolve *solver, const char *function);
/* Notes that the calling thread is about to have so many OpenMP threads in this process, if they
 * are several: a child of fork lacks these. */
void cgs_library_compute(int threads);
/* Sets the threads of the call to those that help with a matrix of so many entries, unless the
 * option says how many. */
void cgs_library_share(struct cgsolve *solver, int64_t entries);
/* Ends it: the status and message of the call; the handle is free again. */
enum cgsolve_status cgs_library_end(struct cgs_library_call *call);
/* The caller's locale and floating-point environment alone, for a handle that is no more. */
void cgs_library_restore(struct cgs_library_call *call);
/* Keeps "function: why" as the message of the calling thread; returns status. */
enum cgsolve_status cgs_library_refuse(enum cgsolve_status status, const char *function,
                                       const char *why);

/* Fails where the ends of an array are not in the host's memory; `otherwise` adds what would be
 * right as well. NULL is allowed. */
enum cgs_status cgs_library_check_place(struct cgs_context *context, const char *name,
                                        const void *array, int64_t bytes, const char *otherwise);

/* ---- library_ranks.c ---- */
/* Calls that all ranks of a handle make together. */
enum cgs_library_function {
    CGS_LIBRARY_DISTRIBUTED,
    CGS_LIBRARY_VALUES,
    CGS_LIBRARY_SETUP,
    CGS_LIBRARY_SOLVE,
    CGS_LIBRARY_SOLVE_FROM,
    CGS_LIBRARY_SOLVE_MANY
};
struct cgs_library_meeting {
    enum cgs_library_function function;
    int64_t count;       /* of right-hand sides */
    const double *b, *x; /* of a solve */
};
/* Has all ranks begin the same call; `status`: of what this rank has checked so far, with its
 * message. They return the same. Where it is CGS_OK, all have the same options, and the same of
 * a set-up to make anew, and vectors that a rank without rows left out are there if others have
 * them. CGS_USAGE, which names the rank: another function, other options, a vector left out.
 * CGS_LOST. Alone: `status`. */
enum cgs_status cgs_library_meet(struct cgsolve *solver, enum cgs_status status,
                                 struct cgs_library_meeting *meeting);
/* CGS_USAGE: the matrix or the process is not fit for several ranks. */
enum cgs_status cgs_library_check_ranks(struct cgsolve *solver);
/* Replaces the values of a part; on all ranks at once. */
enum cgs_status cgs_library_part_values(struct cgsolve *solver, int64_t nonzeros,
                                        const double *values);
/* Gives the communicator back. */
void cgs_library_leave(struct cgsolve *solver);

/* ---- library_options.c ---- */
/* All that was set, as the options of a run; the arguments of its report. CGS_USAGE: a
 * combination that makes no sense. CGS_MEMORY. To be released whatever happened. */
enum cgs_status cgs_library_options(struct cgsolve *solver);
void cgs_library_options_release(struct cgsolve *solver);
/* Takes the options that CG alone reads into those of the run. */
enum cgs_status cgs_library_options_renew(struct cgsolve *solver);

/* ---- library_matrix.c ---- */
/* CGS_USAGE: there is no matrix; says why the last one was refused. */
enum cgs_status cgs_library_wants_matrix(struct cgsolve *solver);
/* CGS_USAGE: likewise, or only a set-up will tell how many rows it has. */
enum cgs_status cgs_library_know_rows(struct cgsolve *solver);

/* ---- library.c ---- */

/* ---- library_report.c ---- */
/* The result of the last solve; NULL: that of a call which was refused before it had the handle. */
void cgs_library_result(const struct cgsolve *solver, struct cgsolve_result *result);

#endif
