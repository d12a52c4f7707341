/* The program's side of a worker process (worker.h): starting it, sending it requests and ending
 * it. The kernel in it may crash, hang or exit. */
#pragma once

#include <sys/types.h>

#include "base/context.h"
#include "kernels/plugin/wire.h"

struct cgs_process {
    pid_t pid;      /* 0: not started, or ended */
    char name[256]; /* for messages: copied, since the kernel can overwrite the job */
    int socket;
    int block;           /* descriptor of the job's memory */
    int library;         /* descriptor of the library; -1: none */
    const char *preload; /* library to be loaded before all others; NULL or "": none */
    int said;            /* descriptor for what the worker prints; -1: standard error */
    struct cgs_job *job; /* mapped; job->length bytes */
    int64_t length;
    int64_t entries;     /* of the matrix; bounds the time limit that the worker sets itself */
    int64_t products;    /* number requested so far */
    struct cgs_job sent; /* copy at the start, to find changes of the program's part */
};

/* Creates a job of `length` bytes in shared memory, all zero except its length; no process yet. */
enum cgs_status cgs_process_create(struct cgs_context *context, int64_t length,
                                   struct cgs_process *process);

/* Starts the worker, another process of this program. library: a descriptor that it inherits as
 * CGS_WORKER_LIBRARY; -1: none. CGS_BUG: the system starts no process. */
enum cgs_status cgs_process_start(struct cgs_context *context, int library,
                                  struct cgs_process *process);

/* Sends a request and waits for the reply. CGS_NOT_CONVERGED: the kernel failed. The message says
 * what the worker found, how it died, that it took too long, or that it overwrote the program's
 * part of the job. The process has then ended unless the worker itself replied. Other statuses are
 * the worker's: CGS_FILE, CGS_MEMORY, CGS_DEVICE. */
enum cgs_status cgs_process_ask(struct cgs_context *context, struct cgs_process *process,
                                const struct cgs_request *request, struct cgs_reply *reply);

/* Lets the kernel release its data, ends the process and releases everything; an empty struct is
 * allowed. CGS_NOT_CONVERGED: it dies or hangs at its end; everything is released nevertheless. */
enum cgs_status cgs_process_end(struct cgs_context *context, struct cgs_process *process);
