/* --precond=mg: a cycle on the grids of the box. */
#include "base/comm.h"
#include "core/precond/grids.h"
#include "core/precond/preconditioner.h"

static enum cgs_status make(const struct cgs_precond_task *task, struct cgs_precond_made *made,
                            struct cgs_precond_facts *facts)
{
    CGS_TRY(cgs_comm_agree(
        task->context, cgs_hierarchy_create(task->context, task->spec, task->machine, task->mesh,
                                            task->op, task->spec->cycle_number, &made->hierarchy)));
    made->op = cgs_multigrid_operator(made->hierarchy.multigrid);
    cgs_preconditioning_describe(task->spec, &made->hierarchy, facts);
    return CGS_OK;
}

static void plan_grids(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                       const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    (void)op, (void)rows, (void)before;
    cgs_grids_plan(spec, plan);
}

const struct cgs_preconditioner cgs_preconditioner_mg = {
    .make = make,
    .plan = plan_grids,
};
