/* --guess: takes the start vector from a file, or computes it by a full multigrid pass (fmg),
 * and its errors. */
#include "core/run/run_start.h"
#include "base/clock.h"
#include "base/comm.h"
#include "core/run/run_box.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "solver/cg/cg_create.h"

/* Multigrid cycles on each grid. Nodal L2 error / that of the solution, gauss, N = 31, 63, 127:
 * 0.98, 0.97, 0.97; with one cycle 0.73, 0.87, 1.03 and growing (L2 norm 1.21, 1.37, 1.48). */
enum { CYCLES = 2 };

/* Finds grids in the equation's number type: in float, rounding times the condition number exceeds
 * the discretisation error from N of about 60 on. Uses the preconditioner's grids if they have that
 * type, else creates *own, which the caller releases. */
static enum cgs_status take_grids(struct cgs_run *run, struct cgs_hierarchy *own,
                                  struct cgs_multigrid **multigrid)
{
    const enum cgs_number number = run->op.domain.number;
    const struct cgs_hierarchy *there = &run->precond.hierarchy;
    if (there->multigrid && there->level[0].op.domain.number == number) {
        *multigrid = there->multigrid;
        return CGS_OK;
    }
    CGS_TRY(cgs_hierarchy_create(run->context, &run->spec, &run->machine, &run->input.mesh,
                                 &run->op, number, own));
    *multigrid = own->multigrid;
    return CGS_OK;
}

static enum cgs_status pass(struct cgs_run *run, struct cgs_multigrid *multigrid)
{
    struct cgs_start *start = &run->report->start;
    struct cgs_queue *queue = run->machine.queue;
    const struct cgs_space_ops *ops = run->op.domain.ops;
    CGS_TRY(ops->wait(queue));
    start->setup_seconds += cgs_now();
    cgs_run_enter(run, CGS_PHASE_SOLVE);
    start->seconds -= cgs_now();
    CGS_TRY(cgs_multigrid_full(multigrid, queue, start->cycles, cgs_cg_rhs(run->cg),
                               cgs_cg_solution(run->cg)));
    CGS_TRY(ops->wait(queue));
    start->seconds += cgs_now();
    cgs_run_enter(run, CGS_PHASE_SETUP);
    return CGS_OK;
}

enum cgs_status cgs_run_start(struct cgs_run *run)
{
    struct cgs_start *start = &run->report->start;
    struct cgs_hierarchy own = {0};
    struct cgs_multigrid *multigrid = NULL;
    if (run->start)
        return cgs_run_put_start(run);
    if (run->settings->guess != CGS_GUESS_FMG)
        return CGS_OK;
    cgs_run_enter(run, CGS_PHASE_SETUP);
    *start = (struct cgs_start){.cycles = CYCLES, .setup_seconds = -cgs_now()};
    enum cgs_status status = cgs_comm_agree(run->context, take_grids(run, &own, &multigrid));
    if (status == CGS_OK)
        status = pass(run, multigrid);
    cgs_hierarchy_release(run->context, &own);
    CGS_TRY(status);
    if (!cgs_external_rhs(&run->report->external)) /* else the solution is unknown */
        CGS_TRY(cgs_run_box_measure(run, &start->errors, &start->has_errors));
    run->report->has_start = true;
    return CGS_OK;
}
