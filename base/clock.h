/* Time in seconds, and the phases of a run.
 *
 * Exactly one phase is current at any time, so that the phases add up to the total:
 * cgs_stopwatch_enter charges the elapsed time to the previous phase and starts the next one.
 */
#pragma once

#include "base/linkage.h"

CGS_BEGIN_C

/* Phases: the keys of `seconds` in the report, in the order of doc/report.md. */
enum cgs_phase {
    CGS_PHASE_STARTUP,  /* options, device context, measured bandwidths */
    CGS_PHASE_ASSEMBLE, /* matrix entries and load vector */
    CGS_PHASE_CONVERT,  /* row lengths, pointers, permutation: the layout of the format */
    CGS_PHASE_TRANSFER, /* pinning, and waiting for copies to and from the device */
    CGS_PHASE_SETUP,    /* operator, preconditioner, timed products */
    CGS_PHASE_SOLVE,    /* the CG iterations */
    CGS_PHASE_ERRORS,   /* true residual and error norms */
    CGS_PHASE_OUTPUT,   /* files and report */
    CGS_PHASES
};

struct cgs_stopwatch {
    double start;   /* seconds, monotonic */
    double since;   /* when the current phase began */
    enum cgs_phase current;
    double seconds[CGS_PHASES];
};

/* Monotonic time in seconds from an arbitrary origin. */
double cgs_now(void);

void cgs_stopwatch_start(struct cgs_stopwatch *watch);

/* Enters `next`; returns the previous phase, so that a callee can restore it. */
enum cgs_phase cgs_stopwatch_enter(struct cgs_stopwatch *watch, enum cgs_phase next);

/* Returns "startup", "assemble", ...: the JSON keys. */
const char *cgs_phase_name(enum cgs_phase phase);

CGS_END_C
