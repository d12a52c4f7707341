/* Halos of a device: numbers of a vector that other ranks own, brought into the room beside this
 * rank's own. solver/halo.h says what goes where; one table a device whose memory the host can't
 * read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "kernels/cg_state.h"
#include "kernels/queue.h"

CGS_BEGIN_C

struct cgs_space;

/* Numbers to or from another rank: at ... at + count - 1 of the natural order from the first
 * owned number on, or, where `listed`, of the list of numbers that others need. At most one part
 * each way between two ranks. */
struct cgs_halo_part {
    int peer;
    bool incoming, listed;
    int64_t at, count;
};

struct cgs_halo_ops {
    /* Makes the halo of these parts for vectors of that space, on all ranks at once. needed: the
     * list, needed_count owned numbers; copied. *halo is owned by the caller. CGS_MEMORY,
     * CGS_DEVICE. */
    enum cgs_status (*create)(const struct cgs_space *space, const struct cgs_halo_part *parts,
                              int count, const int64_t *needed, int64_t needed_count, void **halo);
    /* A step: fetches what is needed of x; and of `first`, unless it is NULL, in the first
     * iteration after a start or restart alone. */
    enum cgs_status (*exchange)(void *halo, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, void *x, void *first);
    void (*release)(void *halo); /* NULL is allowed */
};

CGS_END_C
