/* spgemm.def as a table: cgs_<device>_<name>_<f64|f32>. */
#pragma once

#include "base/linkage.h"
#include "kernels/spgemm.h"

CGS_BEGIN_C

/* Returns all lines of spgemm.def in order, *count of them. */
const struct cgs_spgemm_entry *cgs_spgemms(int *count);

CGS_END_C
