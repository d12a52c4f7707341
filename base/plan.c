#include "base/plan.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

const char *cgs_place_name(enum cgs_place place)
{
    return place == CGS_HOST ? "host" : "device";
}

int64_t cgs_bytes(int64_t count, int64_t size)
{
    int64_t bytes;
    assert(count >= 0 && size >= 0);
    return __builtin_mul_overflow(count, size, &bytes) ? INT64_MAX : bytes;
}

enum { PAGE = 2 << 20, SMALL = 1 << 20 };

static int64_t saturated_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t whole_pages(int64_t bytes)
{
    return bytes > INT64_MAX - PAGE ? INT64_MAX : (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Device memory added by another block: a small one goes into the first page with room. */
static int64_t device_bytes(struct cgs_plan *plan, int64_t bytes)
{
    if (bytes > SMALL)
        return whole_pages(bytes);
    int page = 0;
    while (page < plan->pages && plan->left[page] < bytes)
        page++;
    if (page == CGS_PLAN_LINES)
        return PAGE; /* too many pages for their rest to matter */
    const bool opened = page == plan->pages;
    if (opened)
        plan->left[plan->pages++] = PAGE;
    plan->left[page] -= bytes;
    return opened ? PAGE : 0;
}

void cgs_plan_add_blocks(struct cgs_plan *plan, enum cgs_place place, const char *what, int blocks,
                         int64_t bytes)
{
    assert(plan->count < CGS_PLAN_LINES);
    struct cgs_plan_line *line = &plan->lines[plan->count++];
    snprintf(line->what, sizeof line->what, "%s", what);
    line->place = place;
    line->bytes = cgs_bytes(blocks, bytes);
    line->passing = false;
    for (int i = 0; i < blocks; i++)
        plan->total[place] = saturated_sum(
            plan->total[place], place == CGS_DEVICE_MEMORY ? device_bytes(plan, bytes) : bytes);
}

void cgs_plan_add(struct cgs_plan *plan, enum cgs_place place, const char *what, int64_t count,
                  int64_t size)
{
    cgs_plan_add_blocks(plan, place, what, 1, cgs_bytes(count, size));
}

void cgs_plan_add_passing(struct cgs_plan *plan, const char *what, int64_t count, int64_t size)
{
    cgs_plan_add(plan, CGS_HOST, what, count, size);
    plan->lines[plan->count - 1].passing = true;
}

void cgs_plan_pass(struct cgs_plan *plan, int first)
{
    int kept = first;
    for (int place = 0; place < CGS_PLACES; place++)
        if (plan->total[place] > plan->most[place])
            plan->most[place] = plan->total[place];
    for (int i = first; i < plan->count; i++)
        if (!plan->lines[i].passing)
            plan->lines[kept++] = plan->lines[i];
        else if (plan->total[plan->lines[i].place] < INT64_MAX) /* else it has saturated */
            plan->total[plan->lines[i].place] -= plan->lines[i].bytes;
    plan->count = kept;
}

void cgs_plan_add_earlier(struct cgs_plan *plan, const struct cgs_plan *earlier,
                          const int64_t later[CGS_PLACES], const char *what)
{
    for (int place = 0; place < CGS_PLACES; place++)
        if (earlier->total[place] > later[place])
            cgs_plan_add(plan, (enum cgs_place)place, what, 1,
                         earlier->total[place] - later[place]);
}

void cgs_plan_fold(struct cgs_plan *plan, int first, const char *what)
{
    int64_t bytes[CGS_PLACES] = {0};
    for (int i = first; i < plan->count; i++)
        bytes[plan->lines[i].place] =
            saturated_sum(bytes[plan->lines[i].place], plan->lines[i].bytes);
    plan->count = first;
    for (int place = 0; place < CGS_PLACES; place++) {
        struct cgs_plan_line *line = &plan->lines[plan->count];
        if (bytes[place] == 0)
            continue;
        snprintf(line->what, sizeof line->what, "%s", what);
        line->place = (enum cgs_place)place;
        line->bytes = bytes[place];
        line->passing = false;
        plan->count++;
    }
}
