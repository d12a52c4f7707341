/* The rows of b - A x after a solve. */
#pragma once

#include "core/run/run.h"

/* Looks at the rows of b - A x: `rows` of struct cgs_cg_settings, whose user is the run.
 * CGS_MEMORY. */
enum cgs_status cgs_run_look_at_rows(void *run, struct cgs_cg *cg, const struct cgs_cg_norms *norms,
                                     double aim, struct cgs_cg_rows *rows);
