/* Outcomes of a kernel's trial, for any operation. */
#pragma once

#include <stddef.h>

#include "base/context.h"

enum cgs_trial_state {
    CGS_TRIAL_OPEN,    /* still in the comparison; "timed" at the end of a run */
    CGS_TRIAL_SKIPPED, /* unsuited to this matrix, precision or machine, or no memory; no failure */
    CGS_TRIAL_FAILED,  /* wrong result, crash, hang, ... */
    CGS_TRIAL_DROPPED  /* verified, but far slower than the best: timing stopped */
};

/* Returns the state's word in reports: "timed", "failed", ... */
const char *cgs_trial_state_name(enum cgs_trial_state state);

/* Turns a kernel's failure, which must not end the run, into text: writes `reason` (NULL: the
 * context's message) to text[size] and clears the context's error. CGS_INTERRUPTED is passed on. */
enum cgs_status cgs_outcome_settle(struct cgs_context *context, const char *reason, char *text,
                                   size_t size);
