/* `cgsolve exercise`: list, start, check, progress. */
#pragma once

#include "lab/exercise/exercise.h"

/* cgsolve exercise list | start NAME | check FILE | progress. */
enum cgs_status cgs_exercise_command(struct cgs_context *context, const struct cgs_call *call);
