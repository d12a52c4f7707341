/* Private to worker.c and products.c. */
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
    struct cgs_fenced x, other, y, waiting; /* waiting: delayed copy of x, of a device */
    void *self;                             /* of the kernel (direct.h) */
    uint64_t dice;
};

/* Computes y = A x `times` times into poisoned memory, with the other input and with x in turn, x
 * last, and checks for forbidden actions. times = 0: once, with x delayed if the device has a
 * queue. *seconds: of all products. CGS_NOT_CONVERGED: the kernel reports a failure, or did
 * something forbidden. CGS_DEVICE, CGS_MEMORY. */
enum cgs_status cgs_worker_multiply(struct worker *worker, int times, double *seconds);

#endif
