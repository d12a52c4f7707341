/* How a kernel's trial ended, whatever the kernel computes. */
#ifndef CGS_SRC_TUNE_OUTCOME_H
#define CGS_SRC_TUNE_OUTCOME_H

#include <stddef.h>

#include "base/context.h"

enum cgs_trial_state {
    CGS_TRIAL_OPEN,    /* nothing is against it: "timed" at the end of a run */
    CGS_TRIAL_SKIPPED, /* not for this matrix, precision or machine, or no memory: not a failure */
    CGS_TRIAL_FAILED,  /* wrong, crashed, hung, ... */
    CGS_TRIAL_DROPPED  /* verified, but far slower than others: not timed any further */
};

/* "timed", "failed", ... */
const char *cgs_trial_state_name(enum cgs_trial_state state);

/* A failure of the kernel's own is no failure of the run: writes `reason` (NULL: the context's message)
 * into text[size] and cleans the context. Returns what does end the run, an interrupt. */
enum cgs_status cgs_outcome_settle(struct cgs_context *context, const char *reason, char *text,
                                   size_t size);

#endif
