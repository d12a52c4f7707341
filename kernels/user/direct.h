/* A user's kernel called in this very process: what the worker does, and what CG does in its own
 * process, watched by another (src/run/guard.h). */
#ifndef CGS_KERNELS_USER_DIRECT_H
#define CGS_KERNELS_USER_DIRECT_H

#include "kernels/registry.h"
#include "kernels/user/memory.h"
#include "kernels/user/pulse.h"

struct cgsolve_kernel;

enum { CGS_DIRECT_WHY = 512 }; /* bytes of a reason that a kernel gives */

/* How the kernel is called, whose library is at `path`. */
struct cgs_direct_settings {
    const struct cgsolve_kernel *kernel; /* borrowed */
    const char *name;                    /* borrowed; for messages */
    struct cgs_pulse *pulse;             /* borrowed; NULL: nobody watches */
    enum cgs_device device;
    int index;              /* of the device */
    enum cgs_number number; /* of the matrix and the vectors */
};

/* Draws the matrix's arrays and lets the kernel prepare. *self is for the steps below.
 * CGS_NOT_CONVERGED: the kernel says no, and why; CGS_MEMORY. */
enum cgs_status cgs_direct_prepare(const struct cgs_direct_settings *settings,
                                   struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                   void **self);

/* Of struct cgs_steps. CGS_NOT_CONVERGED: the kernel says that it failed. */
enum cgs_status cgs_direct_apply(const void *self, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const void *x, void *y);
const void *cgs_direct_entries(const void *self, int64_t *bytes);
/* Whether an address lies in the matrix's arrays, or beside them; NULL owns nothing. */
bool cgs_direct_owns(const void *self, const char *address);
void cgs_direct_release(void *self);

#endif
