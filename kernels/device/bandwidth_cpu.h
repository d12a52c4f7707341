/* What the host's memory gives: private to the CPU's backend. */
#ifndef CGS_KERNELS_DEVICE_BANDWIDTH_CPU_H
#define CGS_KERNELS_DEVICE_BANDWIDTH_CPU_H

#include "base/context.h"
#include "kernels/backend.h"

/* Read, copy, triad by context->threads threads over one piece of memory of about `bytes` (less
 * where `seconds` would not suffice to touch it), best of several. bandwidth->cached is left to
 * the caller. CGS_MEMORY. */
enum cgs_status cgs_bandwidth_cpu(struct cgs_context *context, int64_t bytes, double seconds,
                                  struct cgs_bandwidth *bandwidth);

/* Seconds of reading an array once by all threads, with or without prefetching, whichever is faster. */
double cgs_read_cpu(struct cgs_context *context, const void *array, int64_t bytes);

#endif
