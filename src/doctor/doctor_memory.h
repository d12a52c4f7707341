/* The doctor on memory. */
#pragma once

#include "src/doctor/finding.h"

void cgs_examine_memory(struct cgs_examination *e);

/* The largest N in double precision and SELL whose run fits into `host` and `device` bytes; 0 where
 * none does, or this build cannot say. `device` counts where the backend has a memory of its own.
 */
int64_t cgs_largest_n(const struct cgs_backend *backend, enum cgs_device kind, int threads,
                      int64_t host, int64_t device);
