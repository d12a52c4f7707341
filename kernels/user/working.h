/* Inside of the worker: private to worker.c and products.c. */
#ifndef CGS_KERNELS_USER_WORKING_H
#define CGS_KERNELS_USER_WORKING_H

#include "kernels/user/direct.h"
#include "kernels/user/library.h"
#include "kernels/user/wire.h"

struct worker {
    struct cgs_context context;
    struct cgs_job *job;
    const struct cgsolve_kernel *kernel;
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
    struct cgs_space domain, range;
    struct cgs_fenced x, other, y, waiting; /* waiting: x on its way, of a device */
    void *self;                             /* of the kernel, direct.h */
    uint64_t dice;
};

/* y = A x, `times` times, into poisoned memory, and what else was done meanwhile: alternately with
 * the other input and with x, the last one with x. times = 0: once, x coming late where a device
 * has a queue. *seconds: of all. CGS_NOT_CONVERGED: the kernel says that it failed, or did what it
 * must not. CGS_DEVICE, CGS_MEMORY. */
enum cgs_status cgs_worker_multiply(struct worker *worker, int times, double *seconds);

#endif
