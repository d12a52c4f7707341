/* The machine of a run: backend, queues, kernel. */
#pragma once

#include "base/contention.h"
#include "core/options/choices.h"
#include "core/setup/external.h"

/* Numbers of devices of a host: 0 ... CGS_DEVICE_NUMBERS - 1. */
enum { CGS_DEVICE_NUMBERS = 1024 };

struct cgs_machine {
    struct cgs_external external; /* the report's; empty for the laboratories */
    enum cgs_device device;
    int index; /* of the device */
    const struct cgs_backend *backend;
    struct cgs_queue *queue;      /* of the backend; owned */
    struct cgs_queue *host_queue; /* of the CPU: `queue` itself where that is the backend; owned */
    const struct cgs_kernel_entry *entry;
    const struct cgs_kernel *kernel;   /* the entry's table for the options' precision */
    const struct cgs_kernel *outer;    /* in mixed precision: its table in double; else NULL */
    struct cgs_device_info host, info; /* of the host, of the backend's device */
    bool automatic;                    /* --kernel=auto: the kernel was not asked for */
    struct cgs_contention contention;  /* from the opening of the machine to the end of the run */
    char why[512]; /* why the CPU was taken where CUDA was looked for first; "" otherwise */
};

/* Takes this entry, with its tables of that precision. */
void cgs_machine_use(enum cgs_precision precision, const struct cgs_kernel_entry *entry,
                     struct cgs_machine *machine);

/* Returns true if others had the processors for so much of the run that its times mean little.
 * What a GPU computes is not disturbed by that. */
bool cgs_machine_disturbed(const struct cgs_machine *machine, int threads);

/* Closes what was opened; also after a failure. */
void cgs_machine_close(struct cgs_machine *machine);
