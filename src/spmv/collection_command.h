/* The command cgsolve spmv: one matrix goes to the laboratory as it is, many are a collection. */
#pragma once

#include "src/spmv/collection.h"

/* The command `cgsolve spmv`: cgs_lab for one matrix without --report, else a collection. */
enum cgs_status cgs_spmv(struct cgs_context *context, const struct cgs_call *call);
