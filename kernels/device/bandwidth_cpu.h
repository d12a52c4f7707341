/* Bandwidth of the host's memory: private to the CPU's backend. */
#ifndef CGS_KERNELS_DEVICE_BANDWIDTH_CPU_H
#define CGS_KERNELS_DEVICE_BANDWIDTH_CPU_H

#include "base/context.h"
#include "kernels/backend.h"

/* Measures read, copy, triad with context->threads threads on memory of about `bytes` (less if
 * `seconds` are too short to touch it), best of several. The caller sets bandwidth->cached.
 * CGS_MEMORY. */
enum cgs_status cgs_bandwidth_cpu(struct cgs_context *context, int64_t bytes, double seconds,
                                  struct cgs_bandwidth *bandwidth);

/* Seconds of reading an array once by all threads, the faster of with and without prefetching. */
double cgs_read_cpu(struct cgs_context *context, const void *array, int64_t bytes);

#endif
