#include "base/plan.h"

#include <assert.h>
#include <stdio.h>

int64_t cgs_bytes(int64_t count, int64_t size)
{
    int64_t bytes;
    assert(count >= 0 && size >= 0);
    return __builtin_mul_overflow(count, size, &bytes) ? INT64_MAX : bytes;
}

void cgs_plan_add(struct cgs_plan *plan, enum cgs_place place, const char *what, int64_t count,
                  int64_t size)
{
    assert(plan->count < CGS_PLAN_LINES);
    struct cgs_plan_line *line = &plan->lines[plan->count++];
    snprintf(line->what, sizeof line->what, "%s", what);
    line->place = place;
    line->bytes = cgs_bytes(count, size);
    if (__builtin_add_overflow(plan->total[place], line->bytes, &plan->total[place]))
        plan->total[place] = INT64_MAX;
}
