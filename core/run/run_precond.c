/* The preconditioner of a run: made, kept for new values, made again with cycles in double. */
#include "core/run/run_precond.h"

#include <string.h>

#include "base/clock.h"
#include "base/comm.h"
#include "core/run/judge.h"
#include "core/run/run_caller.h"
#include "core/run/run_choose.h"
#include "core/run/why.h"
#include "solver/cg/cg_result.h"

/* ---- made ---- */

/* Makes the preconditioner, unless the cycle of earlier values stays. */
static enum cgs_status make_preconditioner(struct cgs_run *run)
{
    struct cgs_precond_facts *facts = &run->facts;
    if (run->precond.amg.multigrid) {
        facts->reused = CGS_REUSE_ALL;
        memset(facts->part_seconds, 0, sizeof facts->part_seconds);
        return CGS_OK;
    }
    *facts = (struct cgs_precond_facts){0};
    run->first_iterations = run->most_iterations = 0;
    run->spec.constants |= run->report->nullspace.constants;
    const struct cgs_precond_task task = {.context = run->context,
                                          .spec = &run->spec,
                                          .machine = &run->machine,
                                          .mesh = &run->input.mesh,
                                          .rows = &run->owned,
                                          .matrix = &run->matrix,
                                          .op = cgs_run_iterated(run)};
    return cgs_preconditioner(run->settings->precond)->make(&task, &run->precond, facts);
}

/* Notes the preconditioner's facts, and its seconds since `begin`. Gives back memory of set-up's
 * matrix products, which the solve does not need. */
static enum cgs_status note_made(struct cgs_run *run, double begin)
{
    if (run->machine.backend->trim)
        run->machine.backend->trim(run->machine.queue);
    CGS_TRY(run->op.domain.ops->wait(run->machine.queue));
    run->facts.seconds = cgs_now() - begin;
    run->report->preconditioning = run->facts;
    run->report->has_preconditioning = true;
    return CGS_OK;
}

/* Adds to the message of a preconditioner that could not be made what the matrix's entries say. A
 * process alone: ranks may not have failed together. */
static enum cgs_status explain_set_up(struct cgs_run *run)
{
    struct cgs_context *context = run->context;
    char cause[CGS_CAUSE_BYTES];
    if (context->comm)
        return CGS_BREAKDOWN;
    context->status = CGS_OK; /* else the measurement would stop */
    CGS_TRY(cgs_run_find_causes(run));
    if (cgs_run_blame_range(context, run->report))
        return context->status;
    context->status = CGS_BREAKDOWN;
    if (cgs_run_tell_entries(run->report, cause))
        cgs_fail_add(context, "%s", cause);
    return CGS_BREAKDOWN;
}

enum cgs_status cgs_run_make_precond_double(struct cgs_run *run)
{
    const bool box = run->input.kind == CGS_INPUT_BOX;
    const double begin = cgs_now();
    cgs_precond_release(run->context, &run->precond);
    CGS_DECIDE(run->settings, precond_precision, CGS_CYCLE_DOUBLE);
    run->spec = cgs_spec_asked(run->settings, &run->machine, box ? NULL : &run->matrix);
    CGS_TRY(make_preconditioner(run));
    return note_made(run, begin);
}

/* Makes the preconditioner; where its set-up breaks down with cycles in single, in double. */
static enum cgs_status make_either(struct cgs_run *run)
{
    enum cgs_status status = make_preconditioner(run);
    if (status != CGS_BREAKDOWN || !cgs_run_cycle_open(run))
        return status;
    run->context->status = CGS_OK;
    run->context->message[0] = '\0';
    if (run->context->comm) /* the ranks have agreed on that end, and all go on from it */
        run->context->comm->ended = false;
    run->report->again = (struct cgs_again){.why = "set-up broke down"};
    return cgs_run_make_precond_double(run);
}

enum cgs_status cgs_run_make_precond(struct cgs_run *run)
{
    if (cgs_external_precondition(&run->report->external))
        return cgs_run_caller_precondition(run);
    if (!cgs_preconditioner(run->settings->precond)->make)
        return CGS_OK;
    const double begin = cgs_now();
    const enum cgs_status status = make_either(run);
    CGS_TRY(status == CGS_BREAKDOWN ? explain_set_up(run) : status);
    return note_made(run, begin);
}

/* ---- kept for new values ---- */

/* A cycle of old values is made anew once iterations have grown by this factor. */
static const double GROWTH = 1.5;

/* Returns true if amg's cycle stays for new values. */
static bool keeps_cycle(const struct cgs_run *run)
{
    const struct cgs_amg *amg = &run->precond.amg;
    const bool aged = run->first_iterations > 0 &&
                      (double)run->most_iterations > GROWTH * (double)run->first_iterations;
    /* the finest operator of cycles in double reads values of the caller's, which may be gone */
    const bool lent =
        run->input.kind == CGS_INPUT_DEVICE && run->spec.cycle_number == CGS_F64;
    return run->settings->reuse == CGS_REUSE_ALL && amg->multigrid && !aged && !lent &&
           (run->precond.centre != NULL) == run->report->nullspace.constants &&
           amg->level[0].op.domain.number == run->spec.cycle_number;
}

void cgs_run_drop_precond(struct cgs_run *run)
{
    struct cgs_amg_kept kept = run->precond.kept;
    if (keeps_cycle(run)) {
        cgs_amg_take_operator(&run->precond.amg, run->inner.steps ? &run->inner : &run->op);
        return;
    }
    run->precond.kept = (struct cgs_amg_kept){0};
    if (kept.ops)
        cgs_amg_leave(&run->precond.amg, &kept);
    cgs_precond_release(run->context, &run->precond);
    run->precond.kept = kept;
}

enum cgs_status cgs_run_note_iterations(struct cgs_run *run)
{
    const struct cgs_cg_result *r = &run->report->result;
    const bool solved = cgs_outcome_status(r->outcome) == CGS_OK;
    const int64_t iterations = solved ? r->iterations : INT64_MAX;
    if (run->report->again.iterations > 0)
        return CGS_OK;
    if (iterations > run->most_iterations)
        run->most_iterations = iterations;
    if (run->first_iterations == 0 && solved)
        run->first_iterations = r->iterations;
    return CGS_OK;
}
