/* Memory plan: each structure adds its bytes before it exists. --plan, the refusal and the report's
 * planned figures use one list.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

enum cgs_place { CGS_HOST, CGS_DEVICE_MEMORY, CGS_PLACES };

const char *cgs_place_name(enum cgs_place place); /* "host", "device" */

struct cgs_plan_line {
    char what[48]; /* "matrix values" */
    enum cgs_place place;
    bool passing; /* given back once its structure is made */
    int64_t bytes;
};

enum { CGS_PLAN_LINES = 96 }; /* CGS_GRIDS of multigrid, and some 30 others */

/* All memory at the peak of a run. Device memory is allocated in pages of 2 MiB: a block of more
 * than 1 MiB takes whole pages, smaller ones share pages (observed on CUDA 13.0). */
struct cgs_plan {
    int count;
    struct cgs_plan_line lines[CGS_PLAN_LINES];
    int64_t total[CGS_PLACES];
    int64_t later[CGS_PLACES]; /* bytes that a second iteration would add to the total; not in it */
    int pages;                 /* of the device, shared by small blocks; left: free bytes of each */
    int64_t left[CGS_PLAN_LINES];
    int64_t most[CGS_PLACES]; /* the largest total with lines that have passed since */
};

/* Adds a line of count * size bytes (as requested; pages count in the total). Bytes saturate
 * instead of wrapping, so that an absurd size is refused. */
void cgs_plan_add(struct cgs_plan *plan, enum cgs_place place, const char *what, int64_t count,
                  int64_t size);

/* The same for `blocks` blocks of `bytes` each, allocated one by one: they share pages of the
 * device only if each is small. */
void cgs_plan_add_blocks(struct cgs_plan *plan, enum cgs_place place, const char *what, int blocks,
                         int64_t bytes);

/* Adds a line of the host that passes: it is in the total until cgs_plan_pass. */
void cgs_plan_add_passing(struct cgs_plan *plan, const char *what, int64_t count, int64_t size);

/* Takes the passing lines from `first` on out of the list and the total, once plan->most has it. */
void cgs_plan_pass(struct cgs_plan *plan, int first);

/* Adds a line for each place in which `earlier`, freed before `later` bytes of the plan are
 * allocated, needs more than these: the difference. */
void cgs_plan_add_earlier(struct cgs_plan *plan, const struct cgs_plan *earlier,
                          const int64_t later[CGS_PLACES], const char *what);

/* Replaces the lines from `first` on by one for each place, named `what`; totals stay. */
void cgs_plan_fold(struct cgs_plan *plan, int first, const char *what);

/* Returns count * size, or INT64_MAX beyond 64 bits; both >= 0. */
int64_t cgs_bytes(int64_t count, int64_t size);

CGS_END_C
