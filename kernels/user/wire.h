/* What the program and the worker that runs a user's kernel share: one block of memory, and short
 * messages over a pair of sockets, a request answered by a reply each.
 *
 *     struct cgs_job | pointers | columns | values | x | other x | y      natural order, double
 *
 *     LOAD     the library's descriptor into the job: format, device, precisions, name, ...
 *     PREPARE  LOAD; opens the device, lays the matrix out, lets the kernel prepare
 *     APPLY    y = NaN, y = A x once; looks whether anything else was written
 *     TIME     y = NaN, then so many products by turns with the other x and with x, at last with x
 *     QUIT     release; the process ends
 */
#ifndef CGS_KERNELS_USER_WIRE_H
#define CGS_KERNELS_USER_WIRE_H

#include <stdint.h>

#include "base/status.h"
#include "kernels/user/pulse.h"

enum cgs_worker_order {
    CGS_ORDER_LOAD,
    CGS_ORDER_PREPARE,
    CGS_ORDER_APPLY,
    CGS_ORDER_TIME,
    CGS_ORDER_QUIT
};

struct cgs_request {
    int32_t order; /* enum cgs_worker_order */
    int32_t times; /* TIME */
};

struct cgs_reply {
    int32_t status; /* enum cgs_status; the message is in the job */
    double seconds; /* TIME: of all products */
};

enum cgs_job_array {
    CGS_JOB_POINTERS,
    CGS_JOB_COLUMNS,
    CGS_JOB_VALUES,
    CGS_JOB_X,
    CGS_JOB_OTHER_X,
    CGS_JOB_Y,
    CGS_JOB_ARRAYS
};

struct cgs_job {
    struct cgs_pulse pulse;
    /* The program's. */
    char name[256];  /* for messages */
    char path[4096]; /* of the library */
    int32_t index, threads, number, chunk,
        sigma; /* device, host threads, enum cgs_number, SELL's */
    int64_t rows, columns, nonzeros;
    int64_t offset[CGS_JOB_ARRAYS], bytes[CGS_JOB_ARRAYS]; /* from the job's begin */
    int64_t length;                                        /* of the block */
    /* The worker's. */
    char message[1024];
    char fault[64]; /* where it was when it met a fault of memory; "": nowhere known */
    int32_t format, device, precisions, flags; /* as in cgsolve/kernel.h */
    char kernel_name[64], description[160];
    double convert_seconds, transfer_seconds, link_seconds;
    int64_t link_bytes;
};

/* Descriptors that the worker is born with. */
enum { CGS_WORKER_SOCKET = 3, CGS_WORKER_BLOCK = 4, CGS_WORKER_LIBRARY = 5 };

/* What stands in the worker's command line in place of a command. */
#define CGS_WORKER_WORD "(kernel)"

static inline void *cgs_job_array(struct cgs_job *job, enum cgs_job_array which)
{
    return (char *)job + job->offset[which];
}

#endif
