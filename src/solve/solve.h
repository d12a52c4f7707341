/* The command `solve`: options -> problem -> matrix -> operator -> solver -> report. */
#pragma once

#include "lab/command_line/call.h"

/* Solves, and writes what was asked for to call->text (the report) and call->said (the live
 * residual), and into the options' files. A context that has failed already (wrong options)
 * solves nothing, but its failure is reported in the JSON file. */
enum cgs_status cgs_solve(struct cgs_context *context, const struct cgs_call *call);
