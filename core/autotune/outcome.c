#include "core/autotune/outcome.h"

#include <stdio.h>

const char *cgs_trial_state_name(enum cgs_trial_state state)
{
    static const char *const names[] = {[CGS_TRIAL_OPEN] = "timed",
                                        [CGS_TRIAL_FAILED] = "failed",
                                        [CGS_TRIAL_SKIPPED] = "skipped",
                                        [CGS_TRIAL_DROPPED] = "dropped"};
    return names[state];
}

enum cgs_status cgs_outcome_settle(struct cgs_context *context, const char *reason, char *text,
                                   size_t size)
{
    if (context->status == CGS_INTERRUPTED)
        return context->status;
    snprintf(text, size, "%s", reason ? reason : context->message);
    context->status = CGS_OK;
    context->message[0] = '\0';
    return CGS_OK;
}
