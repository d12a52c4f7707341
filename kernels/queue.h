/* A queue orders work on a device: a CUDA stream with its reduction scratch, or the calling thread.
 *
 * Work on one queue happens in order, so one scratch a queue is enough. Made by a backend's open.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* Largest number of partial sums of a reduction on the CPU; a device has its own limit. */
enum { CGS_PARTIALS = 1 << 16 };

/* Marks of a queue, 0 ... CGS_MARKS - 1 (kernels/backend.h). */
enum { CGS_MARKS = 64 };

/* Ways of numbers between the devices of ranks: kernels write to the other's memory, NCCL, or
 * the host, for which steps wait. */
enum cgs_way { CGS_WAY_STORES, CGS_WAY_NCCL, CGS_WAY_HOST, CGS_WAYS };

struct cgs_queue {
    struct cgs_context *context; /* borrowed; messages, threads, stopwatch */
    void *stream;                /* cudaStream_t; NULL on the CPU */
    double *partials;            /* partial sums, in the memory of the device */
    unsigned *ticket;            /* counts finished blocks; 0 between kernels */
    void *device;                /* private to the backend */
    /* sums go over blocks of the global index in one tree, however many devices have the
     * vectors: set before vectors are made, on devices alone, as the CPU's always do */
    bool fixed;
    enum cgs_way way;            /* of numbers between the devices of ranks */
    struct cgs_arrival *arrival; /* CPU: ghosts of the next step's x that are on their way
                                    (kernels/arrival.h); NULL: all are there; borrowed */
};
