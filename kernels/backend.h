/* Backends: the devices that this build knows, each with its queue, spaces and measurements. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/plan.h"
#include "base/status.h"
#include "kernels/amg.h"
#include "kernels/box.h"
#include "kernels/fdm.h"
#include "kernels/grid.h"
#include "kernels/queue.h"
#include "kernels/rows.h"
#include "kernels/space.h"
#include "kernels/sparse.h"

CGS_BEGIN_C

enum cgs_device { CGS_CPU, CGS_CUDA, CGS_DEVICES };

/* Description of a device. Empty strings and zeros: unknown. */
struct cgs_device_info {
    char name[128];
    char driver[32];        /* "580.159" or CUDA driver API version */
    char runtime[32];
    char architecture[32];  /* "sm_90"; "avx512f" */
    int64_t memory_bytes;   /* total */
    int64_t memory_free;
    int64_t cache_bytes;    /* last level */
    int processors;         /* multiprocessors or threads */
    int64_t bus;            /* where the device is on its host: other devices, other numbers */
};

/* Bandwidth measured in this run in GB/s (1e9), each byte read and each byte written counted
 * once. */
struct cgs_bandwidth {
    double read_gbs;  /* s = sum a_i */
    double copy_gbs;  /* b_i = a_i */
    double triad_gbs; /* a_i = b_i + s c_i */
    int64_t bytes;    /* of all arrays together */
    bool cached;      /* true if they fit in the last-level cache */
};

/* Survey of driver and devices without opening a queue, for diagnosing why that fails. */
enum { CGS_SURVEYED = 16 };
/* processes on a device at once */
enum cgs_sharing { CGS_SHARING_ALL, CGS_SHARING_ONE, CGS_SHARING_NONE };

struct cgs_survey {
    int driver, runtime; /* CUDA versions of driver and program, 12040 for 12.4; 0: no driver */
    char trouble[256];   /* why devices cannot be counted; "" if they can */
    int devices;         /* visible devices; the first CGS_SURVEYED of them: */
    struct {
        char name[128];
        char architecture[32]; /* "sm_90" */
        enum cgs_sharing sharing;
        bool ecc; /* memory has error correction */
    } device[CGS_SURVEYED];
};

/* Ways by which the kernels of one device reach the memory of another: with atomic operations of
 * the hardware, which only NVLink has, without these, not at all. */
enum cgs_link_kind { CGS_LINK_NONE, CGS_LINK_PCIE, CGS_LINK_NVLINK, CGS_LINK_KINDS };

/* Cost of a way between two devices, measured; of CGS_LINK_NONE all is 0. */
struct cgs_link {
    enum cgs_link_kind kind;
    bool right;       /* numbers arrive as they were sent */
    double sum;       /* seconds of a sum of one number of each, within a kernel */
    double plane;     /* seconds until both have a plane of 512^2 doubles of the other */
    double bandwidth; /* bytes a second each way, both at the same time, of larger planes */
};

struct cgs_comm_time; /* base/comm.h */

struct cgs_backend {
    const char *name; /* "cpu", "cuda": as in --backend=NAME */
    enum cgs_place place;
    int32_t chunk[CGS_NUMBERS]; /* default C of SELL, by the type of the matrix values */
    const struct cgs_space_ops *spaces[CGS_NUMBERS];
    const struct cgs_multigrid_ops *grids[CGS_NUMBERS]; /* kernels/grid.h */
    const struct cgs_fdm_ops *fdm[CGS_NUMBERS]; /* kernels/fdm.h */
    const struct cgs_sparse_ops *sparse[CGS_NUMBERS]; /* kernels/sparse.h */
    const struct cgs_amg_ops *amg; /* kernels/amg.h */

    /* NULL on the CPU, where nothing can be missing. */
    void (*survey)(struct cgs_survey *survey);
    /* Makes a queue on device `index`, owned by the caller. CGS_DEVICE: no driver, device, such
     * index, or code for its architecture; the message has the remedy. */
    enum cgs_status (*open)(struct cgs_context *context, int index, struct cgs_queue **queue);
    void (*close)(struct cgs_queue *queue);
    /* Makes the devices of all ranks known to each other, on all ranks at once, before vectors
     * of a portion are made; again: nothing. NULL if the ranks' vectors are in the host's
     * memory. */
    enum cgs_status (*join)(struct cgs_queue *queue);
    /* Measures the way between two devices, whose queues must be idle, in some 20 ms. The
     * thread's device is undefined after. CGS_DEVICE: also where one does not answer; then its
     * queue can only be closed. NULL as `join`. */
    enum cgs_status (*link)(struct cgs_queue *from, struct cgs_queue *to, struct cgs_link *link);
    /* Adds the time that the device has spent with those of other ranks since the last call, or
     * since `join`; waits. NULL where `join` is, and where the host does that. */
    enum cgs_status (*times)(struct cgs_queue *queue, struct cgs_comm_time *time);
    /* Make the queue's device the one of the calling thread, and give this back the one that it had
     * before; open enters, close leaves. NULL where a thread has no device of its own. */
    void (*enter)(struct cgs_queue *queue);
    void (*leave)(struct cgs_queue *queue);
    enum cgs_status (*describe)(struct cgs_queue *queue, struct cgs_device_info *info);
    /* Adds the queue's scratch to the plan, and its staging if numbers are sent. */
    void (*plan)(struct cgs_plan *plan, bool sends);
    /* Free memory of the device now, and the peak use of this process since `open`, an upper
     * bound. */
    enum cgs_status (*memory)(struct cgs_queue *queue, int64_t *available, int64_t *peak);
    /* Returns memory that the queue keeps for later matrices and products (kernels/sparse.h) to the
     * driver; waits. NULL if it keeps none. */
    void (*trim)(struct cgs_queue *queue);
    /* Measures read, copy, triad on arrays of about `bytes` in all, within about `seconds`. */
    enum cgs_status (*bandwidth)(struct cgs_queue *queue, int64_t bytes, double seconds,
                                 struct cgs_bandwidth *bandwidth);
    /* Measures multiplications and additions of independent numbers in registers, compiled as
     * kernels are, in 1e9 a second, best of several, within about `seconds`. */
    enum cgs_status (*arithmetic)(struct cgs_queue *queue, enum cgs_number number, double seconds,
                                  double *gflops);
    /* Fastest seconds of reading one array of `bytes` once. NULL if `bandwidth` is sufficient. On a
     * CPU, caches and other load make it vary with place and time. */
    enum cgs_status (*read)(struct cgs_queue *queue, const void *array, int64_t bytes,
                            double *seconds);
    /* Seconds between two marks (0 ... CGS_MARKS - 1) on the queue, by the device's own clock;
     * `elapsed` waits for the second. */
    enum cgs_status (*mark)(struct cgs_queue *queue, int mark);
    enum cgs_status (*elapsed)(struct cgs_queue *queue, int from, int to, double *seconds);
    /* For tests: queues work that faults on the device. The fault shows at the next wait; the queue
     * can then only be closed. NULL if a fault would end the process. */
    enum cgs_status (*fault)(struct cgs_queue *queue);

    /* The same with work that lasts a minute; on several ranks only, whose waits have a limit. */
    enum cgs_status (*hang)(struct cgs_queue *queue);
    /* Assembly of the model problem on the device; NULL if host and device are one. */
    const struct cgs_assembly_ops *box;       /* kernels/box.h */
    const struct cgs_plugin_memory *plugin;   /* for users' kernels (user/memory.h) */
    /* A caller's arrays in the memory of the device (kernels/rows.h); NULL if host and device
     * are one. */
    const struct cgs_rows_ops *rows;
};

CGS_END_C
