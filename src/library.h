/* libcgsolve inside: what a handle holds. Private to library*.c; the public header is
 * include/cgsolve/cgsolve.h. */
#ifndef CGS_SRC_LIBRARY_H
#define CGS_SRC_LIBRARY_H

#include <locale.h>

#include "include/cgsolve/cgsolve.h"
#include "src/run.h"

struct cgsolve {
    struct cgs_context call;   /* of the last call: its status and message */
    char *values[CGS_OPTIONS]; /* as set; owned, NULL: not set */
    struct cgs_crs crs;        /* the caller's; borrowed, rows = 0: none */
    struct cgs_handed handed;
    int (*watch)(void *user, int64_t iteration, double relative_residual);
    void *user;
    locale_t plain; /* numbers of options have a point, whatever the caller's locale */

    /* The run: from the first solve on, until matrix or options change. */
    bool ready;                 /* cgs_run_set_up has done all */
    int64_t rows;               /* as long as matrix and options are those of the last set-up, else 0 */
    bool open;                  /* it has begun, so that there is something to release */
    struct cgs_context context; /* of the run */
    struct cgs_options options;
    struct cgs_run run;
    struct cgs_report facts;  /* as set up: what every solve begins with */
    struct cgs_report report; /* of the last solve */
    bool reported;
    int argument_count;
    char *arguments[CGS_OPTIONS + 1]; /* "cgsolve", "--tol=1e-8", ...; owned */
};

/* ---- library_options.c ---- */
/* All that was set, as the options of a run; the arguments of its report. CGS_USAGE: a combination that
 * makes no sense. CGS_MEMORY. To be released whatever happened. */
enum cgs_status cgs_library_options(struct cgsolve *solver);
void cgs_library_options_release(struct cgsolve *solver);

/* ---- library.c ---- */
/* Around each call that can fail: nothing is said yet, and numbers have a point; then the caller's
 * locale again, and what the call said. */
locale_t cgs_library_begin(struct cgsolve *solver);
enum cgsolve_status cgs_library_end(struct cgsolve *solver, locale_t before);
/* Gives back the run; what its report knows stays. */
void cgs_library_close(struct cgsolve *solver);

/* ---- library_report.c ---- */
void cgs_library_result(const struct cgsolve *solver, struct cgsolve_result *result);
/* Gives back what the report of the last solve owns. */
void cgs_library_forget(struct cgsolve *solver);

#endif
