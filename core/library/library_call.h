/* The frame around each call of libcgsolve. */
#pragma once

#include <fenv.h>

#include "core/library/library.h"

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
