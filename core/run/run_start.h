/* The start vector of --guess. */
#ifndef CGS_CORE_RUN_RUN_START_H
#define CGS_CORE_RUN_RUN_START_H

#include "core/run/run.h"

/* Computes the start vector of --guess. */
enum cgs_status cgs_run_start(struct cgs_run *run);

#endif
