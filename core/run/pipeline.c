/* Steps of a solve: options -> input -> matrix -> operator (the only upload) -> solver -> report.
 * Each step adds its facts to the report; objects are released at the end, in reverse.
 *
 * The model problem is planned from N before anything is allocated. The plan of a file's matrix
 * needs its row lengths, so the file is read first; the memory for that is checked from its size
 * line.
 */

#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/autotune/user_kernels.h"
#include "core/io/interrupt.h"
#include "core/io/threads.h"
#include "core/report/planning.h"
#include "core/report/planning_ranks.h"
#include "core/run/guard.h"
#include "core/run/near_null.h"
#include "core/run/nullspace.h"
#include "core/run/pipeline.h"
#include "core/run/run_caller.h"
#include "core/run/run_choose.h"
#include "core/run/run_file.h"
#include "core/run/run_precond.h"
#include "core/run/run_ranks.h"
#include "core/run/run_solve.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "core/setup/machine_open.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_vectors.h"

static enum cgs_status open_machine(struct cgs_run *run)
{
    CGS_TRY(cgs_machine_open(run->context, run->settings, &run->report->external, &run->machine));
    run->report->machine = run->machine;
    run->report->has_machine = true;
    return cgs_inject_start(run->context, &run->settings->inject, run->settings->plan,
                            run->settings->format, &run->machine, &run->injection);
}

/* Runs a step of the source, if it has it. */
static enum cgs_status take(struct cgs_run *run, enum cgs_status (*step)(struct cgs_run *))
{
    return step ? step(run) : CGS_OK;
}

static enum cgs_status read_rows(struct cgs_run *run)
{
    return take(run, run->source->read);
}

static enum cgs_status plan_memory(struct cgs_run *run)
{
    return cgs_planning_make(run->context, run->report, run->laid_out ? &run->matrix : NULL,
                             cgs_run_foresee_rhs(run));
}

static enum cgs_status check_room(struct cgs_run *run)
{
    const struct cgs_matrix *laid = run->laid_out ? &run->matrix : NULL;
    CGS_TRY(cgs_comm_agree(run->context, cgs_planning_check(run->context, run->report, laid)));
    if (!run->settings->plan)
        return CGS_OK;
    CGS_TRY(cgs_run_ranks_matrix(run));
    return cgs_planning_scale(run->context, run->report, laid);
}

static enum cgs_status open_rows(struct cgs_run *run)
{
    return take(run, run->source->open);
}

/* Takes one thread for a file's matrix that is too small to share, unless the user says how
 * many. */
static enum cgs_status settle_threads(struct cgs_run *run)
{
    struct cgs_settings *o = run->settings;
    if (run->machine.device != CGS_CPU || o->given[CGS_OPTION_threads] ||
        run->report->external.plugin || !run->laid_out)
        return CGS_OK;
    run->context->threads = cgs_threads_helping(run->context->threads, run->matrix.nonzeros);
    CGS_DECIDE(o, threads, run->context->threads);
    return CGS_OK;
}

static enum cgs_status measure_bandwidth(struct cgs_run *run)
{
    if (!cgs_run_measures(run))
        return CGS_OK;
    if (!run->context->comm) /* ranks would measure each other */
        CGS_TRY(cgs_planning_bandwidth(run->report));
    cgs_footprint_start(&run->footprint, run->context->host_bytes);
    return CGS_OK;
}

static enum cgs_status make_matrix(struct cgs_run *run)
{
    if (!run->laid_out)
        CGS_TRY(cgs_comm_agree(run->context, cgs_run_lay_out(run)));
    const bool box = run->input.kind == CGS_INPUT_BOX;
    run->spec = cgs_spec_asked(run->settings, &run->machine, box ? NULL : &run->matrix);
    run->matrix.on_device = run->drawn.mesh && run->spec.on_device;
    run->report->mesh = run->input.mesh;
    run->report->matrix = run->matrix;
    run->report->matrix.pointers = NULL;
    run->report->matrix.permutation = NULL;
    run->report->matrix.source = NULL;
    run->report->matrix.mesh = NULL;
    cgs_report_take_traffic(run->report, &run->matrix);
    CGS_TRY(cgs_run_ranks_matrix(run));
    run->report->has_matrix = true;
    if (!run->machine.automatic || !(box || run->context->comm))
        return CGS_OK;
    run->report->has_choice = true;
    return cgs_choose_default(run->settings, &run->machine, &run->matrix, &run->report->choice);
}

/* Says what is known before the work begins. */
static enum cgs_status tell(struct cgs_run *run)
{
    if (run->begun)
        run->begun(run->user, run->report);
    return CGS_OK;
}

/* Makes vectors that need no matrix, so that what is wrong with them is found before its
 * assembly. */
static enum cgs_status prepare_vectors(struct cgs_run *run)
{
    CGS_TRY(take(run, run->source->prepare));
    CGS_TRY(cgs_run_read_start(run));
    cgs_run_enter(run, CGS_PHASE_STARTUP);
    return CGS_OK;
}

static enum cgs_status check_matrix(struct cgs_run *run)
{
    return take(run, run->source->check);
}

/* Verifies a user's kernel before anything depends on it. */
static enum cgs_status verify_kernel(struct cgs_run *run)
{
    cgs_run_enter(run, CGS_PHASE_SETUP);
    return run->report->external.plugin
               ? cgs_user_kernels_verify(run->context, run->settings, &run->machine, &run->owned)
               : CGS_OK;
}

static enum cgs_status bound_error(struct cgs_run *run)
{
    return take(run, run->source->bound);
}

/* Returns true if the right-hand side is the caller's, whose solution is unknown. */
static bool caller_rhs(const struct cgs_run *run)
{
    return cgs_external_rhs(&run->report->external);
}

static enum cgs_status load_problem(struct cgs_run *run)
{
    return caller_rhs(run) ? cgs_run_caller_load(run) : take(run, run->source->load);
}

static enum cgs_status measure_errors(struct cgs_run *run)
{
    return caller_rhs(run) ? CGS_OK : take(run, run->source->errors);
}

static enum cgs_status draw_pictures(struct cgs_run *run)
{
    return take(run, run->source->draw);
}

/* Times the product on the solution, an input without special values; overwrites b. */
static enum cgs_status time_product(struct cgs_run *run)
{
    if (run->report->result.outcome == CGS_OUTCOME_NOT_FINITE || !cgs_run_measures(run) ||
        run->report->columns.solved + 1 < run->report->columns.count || /* there are more */
        run->context->comm) /* how many products a time allows would differ between ranks */
        return CGS_OK;
    cgs_run_enter(run, CGS_PHASE_SETUP);
    const bool mixed = run->inner.steps != NULL; /* the iterations have an operator of their own */
    CGS_TRY(cgs_measure_product(run->machine.backend, run->machine.queue, cgs_run_iterated(run),
                                mixed ? cgs_cg_residual(run->cg) : cgs_cg_solution(run->cg),
                                mixed ? cgs_cg_scratch(run->cg) : cgs_cg_rhs(run->cg),
                                &run->report->product));
    run->report->has_product = true;
    if (!run->profiler || !run->report->preconditioning.count)
        return CGS_OK;
    return cgs_preconditioning_time(
        &run->machine,
        run->precond.amg.multigrid ? run->precond.amg.multigrid : run->precond.hierarchy.multigrid,
        cgs_cg_residual(run->cg), cgs_cg_scratch(run->cg), &run->report->preconditioning);
}

/* Passes the solution to the caller of the library, or for --output to the report. */
static enum cgs_status keep_solution(struct cgs_run *run)
{
    const struct cgs_columns *columns = &run->report->columns;
    const int64_t rows = cgs_run_all_rows(run);
    double *all = NULL;
    if (run->report->external.caller)
        return cgs_run_caller_over(run);
    if (!run->settings->output || cgs_settings_fields(run->settings))
        return CGS_OK;
    CGS_TRY(cgs_run_ranks_collect(run, cgs_cg_solution(run->cg), &all));
    if (columns->count <= 1) {
        run->report->solution = all;
        if (all == run->host)
            run->host = NULL;
        return CGS_OK;
    }
    enum cgs_status status = CGS_OK;
    if (all && !run->report->solution)
        status = cgs_alloc(run->context, rows * columns->count, sizeof *all, "solutions",
                           (void **)&run->report->solution);
    if (all && status == CGS_OK)
        memcpy(run->report->solution + columns->solved * rows, all, (size_t)rows * sizeof *all);
    cgs_run_ranks_drop(run, all);
    return status;
}

static enum cgs_status measure_peak(struct cgs_run *run)
{
    int64_t available;
    if (!cgs_run_measures(run))
        return CGS_OK;
    run->report->host_peak = cgs_footprint_peak(&run->footprint);
    CGS_TRY(
        cgs_comm_agree(run->context, run->machine.backend->memory(run->machine.queue, &available,
                                                                  &run->report->device_peak)));
    cgs_planning_peaks(run->context, run->report);
    run->report->has_peak = true;
    return CGS_OK;
}

/* Checks for an interrupt between two steps; it ends the run with the facts so far. */
static enum cgs_status look_for_interrupt(struct cgs_run *run)
{
    const struct cgs_report *report = run->report;
    if (!cgs_interrupted())
        return CGS_OK;
    if (!report->has_result)
        return cgs_fail(run->context, CGS_INTERRUPTED, "interrupted before the first iteration");
    return cgs_fail(run->context, CGS_INTERRUPTED, "interrupted after %lld iterations",
                    (long long)report->result.iterations);
}

static enum cgs_status take_steps(struct cgs_run *run,
                                  enum cgs_status (*const *steps)(struct cgs_run *), size_t count)
{
    /* Steps that a program with several solves takes once. */
    static enum cgs_status (*const once[])(struct cgs_run *) = {make_matrix, cgs_run_make_operators,
                                                                cgs_run_make_solver};
    for (size_t i = 0; i < count; i++) {
        CGS_TRY(cgs_comm_agree(run->context, look_for_interrupt(run)));
        const double begin = cgs_now();
        const enum cgs_status status = cgs_comm_agree(run->context, steps[i](run));
        for (size_t k = 0; k < sizeof once / sizeof once[0]; k++)
            if (steps[i] == once[k])
                run->report->once_seconds += cgs_now() - begin;
        cgs_guard_beat(run->report->external.pulse, true);
        if (status == CGS_MEMORY && run->fitted && !cgs_cg_wanted_more(run->cg))
            cgs_planning_explain(run->context, run->report,
                                 run->injection.fault.kind == CGS_FAULT_OOM);
        CGS_TRY(status);
        run->fitted = run->fitted || steps[i] == check_room;
        if (steps[i] == check_room && run->settings->plan)
            break;
    }
    return CGS_OK;
}

enum cgs_status cgs_run_set_up(struct cgs_run *run, FILE *verbose)
{
    static enum cgs_status (*const steps[])(struct cgs_run *) = {
        open_machine,
        read_rows,
        cgs_run_find_nullspace,
        cgs_run_take_near_null,
        plan_memory,
        check_room,
        open_rows,
        settle_threads,
        measure_bandwidth,
        make_matrix,
        prepare_vectors,
        tell,
        check_matrix,
        cgs_run_save_matrix,
        verify_kernel,
        cgs_run_make_operators,
        bound_error,
        cgs_run_make_solver,
        cgs_run_test_nullspace,
    };
    static const struct cgs_run_source *const sources[] = {[CGS_INPUT_BOX] = &cgs_source_box,
                                                           [CGS_INPUT_FILE] = &cgs_source_file,
                                                           [CGS_INPUT_MEMORY] = &cgs_source_memory,
                                                           [CGS_INPUT_DEVICE] = &cgs_source_device,
                                                           [CGS_INPUT_CALLBACK] =
                                                               &cgs_source_callback};
    run->source = sources[cgs_input_asked(run->settings, &run->report->external).kind];
    cgs_progress_start(&run->view, verbose, run->settings->verbose);
    return take_steps(run, steps, sizeof steps / sizeof steps[0]);
}

/* Lets go of all that was made of the entries, and says what they ask for now. */
static enum cgs_status drop_operators(struct cgs_run *run)
{
    run->report->again = (struct cgs_again){0};
    CGS_TRY(cgs_run_choose_cycle(run));
    run->spec = cgs_spec_asked(run->settings, &run->machine, &run->matrix);
    cgs_run_drop_precond(run);
    cgs_operator_release(&run->inner);
    cgs_operator_release(&run->op);
    return CGS_OK;
}

enum cgs_status cgs_run_renew(struct cgs_run *run, enum cgs_run_stale stale)
{
    static enum cgs_status (*const steps[])(struct cgs_run *) = {
        cgs_run_caller_values,  cgs_run_find_nullspace, cgs_run_check_near_null, drop_operators,
        cgs_run_make_operators, cgs_run_make_solver,    cgs_run_test_nullspace,
    };
    enum { STEPS = sizeof steps / sizeof steps[0] };
    const size_t from = stale == CGS_RUN_STALE_VALUES ? 0 : STEPS - 2;
    cgs_cg_release(run->cg);
    run->cg = NULL;
    run->answered = false;
    return take_steps(run, steps + from, STEPS - from);
}

enum cgs_status cgs_run_answer(struct cgs_run *run)
{
    static enum cgs_status (*const steps[])(struct cgs_run *) = {
        cgs_run_caller_clear, load_problem,  cgs_run_fit_rhs,         cgs_run_caller_start,
        cgs_run_start,        cgs_run_solve, cgs_run_note_iterations, cgs_run_fit_solution,
        measure_errors,       time_product,  keep_solution,           draw_pictures,
        measure_peak,
    };
    return take_steps(run, steps, sizeof steps / sizeof steps[0]);
}

/* Notes how a solve of one of several right-hand sides ended. */
static enum cgs_status note_column(struct cgs_run *run)
{
    struct cgs_columns *columns = &run->report->columns;
    const struct cgs_cg_result *r = &run->report->result;
    if (!columns->list)
        CGS_TRY(cgs_alloc(run->context, columns->count, sizeof *columns->list,
                          "results of right-hand sides", (void **)&columns->list));
    columns->list[columns->solved++] = (struct cgs_column){
        .outcome = r->outcome,
        .iterations = r->iterations,
        .relative_residual = r->relative_residual,
        .true_relative_residual = r->true_relative_residual,
        .seconds = r->seconds,
    };
    return CGS_OK;
}

/* Solves for each right-hand side in turn, until one fails. The report is of the last one.
 * before: the report as it is now, for each of them. */
static enum cgs_status answer_columns(struct cgs_run *run, const struct cgs_report *before)
{
    struct cgs_report *report = run->report;
    CGS_TRY(cgs_run_answer(run));
    while (report->columns.count > 1) {
        CGS_TRY(cgs_comm_agree(run->context, note_column(run)));
        if (report->columns.solved == report->columns.count ||
            report->result.outcome == CGS_OUTCOME_INTERRUPTED ||
            cgs_outcome_status(report->result.outcome) != CGS_OK)
            break;
        const struct cgs_columns columns = report->columns;
        const struct cgs_again again = report->again;
        double *solution = report->solution;
        cgs_free(run->context, report->result.history);
        cgs_free(run->context, report->algebraic);
        *report = *before;
        report->columns = columns;
        report->again = again;
        report->solution = solution;
        CGS_TRY(cgs_run_answer(run));
    }
    return CGS_OK;
}

static enum cgs_status answer_all(struct cgs_run *run)
{
    struct cgs_report *before; /* too large for a small stack */
    if (!cgs_rhs_file(run->settings))
        return cgs_run_answer(run);
    CGS_TRY(cgs_alloc(run->context, 1, sizeof *before, "report", (void **)&before));
    *before = *run->report;
    const enum cgs_status status = answer_columns(run, before);
    cgs_free(run->context, before);
    return status;
}

void cgs_run_release(struct cgs_run *run)
{
    struct cgs_context *context = run->context;
    cgs_run_enter(run, CGS_PHASE_OUTPUT);
    cgs_run_release_nullspace(run);
    cgs_free(context, run->columns);
    cgs_free(context, run->host);
    cgs_free(context, run->start);
    cgs_free(context, run->near);
    run->settings->near = (struct cgs_near_null_asked){0};
    cgs_cg_release(run->cg);
    cgs_profiler_release(run->profiler);
    cgs_precond_release(context, &run->precond);
    cgs_operator_release(&run->inner);
    cgs_operator_release(&run->op);
    cgs_matrix_release(context, &run->matrix);
    cgs_portion_release(context, &run->portion);
    cgs_renumbering_release(context, &run->renumbered);
    cgs_input_release(context, &run->input);
    cgs_machine_close(&run->machine);
    run->report->machine.queue = run->report->machine.host_queue = NULL;
}

enum cgs_status cgs_run(struct cgs_context *context, struct cgs_settings *settings, FILE *verbose,
                        struct cgs_output *save, cgs_run_begun *begun, void *user,
                        struct cgs_report *report)
{
    struct cgs_run run = {.context = context,
                          .settings = settings,
                          .report = report,
                          .save = save,
                          .begun = begun,
                          .user = user};
    if (cgs_run_set_up(&run, verbose) == CGS_OK && !settings->plan)
        answer_all(&run);
    cgs_guard_judge(context, settings->kernel, report->external.pulse);
    cgs_contention_stop("", &report->machine.contention);
    cgs_progress_end(&run.view);
    report->injected = run.injection.happened;
    snprintf(report->injection, sizeof report->injection, "%s", run.injection.what);
    report->injected_rank = run.injection.rank;
    cgs_run_release(&run);
    return context->status;
}
