#define _GNU_SOURCE /* sched_setaffinity */
#include "base/affinity.h"

#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

static const size_t BITS = 8 * sizeof(unsigned long);

/* Adds the processors of all places; returns false without memory for their numbers, or where one
 * is beyond the set. */
static bool add_places(struct cgs_processors *all)
{
    for (int p = 0; p < omp_get_num_places(); p++) {
        const int count = omp_get_place_num_procs(p);
        int *ids = malloc((count > 0 ? (size_t)count : 1) * sizeof *ids);
        if (!ids)
            return false;
        omp_get_place_proc_ids(p, ids);
        bool fits = true;
        for (int i = 0; i < count && fits; i++) {
            fits = ids[i] >= 0 && ids[i] < CGS_PROCESSORS_MOST;
            if (fits)
                all->bits[(size_t)ids[i] / BITS] |= 1UL << (size_t)ids[i] % BITS;
        }
        free(ids);
        if (!fits)
            return false;
    }
    return true;
}

void cgs_affinity_widen(struct cgs_processors *before)
{
    struct cgs_processors all = {{0}};
    const bool bound = omp_get_num_places() > 0; /* libomp narrows the thread now */
    *before = (struct cgs_processors){{0}};
    if (bound && sched_getaffinity(0, sizeof *before, (cpu_set_t *)before) == 0 && add_places(&all))
        sched_setaffinity(0, sizeof all, (const cpu_set_t *)&all);
}

void cgs_affinity_return(const struct cgs_processors *before)
{
    if (omp_get_num_places() > 0)
        sched_setaffinity(0, sizeof *before,
                          (const cpu_set_t *)before); /* an empty set changes nothing */
}
