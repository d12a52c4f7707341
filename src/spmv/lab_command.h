/* The command spmv of one matrix. */
#pragma once

#include "src/spmv/lab.h"

/* Runs the command and writes text, JSON, CSV and figure. CGS_NOT_CONVERGED: a kernel failed. */
enum cgs_status cgs_lab(struct cgs_context *context, const struct cgs_call *call);
