/* Private part of a CPU queue (queue->device), for the CPU's backend and space. */
#pragma once

#include <stdint.h>

#include "kernels/cg_state.h"
#include "kernels/queue.h"
#include "kernels/vector/blocks.h"
#include "kernels/vector/tree.h"

/* CGS_TOLD: numbers that a rank sends with the nodes of its sums (state_cpu.c). */
enum { CGS_LOOK_SLOTS = 2, CGS_TOLD = 2 };

/* A sum of which this rank has added up its own blocks. portion NULL: none. */
struct cgs_kept_sum {
    const struct cgs_portion *portion;
    struct cgs_blocks blocks;
    int count; /* nodes */
    double nodes[CGS_TREE_NODES];
};

/* Sums of a reduction that wait for the other ranks, and this rank's nodes of them. */
struct cgs_waiting_sums {
    struct cgs_cg_state *state;
    struct cgs_kept_sum *kept[CGS_SUMS];
    int sum[CGS_SUMS];
    int count;
    double mine[CGS_SUMS * CGS_TREE_NODES + CGS_TOLD];
};

struct cgs_queue_cpu {
    struct cgs_cg_state slots[CGS_LOOK_SLOTS]; /* copies between look_start and look_finish */
    double marks[CGS_MARKS];                   /* seconds */
    int64_t resident;                          /* bytes of the process when it was opened */
    struct cgs_kept_sum kept[CGS_SUMS];        /* between a sum and its reduction */
    struct cgs_waiting_sums waiting;           /* scratch of a reduction */
    /* Scratch of reductions over ranks, all NULL without: nodes of a sum on a rank, numbers that
     * each rank sends, all that is received, the nodes of one sum. */
    int *nodes, *counts;
    double *all, *one;
};
