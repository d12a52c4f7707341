/* The command cgsolve study. */
#pragma once

#include "lab/study/study.h"

/* Runs the study, prints its table, writes its files. CGS_USAGE: lists that make no sense.
 * CGS_NOT_CONVERGED: a run failed, or an order is not as expected. CGS_INTERRUPTED: with the points
 * so far; --resume takes them up. */
enum cgs_status cgs_study(struct cgs_context *context, const struct cgs_call *call);
