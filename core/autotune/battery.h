/* Small matrices on which kernels go wrong: one row, no entries, empty rows, a full row,
 * rectangles, sizes that are no multiple of anything, long rows beside short ones, numbers at both
 * ends of their range. A user's kernel is tried on all of them, in each of its precisions, on the
 * CPU with 1, 3 and 7 threads beside 2, before it is believed. As it is compiled for checks it is
 * tried on one of many rows, too: threads that take turns on a busy system collide there.
 *
 * On none where tests of other things say so (base/testing.h). */
#pragma once

#include "core/setup/machine.h"
#include "kernels/plugin/plugin.h"
#include "matrix/crs.h"

int cgs_battery_count(void);

/* Returns "long rows beside short ones, 400 x 700", borrowed until the next call of the thread. */
const char *cgs_battery_name(int which);

/* Makes a matrix. number: for which extreme values are chosen. Released by cgs_crs_release.
 * CGS_MEMORY. */
enum cgs_status cgs_battery_make(struct cgs_context *context, int which, enum cgs_number number,
                                 struct cgs_crs *crs);

struct cgs_battery_result {
    char reason[1024];    /* the first failure, and where; "": there is none */
    int trials, declined; /* how many there were; those whose matrix `prepare` has declined */
    bool late;            /* time ended them before the last one */
};

/* Tries a kernel on all of them, each time in a process of its own; stops at the first failure,
 * or when that takes far longer than usual. A kernel may decline a matrix in `prepare`, with a
 * reason. Statuses are of the run: CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_battery_try(const struct cgs_plugin *plugin, const struct cgs_machine *machine,
                                struct cgs_battery_result *result);
