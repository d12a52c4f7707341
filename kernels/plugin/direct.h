/* A user's kernel called in this process: by the worker, and by CG in a process that another one
 * watches (core/run/guard.h). */
#pragma once

#include "kernels/plugin/memory.h"
#include "kernels/plugin/pulse.h"
#include "kernels/registry.h"

struct cgsolve_kernel;

enum { CGS_DIRECT_WHY = 512 }; /* largest reason of a kernel in bytes */

/* Words of the message where a kernel takes no such matrix, and says why: in `prepare`. */
#define CGS_DIRECT_DECLINES " declines the matrix: "

/* Settings for calling the kernel whose library is at `path`. */
struct cgs_direct_settings {
    const struct cgsolve_kernel *kernel; /* borrowed */
    const char *name;                    /* borrowed; for messages */
    struct cgs_pulse *pulse;             /* borrowed; NULL: not watched */
    enum cgs_device device;
    int index;              /* of the device */
    int threads;            /* of the kernel; 0: those of the context */
    enum cgs_number number; /* of the matrix and the vectors */
    struct cgs_traffic traffic; /* of the matrix as it is handed over; for cgs_direct_moved */
};

/* Generates the matrix's arrays and calls the kernel's prepare. *self is for the steps below.
 * CGS_NOT_CONVERGED: the kernel refuses; the message has its reason. CGS_MEMORY. */
enum cgs_status cgs_direct_prepare(const struct cgs_direct_settings *settings,
                                   struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                   void **self);

/* Steps of struct cgs_steps. CGS_NOT_CONVERGED: the kernel reports a failure. */
enum cgs_status cgs_direct_apply(const void *self, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const void *x, void *y);
const void *cgs_direct_entries(const void *self, int64_t *bytes);
struct cgs_traffic cgs_direct_moved(const void *self);

/* Returns the bytes that a product reads of the kernel's own layout, 0 if it does not say. */
int64_t cgs_direct_bytes(const void *self);

/* Returns the traffic with these bytes in place of the matrix's, unless they are 0. */
static inline struct cgs_traffic cgs_plugin_traffic(const struct cgs_traffic *traffic,
                                                    int64_t bytes)
{
    struct cgs_traffic own = *traffic;
    if (bytes > 0) {
        own.matrix = bytes;
        own.padding = 0; /* the kernel's affair */
    }
    return own;
}
/* Returns true if an address is in the matrix's arrays, or next to them. self NULL: false. */
bool cgs_direct_owns(const void *self, const char *address);
void cgs_direct_release(void *self);
