#include "kernels/space.h"

void cgs_state_plan(struct cgs_plan *plan, enum cgs_place place, int64_t max_iterations)
{
    cgs_plan_add(plan, place, "state of CG", 1, sizeof(struct cgs_cg_state));
    cgs_plan_add(plan, place, "record of the iterations",
                 max_iterations < INT64_MAX ? max_iterations + 1 : max_iterations,
                 sizeof(struct cgs_cg_record));
}
