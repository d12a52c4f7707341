/* Private part of a CPU queue (queue->device), for the CPU's backend and space. */
#ifndef CGS_KERNELS_DEVICE_QUEUE_CPU_H
#define CGS_KERNELS_DEVICE_QUEUE_CPU_H

#include <stdint.h>

#include "kernels/cg_state.h"
#include "kernels/queue.h"

enum { CGS_LOOK_SLOTS = 2 };

struct cgs_queue_cpu {
    struct cgs_cg_state slots[CGS_LOOK_SLOTS]; /* copies between look_start and look_finish */
    double marks[CGS_MARKS];                   /* seconds */
    int64_t resident;                          /* bytes of the process when it was opened */
};

#endif
