/* Steps of a run for a caller of the library, with the caller's rows and vectors. Nothing is timed
 * unless asked for, so that --kernel=auto depends on the row lengths alone and picks the same
 * kernel in every run. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/options/option_table.h"
#include "core/run/run_caller.h"
#include "core/run/run_choose.h"
#include "core/run/run_file.h"
#include "core/run/run_ranks.h"
#include "core/run/steps.h"
#include "core/setup/machine_open.h"
#include "solver/callback.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_result.h"

enum cgs_status cgs_run_caller_precondition(struct cgs_run *run)
{
    struct cgs_settings *o = run->settings;
    if (o->precond != CGS_PRECOND_NONE)
        return cgs_fail(
            run->context, CGS_USAGE,
            "precond = %s and a preconditioner of the caller's are two: take one of them "
            "back",
            cgs_option_choice(o, CGS_OPTION_precond));
    if (o->precision != CGS_PRECISION_F64 || run->op.domain.layout.pitch > 0)
        return cgs_fail(
            run->context, CGS_USAGE,
            "a preconditioner of the caller's computes in double, on vectors in natural "
            "order: take %s",
            o->precision != CGS_PRECISION_F64 ? "precision = double" : "another kernel");
    cgs_settle_launch(o, CGS_LAUNCH_PLAIN);
    return cgs_callback_operator(run->machine.queue, &run->op.domain,
                                 run->report->external.caller->precondition, &run->precond.op);
}

/* Lays out the rows in the caller's memory; of a part those that this rank is to have. */
static enum cgs_status read_rows(struct cgs_run *run)
{
    const struct cgs_market_settings settings = {.cut = cgs_run_ranks_cuts, .user = run};
    CGS_TRY(cgs_run_open_input(run, &settings));
    cgs_settle_iterations(run->settings, cgs_run_all_rows(run));
    CGS_TRY(cgs_run_file_check(run));
    CGS_TRY(cgs_run_choose_cycle(run));
    CGS_TRY(cgs_run_choose_kernel(run));
    cgs_run_enter(run, CGS_PHASE_STARTUP);
    return cgs_run_lay_out(run);
}

static bool asks_for_kernel(const struct cgs_run *run)
{
    return !run->machine.automatic || run->settings->given[CGS_OPTION_format];
}

/* Takes the kernel of CRS that is best for stencils, since a caller's rows are used as they are. */
static enum cgs_status take_rows_there(struct cgs_run *run)
{
    struct cgs_machine *m = &run->machine;
    const struct cgs_kernel_entry *entry;
    if (asks_for_kernel(run))
        return CGS_OK;
    CGS_TRY(cgs_kernel_find(run->context, "auto", m->device, CGS_CRS, &entry));
    CGS_TRY(cgs_machine_take(run->context, run->settings, entry, 1, 1, m));
    run->report->machine = *m;
    return CGS_OK;
}

/* Returns true if one pass over the rows on the device has found most of what the host would look
 * for. */
static bool suits(const struct cgs_rows_findings *found)
{
    return found->symmetric && found->not_positive == 0;
}

/* Has the host look at rows on the device for what that pass has not found. */
static enum cgs_status check_there(struct cgs_run *run)
{
    const struct cgs_rows_findings *found = &run->input.there.findings;
    if (found->not_positive == 0) {
        run->report->least_diagonal = found->least;
        run->report->most_diagonal = found->most;
        run->report->has_range = true;
    }
    run->drawn.symmetric = suits(found);
    if (run->drawn.symmetric && run->settings->precision != CGS_PRECISION_F32)
        return CGS_OK;
    return cgs_run_file_check(run);
}

/* Lays out the rows that the caller has in the memory of the device. */
static enum cgs_status read_rows_there(struct cgs_run *run)
{
    CGS_TRY(cgs_run_open_input(run, NULL));
    cgs_settle_iterations(run->settings, run->rows);
    if (!suits(&run->input.there.findings) || asks_for_kernel(run))
        CGS_TRY(cgs_there_bring(run->context, &run->input.there));
    run->drawn = cgs_there_source(&run->input.there);
    CGS_TRY(check_there(run));
    CGS_TRY(cgs_run_choose_cycle(run));
    CGS_TRY(take_rows_there(run));
    cgs_run_enter(run, CGS_PHASE_STARTUP);
    return cgs_run_lay_out(run);
}

/* Lays out rows without entries, and takes the function that applies them. */
static enum cgs_status read_callback(struct cgs_run *run)
{
    struct cgs_settings *o = run->settings;
    struct cgs_machine *m = &run->machine;
    if (o->precision != CGS_PRECISION_F64)
        return cgs_fail(run->context, CGS_USAGE,
                        "precision = %s, but a product of the caller's computes in double: take "
                        "precision = double",
                        cgs_option_choice(o, CGS_OPTION_precision));
    if (o->precond != CGS_PRECOND_NONE)
        return cgs_fail(
            run->context, CGS_USAGE,
            "precond = %s is made of the matrix's entries, and a product of the caller's has "
            "none: take precond = none, or cgsolve_preconditioner",
            cgs_option_choice(o, CGS_OPTION_precond));
    if (o->given[CGS_OPTION_kernel] || o->given[CGS_OPTION_format])
        return cgs_fail(
            run->context, CGS_USAGE,
            "%s is for a matrix with entries, and a product of the caller's has none: take "
            "the option back",
            o->given[CGS_OPTION_kernel] ? "kernel" : "format");
    CGS_TRY(cgs_run_open_input(run, NULL));
    cgs_settle_iterations(o, run->rows);
    CGS_TRY(cgs_machine_take(run->context, o, cgs_callback_entry(m->device), 1, 1, m));
    run->report->machine = *m;
    return cgs_run_lay_out(run);
}

bool cgs_run_caller_there(const struct cgs_run *run, const double *vector)
{
    const struct cgs_rows_ops *ops = run->machine.backend->rows;
    return ops && ops->holds(vector);
}

enum cgs_status cgs_run_caller_check(struct cgs_run *run, const char *name, int64_t count,
                                     const double *vector)
{
    if (cgs_run_caller_there(run, vector)) /* CG itself will meet what is wrong */
        return CGS_OK;
    const bool single = run->settings->precision == CGS_PRECISION_F32;
    const double most = single ? FLT_MAX : DBL_MAX;
    int64_t first = count;
#pragma omp parallel for num_threads(run->context->threads) schedule(static) reduction(min : first)
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(vector[i]) <= most) && i < first)
            first = i;
    if (first == count)
        return CGS_OK;
    if (single && isfinite(vector[first]))
        return cgs_fail(run->context, CGS_FILE,
                        "%s[%" PRId64 "] = %.6g does not fit single precision (at most %.6g): set "
                        "precision to mixed or double",
                        name, first, vector[first], (double)FLT_MAX);
    return cgs_fail(run->context, CGS_FILE, "%s[%" PRId64 "] is %g: expected finite numbers", name,
                    first, vector[first]);
}

/* ---- vectors of a part: the caller's cut, and the solver's ---- */

/* The solver's cuts; alone those of the part. */
static const int64_t *cuts_of(const struct cgs_run *run, const struct cgs_caller_part *part)
{
    return run->owned.portion ? run->portion.cuts : part->cuts;
}

void cgs_run_caller_move(struct cgs_run *run, const double *vector, double *here)
{
    const struct cgs_caller_part *part = run->report->external.caller->part;
    cgs_part_move(run->context, part->cuts, vector, cuts_of(run, part), here);
}

/* Checks a vector of a part, and moves it into run->host. */
static enum cgs_status bring(struct cgs_run *run, const char *name, const double *vector)
{
    const struct cgs_caller_part *part = run->report->external.caller->part;
    CGS_TRY(cgs_comm_agree(run->context, cgs_run_caller_check(run, name, part->rows, vector)));
    CGS_TRY(cgs_run_take_host(run));
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    cgs_run_caller_move(run, vector, run->host);
    return CGS_OK;
}

bool cgs_run_caller_renews(struct cgs_run *run, const struct cgs_caller_rows *rows)
{
    struct cgs_there *there = &run->input.there;
    return !run->input.crs.pointers &&
           cgs_there_renew(run->context, &run->machine, rows, there) == CGS_OK &&
           suits(&there->findings);
}

enum cgs_status cgs_run_caller_values(struct cgs_run *run)
{
    const struct cgs_caller *caller = run->report->external.caller;
    run->report->has_range = run->report->has_definite = false;
    if (run->input.kind == CGS_INPUT_DEVICE)
        return check_there(run);
    if (caller && caller->part)
        cgs_part_take_values(run->context, caller->part, &run->input.crs);
    else if (caller && caller->crs && run->input.crs.pointers) /* a copy, made symmetric */
        memcpy(run->input.crs.value, caller->crs->value,
               (size_t)caller->crs->pointers[caller->crs->rows] * sizeof *caller->crs->value);
    return cgs_run_file_check(run);
}

enum cgs_status cgs_run_caller_load(struct cgs_run *run)
{
    const struct cgs_caller *caller = run->report->external.caller;
    const struct cgs_space *space = &run->op.domain;
    if (caller->part) {
        CGS_TRY(bring(run, "b", caller->rhs));
        CGS_TRY(cgs_run_check_single(run, "b", run->host));
        return cgs_run_put(run, cgs_cg_rhs(run->cg));
    }
    if (caller->rhs == cgs_cg_rhs(run->cg)) /* of a step in time, made there */
        return CGS_OK;
    CGS_TRY(cgs_run_caller_check(run, "b", run->rows, caller->rhs));
    if (!cgs_run_caller_there(run, caller->rhs))
        CGS_TRY(cgs_run_check_single(run, "b", caller->rhs));
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return space->ops->put(space, caller->rhs, 0, run->rows, cgs_cg_rhs(run->cg));
}

enum cgs_status cgs_run_caller_clear(struct cgs_run *run)
{
    const struct cgs_space *space = &run->op.domain;
    const bool used = run->answered;
    run->answered = true;
    return used ? space->ops->set(space, run->machine.queue, NULL, 0.0, cgs_cg_solution(run->cg))
                : CGS_OK;
}

enum cgs_status cgs_run_caller_start(struct cgs_run *run)
{
    const struct cgs_caller *caller = run->report->external.caller;
    const struct cgs_space *space = &run->op.domain;
    if (!caller || !caller->start)
        return CGS_OK;
    if (caller->part) {
        CGS_TRY(bring(run, "x", caller->start));
        return cgs_run_put(run, cgs_cg_solution(run->cg));
    }
    CGS_TRY(cgs_run_caller_check(run, "x", run->rows, caller->start));
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return space->ops->put(space, caller->start, 0, run->rows, cgs_cg_solution(run->cg));
}

/* Shows x, in this rank's part of which the caller has `length` numbers. */
static bool show(const struct cgs_caller *caller, const struct cgs_cg_pause *now, int64_t length,
                 double *x)
{
    if (now->scale != 0)
        for (int64_t i = 0; i < length; i++)
            x[i] = ldexp(x[i], now->scale);
    return caller->look(caller->look_user, now->progress.iteration, now->progress.relative_residual,
                        length, x);
}

/* The same of a part, whose numbers the caller's ranks have cut in another way. */
static enum cgs_status show_part(struct cgs_run *run, const struct cgs_cg_pause *now, bool *go_on)
{
    struct cgs_context *context = run->context;
    const struct cgs_caller *caller = run->report->external.caller;
    const struct cgs_caller_part *part = caller->part;
    double *x = NULL;
    CGS_TRY(cgs_comm_agree(context,
                           cgs_alloc(context, part->rows, sizeof *x, "solution", (void **)&x)));
    cgs_part_move(context, cuts_of(run, part), run->host, part->cuts, x);
    *go_on = show(caller, now, part->rows, x);
    cgs_free(context, x);
    return CGS_OK;
}

enum cgs_status cgs_run_caller_look(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    struct cgs_run *run = user;
    const struct cgs_caller *caller = run->report->external.caller;
    const struct cgs_space *space = cgs_cg_space(cg);
    bool go_on = true;
    CGS_TRY(cgs_run_take_host(run));
    cgs_run_enter(run, CGS_PHASE_OUTPUT);
    CGS_TRY(cgs_comm_agree(run->context, space->ops->get(space, now->x, 0, run->rows, run->host)));
    if (caller->part)
        CGS_TRY(show_part(run, now, &go_on));
    else
        go_on = show(caller, now, run->rows, run->host);
    now->stop = cgs_comm_most(run->context, go_on ? 0.0 : 1.0) > 0.0; /* all after the same one */
    return CGS_OK;
}

enum cgs_status cgs_run_caller_over(struct cgs_run *run)
{
    const struct cgs_caller *caller = run->report->external.caller;
    const struct cgs_space *space = &run->op.domain;
    const enum cgs_status status = cgs_outcome_status(run->report->result.outcome);
    if (!caller->solution || status == CGS_BREAKDOWN)
        return CGS_OK;
    if (caller->part) {
        CGS_TRY(cgs_run_take_host(run));
        CGS_TRY(cgs_comm_agree(run->context, cgs_run_get(run, cgs_cg_solution(run->cg))));
        cgs_part_move(run->context, cuts_of(run, caller->part), run->host, caller->part->cuts,
                      caller->solution);
        return CGS_OK;
    }
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return space->ops->get(space, cgs_cg_solution(run->cg), 0, run->rows, caller->solution);
}

const struct cgs_run_source cgs_source_memory = {
    .read = read_rows,
    .load = cgs_run_rows_load,
    .errors = cgs_run_rows_errors,
};

const struct cgs_run_source cgs_source_device = {
    .read = read_rows_there,
    .load = cgs_run_rows_load,
    .errors = cgs_run_rows_errors,
};

const struct cgs_run_source cgs_source_callback = {
    .read = read_callback,
    .load = cgs_run_rows_load,
    .errors = cgs_run_rows_errors,
};
