/* A plan before memory: each structure says its bytes before it exists.
 * --plan, the refusal and the report's planned figures are one list.
 */
#ifndef CGS_BASE_PLAN_H
#define CGS_BASE_PLAN_H

#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

enum cgs_place { CGS_HOST, CGS_DEVICE_MEMORY, CGS_PLACES };

struct cgs_plan_line {
    char what[48]; /* "matrix values" */
    enum cgs_place place;
    int64_t bytes;
};

enum { CGS_PLAN_LINES = 64 };

/* Everything that is held at the peak of a run. Device memory is given out in pages of 2 MiB: a
 * block of more than 1 MiB takes whole ones, smaller ones share, each within a page (seen on CUDA
 * 13.0). */
struct cgs_plan {
    int count;
    struct cgs_plan_line lines[CGS_PLAN_LINES];
    int64_t total[CGS_PLACES];
    int pages; /* of the device, shared by small blocks, and what is left in each */
    int64_t left[CGS_PLAN_LINES];
};

/* Adds one line of count * size bytes (as asked for; pages count in the total). Bytes saturate
 * instead of wrapping, so that an absurd size is refused. */
void cgs_plan_add(struct cgs_plan *plan, enum cgs_place place, const char *what, int64_t count,
                  int64_t size);

/* The same for `blocks` blocks of `bytes` each that are allocated one by one: only where each is
 * small do they share the device's pages. */
void cgs_plan_add_blocks(struct cgs_plan *plan, enum cgs_place place, const char *what, int blocks,
                         int64_t bytes);

/* A line for each place where `earlier`, which is given back before `later` bytes of the plan come,
 * takes more than these: by so much. */
void cgs_plan_add_earlier(struct cgs_plan *plan, const struct cgs_plan *earlier,
                          const int64_t later[CGS_PLACES], const char *what);

/* Makes one line for each place, named `what`, of the lines from `first` on; totals stay. */
void cgs_plan_fold(struct cgs_plan *plan, int first, const char *what);

/* count * size, or INT64_MAX where that is past 64 bits; both >= 0. */
int64_t cgs_bytes(int64_t count, int64_t size);

CGS_END_C

#endif
