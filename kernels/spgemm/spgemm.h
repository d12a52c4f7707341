/* Products of matrices: the list of kernels, the search by name, and the sequence of stages. */
#pragma once

#include "base/linkage.h"
#include "kernels/spgemm.h"

CGS_BEGIN_C

/* Finds the kernel of that name for a device; "auto" is the automatic one. CGS_USAGE: no such
 * kernel; the message has the nearest name. CGS_DEVICE: this build has no code for the device. */
enum cgs_status cgs_spgemm_find(struct cgs_context *context, const char *name,
                                enum cgs_device device, const struct cgs_spgemm_entry **entry);

/* Runs all stages. number: of A's and B's values. C is owned by the caller. facts may be NULL: then
 * the host waits no more often than necessary. CGS_MEMORY: also if the host has no room for C,
 * found before it is filled. */
enum cgs_status cgs_spgemm(struct cgs_queue *queue, const struct cgs_backend *backend,
                           const struct cgs_spgemm_kernel *kernel, enum cgs_number number,
                           const struct cgs_sparse *a, const struct cgs_sparse *b, bool sort,
                           struct cgs_sparse *c, struct cgs_spgemm_facts *facts);

CGS_END_C
