/* The command cgsolve grade. */
#pragma once

#include "lab/exercise/grade/grade.h"

/* Runs the command: call->words is FOLDER. Whatever the verdicts are, that is no failure.
 * CGS_FILE: the folder is empty or not there, an output can't be written; CGS_INTERRUPTED: by a
 * signal, or --time-limit is over. */
enum cgs_status cgs_grade(struct cgs_context *context, const struct cgs_call *call);
