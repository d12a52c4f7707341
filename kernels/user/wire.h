/* Protocol between the program and the worker that runs a user's kernel: one block of shared
 * memory, and short messages over a socket pair, one reply a request.
 *
 *     struct cgs_job | pointers | columns | values | x | other x | y      natural order, double
 *
 *     LOAD     reads the library's descriptor into the job: format, device, precisions, name, ...
 *     PREPARE  LOAD; opens the device, lays the matrix out, calls the kernel's prepare
 *     APPLY    y = NaN, y = A x once; checks that nothing else was written
 *     TIME     y = NaN, then `times` products with the other x and with x in turn, x last
 *     QUIT     releases; the process ends
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
    int32_t status; /* enum cgs_status; the job has the message */
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
    /* Written by the program. */
    char name[256];  /* for messages */
    char path[4096]; /* of the library */
    int32_t index, threads, number, chunk,
        sigma; /* device, host threads, enum cgs_number, SELL's */
    int64_t rows, columns, nonzeros;
    int64_t offset[CGS_JOB_ARRAYS], bytes[CGS_JOB_ARRAYS]; /* from the job's begin */
    int64_t length;                                        /* of the block */
    /* Written by the worker. */
    char message[1024];
    char fault[64];                            /* where a memory fault happened; "": unknown */
    int32_t format, device, precisions, flags; /* as in cgsolve/kernel.h */
    char kernel_name[64], description[160];
    double convert_seconds, transfer_seconds, link_seconds;
    int64_t link_bytes;
};

/* Descriptors that the worker inherits. */
enum { CGS_WORKER_SOCKET = 3, CGS_WORKER_BLOCK = 4, CGS_WORKER_LIBRARY = 5 };

/* Word in the worker's command line instead of a command. */
#define CGS_WORKER_WORD "(kernel)"

static inline void *cgs_job_array(struct cgs_job *job, enum cgs_job_array which)
{
    return (char *)job + job->offset[which];
}

#endif
