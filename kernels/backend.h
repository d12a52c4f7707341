/* Backends: the devices that this build knows, each with its queue, spaces and measurements. */
#ifndef CGS_KERNELS_BACKEND_H
#define CGS_KERNELS_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/plan.h"
#include "base/status.h"
#include "kernels/amg.h"
#include "kernels/box.h"
#include "kernels/grid.h"
#include "kernels/queue.h"
#include "kernels/space.h"
#include "kernels/sparse.h"

CGS_BEGIN_C

enum cgs_device { CGS_CPU, CGS_CUDA, CGS_DEVICES };

/* What a device says of itself. Empty strings and zeros where it does not say. */
struct cgs_device_info {
    char name[128];
    char driver[32];        /* "580.159" or CUDA driver API version */
    char runtime[32];
    char architecture[32];  /* "sm_90"; "avx512f" */
    int64_t memory_bytes;   /* all, and free now */
    int64_t memory_free;
    int64_t cache_bytes;    /* last level */
    int processors;         /* multiprocessors, or threads */
};

/* Measured in this run, GB/s (1e9), counting each byte read and each byte written once. */
struct cgs_bandwidth {
    double read_gbs;  /* s = sum a_i */
    double copy_gbs;  /* b_i = a_i */
    double triad_gbs; /* a_i = b_i + s c_i */
    int64_t bytes;    /* of all arrays together */
    bool cached;      /* they fit in the last-level cache */
};

/* What a look at driver and devices tells before a queue is opened on any of them: for finding out
 * what is wrong where that fails. */
enum { CGS_SURVEYED = 16 };
enum cgs_sharing { CGS_SHARING_ALL, CGS_SHARING_ONE, CGS_SHARING_NONE }; /* processes on a device at once */

struct cgs_survey {
    int driver, runtime; /* CUDA that the driver offers, that this program has: 12040; 0: no driver */
    char trouble[256];   /* why no devices can be counted; "" where they can */
    int devices;         /* that can be asked for; the first CGS_SURVEYED of them: */
    struct {
        char name[128];
        char architecture[32]; /* "sm_90" */
        enum cgs_sharing sharing;
        bool ecc; /* memory corrects errors */
    } device[CGS_SURVEYED];
};

struct cgs_backend {
    const char *name; /* "cpu", "cuda": as in --backend=NAME */
    enum cgs_place place;
    int32_t chunk[CGS_NUMBERS]; /* C of SELL by default, by the number of the matrix values */
    const struct cgs_space_ops *spaces[CGS_NUMBERS];
    const struct cgs_multigrid_ops *grids[CGS_NUMBERS]; /* kernels/grid.h */
    const struct cgs_sparse_ops *sparse[CGS_NUMBERS]; /* kernels/sparse.h */
    const struct cgs_amg_ops *amg; /* kernels/amg.h */

    /* NULL where nothing can be missing: the CPU. */
    void (*survey)(struct cgs_survey *survey);
    /* Makes a queue on device `index`, owned by the caller. CGS_DEVICE with the remedy where there
     * is no driver, no device, no such index, or no code for its architecture. */
    enum cgs_status (*open)(struct cgs_context *context, int index, struct cgs_queue **queue);
    void (*close)(struct cgs_queue *queue);
    enum cgs_status (*describe)(struct cgs_queue *queue, struct cgs_device_info *info);
    /* Scratch that the queue holds on top of all else, and staging where numbers are sent. */
    void (*plan)(struct cgs_plan *plan, bool sends);
    /* Free memory of the device now, and what this process has taken of it since `open`, at most. */
    enum cgs_status (*memory)(struct cgs_queue *queue, int64_t *available, int64_t *peak);
    /* Gives back to the driver what matrices and products took (kernels/sparse.h) and the queue keeps for
     * the next ones; waits. NULL where it keeps nothing. */
    void (*trim)(struct cgs_queue *queue);
    /* Read, copy, triad on arrays of together about `bytes`, within about `seconds`. */
    enum cgs_status (*bandwidth)(struct cgs_queue *queue, int64_t bytes, double seconds,
                                 struct cgs_bandwidth *bandwidth);
    /* The way from host to device that the upload takes: seconds of pinning its staging (once a
     * run), GB/s of copies through it. NULL where host and device are one. */
    enum cgs_status (*link)(struct cgs_queue *queue, double *pinning, double *gbs);
    /* Seconds of reading one array of `bytes` once, as fast as it goes; NULL where bandwidth tells
     * as much. On a CPU caches and neighbours make it differ from place to place and minute to minute. */
    enum cgs_status (*read)(struct cgs_queue *queue, const void *array, int64_t bytes,
                            double *seconds);
    /* Seconds of what is queued between two marks (0 ... CGS_MARKS - 1), by the device's own clock; `elapsed`
     * waits for the second. */
    enum cgs_status (*mark)(struct cgs_queue *queue, int mark);
    enum cgs_status (*elapsed)(struct cgs_queue *queue, int from, int to, double *seconds);
    /* Queues work that faults on the device, to see what is said: it shows at the next wait, and the
     * queue is good for nothing but closing then. NULL where nothing can fault apart from the process. */
    enum cgs_status (*fault)(struct cgs_queue *queue);
    /* What the device computes of the box by itself; NULL where host and device are one. */
    const struct cgs_assembly_ops *box;       /* kernels/box.h */
    const struct cgs_foreign_memory *foreign; /* for kernels of the user's (user/memory.h) */
};

CGS_END_C

#endif
