/* The command cgsolve spgemm. */
#pragma once

#include "base/context.h"
#include "lab/command_line/call.h"

/* Runs the command and writes matrix, text, JSON, CSV and figure. CGS_NOT_CONVERGED: a kernel
 * failed. CGS_MEMORY: not even slabs of a row fit. */
enum cgs_status cgs_multiply(struct cgs_context *context, const struct cgs_call *call);
