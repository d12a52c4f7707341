/* --precond=amg: a cycle on grids that are made of the matrix. */
#include "base/comm.h"
#include "base/memory.h"
#include "core/precond/amg_plan.h"
#include "core/precond/preconditioner.h"

static enum cgs_status make(const struct cgs_precond_task *task, struct cgs_precond_made *made,
                            struct cgs_precond_facts *facts)
{
    const struct cgs_spec *spec = task->spec;
    CGS_TRY(
        cgs_comm_agree(task->context, cgs_amg_create(spec, task->machine, task->matrix, task->op,
                                                     spec->cycle_number, &made->amg)));
    cgs_memory_trim(); /* of the set-up's matrices */
    made->op = cgs_multigrid_operator(made->amg.multigrid);
    cgs_preconditioning_describe_amg(&made->amg, spec->degree, &task->op->domain, facts);
    return CGS_OK;
}

static void plan_grids(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                       const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    (void)op, (void)rows;
    cgs_amg_plan(spec, before, plan);
}

const struct cgs_preconditioner cgs_preconditioner_amg = {
    .make = make,
    .plan = plan_grids,
    .kept_bytes = 2 << 20, /* seen with N = 7 to 40, 1 to 16 threads */
    .thread_kept_bytes = 96 << 10,
};
