/* Products of a user's kernel in its worker. Private to worker.c and products.c. */
#pragma once

#include "kernels/plugin/direct.h"
#include "kernels/plugin/library.h"
#include "kernels/plugin/wire.h"

struct worker {
    struct cgs_context context;
    struct cgs_job *job;
    const struct cgsolve_kernel *kernel;
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
    struct cgs_space domain, range;
    struct cgs_fenced x[CGS_JOB_SLOTS_MOST], y[CGS_JOB_SLOTS_MOST];
    struct cgs_fenced waiting; /* source of the delayed copy of the first x on a device */
    void *self;                /* of the kernel (direct.h) */
    int elsewhere;             /* requests in succession after which the device was still busy */
};

/* Computes y = A x for 1 + `times` slots into memory filled with NaN, and checks for forbidden
 * actions. times = 0: on a device x is copied late (struct cgs_plugin_memory). *seconds: time of
 * all products except the first. *note: of the first product's y, and of the others' time, on the
 * host if times > 0; a half where the system does not tell the part. CGS_NOT_CONVERGED: the kernel
 * reports a failure, or did something forbidden. CGS_DEVICE, CGS_MEMORY. */
enum cgs_status cgs_worker_multiply(struct worker *worker, int times, double *seconds,
                                    struct cgs_plugin_note *note);

/* Returns the part of y, of `pages` pages, that a thread has written with `mine` of `all` page
 * faults. Faults beyond those pages are in memory that the function allocates, and may be any
 * thread's: of what is possible then the part that is nearest to a half. */
double cgs_worker_part(double mine, double all, double pages);
