/* Protocol between the program and the worker process that runs a user's kernel. The job, a block
 * of shared memory, holds the data. Requests and replies are short messages over a socket pair.
 *
 *     struct cgs_job | pointers | columns | values | x, ... | y, ...      natural order, double
 *
 *     LOAD     reads the library's descriptor into the job: format, device, precisions, name, ...
 *     PREPARE  LOAD; opens the device, lays the matrix out, calls the kernel's prepare
 *     APPLY    y = NaN, y = A x once, of the first slot; checks that nothing else was written
 *     TIME     the same for 1 + `times` slots with an x and a y each; the first is not timed
 *     QUIT     releases; the process ends
 */
#pragma once

#include <stdint.h>

#include "base/status.h"
#include "kernels/plugin/note.h"
#include "kernels/plugin/pulse.h"
#include "matrix/crs.h"

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
    double seconds; /* TIME: of all products but the first */
    struct cgs_plugin_note note; /* TIME */
};

enum cgs_job_array {
    CGS_JOB_POINTERS,
    CGS_JOB_COLUMNS,
    CGS_JOB_VALUES,
    CGS_JOB_X, /* of all slots */
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
    int32_t slots;                                         /* products of a request, at most */
    int64_t offset[CGS_JOB_ARRAYS], bytes[CGS_JOB_ARRAYS]; /* from the job's begin */
    int64_t length;                                        /* of the block */
    int64_t memory; /* bytes that the worker may allocate; 0: no limit */
    int32_t cuda;   /* the kernel is known to be of CUDA */
    /* Written by the worker. */
    char uncontained[64]; /* missing parts of the containment (contain.h) */
    char message[1024];
    char fault[64];                            /* where a memory fault happened; "": unknown */
    uint64_t fault_at; /* offset of the faulting instruction in the library; 0: unknown */
    int32_t format, device, precisions, flags; /* as in cgsolve/kernel.h */
    int32_t prepares;                          /* it has a `prepare` */
    char kernel_name[64], description[160];
    double convert_seconds, transfer_seconds, link_seconds;
    int64_t link_bytes;
    int64_t layout_bytes; /* that a product reads of the kernel's own layout; 0: it does not say */
};

/* Least and largest number of slots. */
enum { CGS_JOB_SLOTS_LEAST = 3, CGS_JOB_SLOTS_MOST = 33 };

/* Bytes that a worker may allocate before it knows a matrix, for its libraries. */
enum { CGS_WORKER_MEMORY = 1 << 29 };

/* Descriptors that the worker inherits. */
enum { CGS_WORKER_SOCKET = 3, CGS_WORKER_BLOCK = 4, CGS_WORKER_LIBRARY = 5 };

/* Word in the worker's command line instead of a command. */
#define CGS_WORKER_WORD "(kernel)"

static inline void *cgs_job_array(struct cgs_job *job, enum cgs_job_array which)
{
    return (char *)job + job->offset[which];
}

/* The rows as sent; valid until the worker has laid them out. Borrowed. */
static inline struct cgs_crs cgs_job_rows(struct cgs_job *job)
{
    return (struct cgs_crs){.rows = job->rows,
                            .columns = job->columns,
                            .pointers = cgs_job_array(job, CGS_JOB_POINTERS),
                            .column = cgs_job_array(job, CGS_JOB_COLUMNS),
                            .value = cgs_job_array(job, CGS_JOB_VALUES)};
}

static inline double *cgs_job_x(struct cgs_job *job, int slot)
{
    return (double *)cgs_job_array(job, CGS_JOB_X) + slot * job->columns;
}

static inline double *cgs_job_y(struct cgs_job *job, int slot)
{
    return (double *)cgs_job_array(job, CGS_JOB_Y) + slot * job->rows;
}
