/* The pipeline of a solve: options -> problem -> matrix -> operator (the one upload) -> solver ->
 * facts. Each step fills in what it learns; what it made is given back at the end, in reverse.
 */
#include <string.h>

#include "base/memory.h"
#include "fem/assembly.h"
#include "fem/mesh.h"
#include "matrix/symmetry.h"
#include "src/format.h"
#include "src/guard.h"
#include "src/inject.h"
#include "src/interrupt.h"
#include "src/own.h"
#include "src/planning.h"
#include "src/progress.h"
#include "src/solve.h"

struct run {
    struct cgs_context *context;
    struct cgs_options *options;
    struct cgs_report *report;
    struct cgs_progress_view view;
    struct cgs_machine machine;
    struct cgs_mesh mesh;
    struct cgs_row_source source, drawn; /* the assembler's; what the matrix draws from */
    struct cgs_injection injection;
    struct cgs_matrix matrix;
    struct cgs_operator op, preconditioner;
    struct cgs_cg *cg;
    double *host; /* n^3: right-hand side on its way to the device, later the solution from there */
    int64_t rows;
    struct cgs_footprint footprint;
};

static void enter(struct run *run, enum cgs_phase phase)
{
    cgs_stopwatch_enter(&run->context->watch, phase);
}

static enum cgs_status open_machine(struct run *run)
{
    CGS_TRY(cgs_machine_open(run->context, run->options, &run->machine));
    run->report->machine = run->machine;
    run->report->has_machine = true;
    return cgs_inject_start(run->context, run->options, &run->machine, &run->injection);
}

static enum cgs_status plan_memory(struct run *run)
{
    return cgs_planning_make(run->context, run->report);
}

static enum cgs_status check_room(struct run *run)
{
    return cgs_planning_check(run->context, run->report);
}

static enum cgs_status measure_bandwidth(struct run *run)
{
    CGS_TRY(cgs_planning_bandwidth(run->report));
    cgs_footprint_start(&run->footprint, run->context->host_bytes);
    return CGS_OK;
}

static enum cgs_status make_mesh(struct run *run)
{
    const struct cgs_options *o = run->options;
    enter(run, CGS_PHASE_ASSEMBLE);
    run->mesh = cgs_forecast_mesh(o, o->n);
    CGS_TRY(cgs_mesh_check(run->context, &run->mesh));
    enter(run, CGS_PHASE_STARTUP);
    return CGS_OK;
}

static enum cgs_status make_matrix(struct run *run)
{
    const struct cgs_options *o = run->options;
    enter(run, CGS_PHASE_ASSEMBLE);
    CGS_TRY(
        cgs_assembler_create(run->context, &run->mesh, cgs_gather_of(&run->mesh), &run->source));
    CGS_TRY(cgs_inject_rows(run->context, &run->injection, &run->source, &run->drawn));
    run->rows = run->drawn.rows;
    enter(run, CGS_PHASE_CONVERT);
    CGS_TRY(cgs_matrix_create(run->context, &run->drawn, (enum cgs_format)o->format,
                              o->format == CGS_SELL ? (int32_t)o->chunk : 1,
                              o->format == CGS_SELL ? (int32_t)o->sigma : 1, &run->matrix));
    run->report->mesh = run->mesh;
    run->report->matrix = run->matrix;
    run->report->matrix.pointers = NULL;
    run->report->matrix.permutation = NULL;
    run->report->traffic = run->machine.kernel->traffic(&run->matrix);
    run->report->has_matrix = true;
    enter(run, CGS_PHASE_ASSEMBLE);
    return run->drawn.symmetric ? CGS_OK
                                : cgs_matrix_check_symmetry(run->context, &run->drawn, true);
}

/* The person's own kernel, before anything depends on it. */
static enum cgs_status verify_kernel(struct run *run)
{
    enter(run, CGS_PHASE_SETUP);
    return run->options->foreign
               ? cgs_own_verify(run->context, run->options, &run->machine, &run->drawn)
               : CGS_OK;
}

static enum cgs_status make_operators(struct run *run)
{
    const struct cgs_machine *m = &run->machine;
    cgs_inject_starvation(run->context, &run->injection, m);
    enter(run, CGS_PHASE_ASSEMBLE); /* the kernel draws the entries; it charges transfers itself */
    CGS_TRY(cgs_operator_create(m->queue, m->backend, m->kernel,
                                (enum cgs_precision)run->options->precision, &run->matrix,
                                &run->op));
    enter(run, CGS_PHASE_SETUP);
    if (run->options->precond == CGS_PRECOND_JACOBI)
        CGS_TRY(cgs_jacobi_create(m->queue, &run->op, &run->drawn, &run->preconditioner));
    return CGS_OK;
}

/* Room for the numbers of one vector, for all that passes through the host. */
static enum cgs_status take_host(struct run *run)
{
    if (run->host)
        return CGS_OK;
    return cgs_alloc(run->context, run->rows, sizeof *run->host, "load vector",
                     (void **)&run->host);
}

/* What --stop=discretization stops at. In the energy norm the finite-element solution is the best
 * approximation of u on this mesh (Cea), so the error of u's interpolant bounds its own, and is
 * about the same size. */
static enum cgs_status measure_discretization(struct run *run)
{
    const struct cgs_problem *problem = run->options->problem;
    struct cgs_errors errors;
    if (run->options->stop != CGS_STOP_DISCRETIZATION)
        return CGS_OK;
    if (cgs_problem_known(problem, &run->mesh) != CGS_KNOWN_EVERYWHERE)
        return cgs_fail(
            run->context, CGS_USAGE,
            "--stop=discretization needs an exact solution, but for this kappa, which "
            "jumps, --problem=%s has none: take --stop=residual, or --problem=octants with "
            "an odd N on the undeformed cube",
            problem->name);
    enter(run, CGS_PHASE_ERRORS);
    CGS_TRY(take_host(run));
    CGS_TRY(cgs_problem_solution(run->context, problem, &run->mesh, 0, run->rows, run->host));
    CGS_TRY(cgs_errors_measure(run->context, problem, &run->mesh, run->host, &errors));
    run->report->discretization_error = errors.energy;
    return CGS_OK;
}

static bool show_progress(void *user, const struct cgs_progress *progress)
{
    struct run *run = user;
    cgs_guard_beat(run->options, false);
    return cgs_progress_show(&run->view, progress);
}

static enum cgs_status make_solver(struct run *run)
{
    const struct cgs_options *o = run->options;
    struct cgs_cg_settings settings = {
        .tolerance = o->tol,
        .energy_tolerance = run->report->discretization_error,
        .max_iterations = o->max_iterations,
        .check_every = (int)o->check_every,
        .launch = (enum cgs_launch)o->launch,
        .relative_to_first = o->problem->course,
        .restart = !o->problem->course,
        .progress = show_progress,
        .user = run,
    };
    cgs_inject_pause(&run->injection, &run->machine, &settings);
    enter(run, CGS_PHASE_SETUP);
    CGS_TRY(cgs_cg_create(run->machine.queue, &run->op,
                          run->preconditioner.steps ? &run->preconditioner : NULL, &settings,
                          &run->cg));
    run->report->bytes_per_unknown = cgs_bytes_per_unknown(
        run->machine.kernel, &run->matrix, &run->op, run->preconditioner.steps != NULL);
    return CGS_OK;
}

static enum cgs_status put(struct run *run, void *vector)
{
    enter(run, CGS_PHASE_TRANSFER);
    return run->op.domain.ops->put(&run->op.domain, run->host, 0, run->rows, vector);
}

static enum cgs_status get(struct run *run, const void *vector)
{
    enter(run, CGS_PHASE_TRANSFER);
    return run->op.domain.ops->get(&run->op.domain, vector, 0, run->rows, run->host);
}

/* Right-hand side: the load vector, or A u where the problem wants the discrete solution to be u.
 * Then the start vector. */
static enum cgs_status load_problem(struct run *run)
{
    const struct cgs_problem *problem = run->options->problem;
    void *b = cgs_cg_rhs(run->cg), *x = cgs_cg_solution(run->cg);
    enter(run, CGS_PHASE_ASSEMBLE);
    CGS_TRY(take_host(run));
    if (!problem->product_rhs) {
        CGS_TRY(cgs_problem_load(run->context, problem, &run->mesh, 0, run->rows, run->host));
        return put(run, b); /* x is zero, the start vector of all these problems */
    }
    CGS_TRY(cgs_problem_solution(run->context, problem, &run->mesh, 0, run->rows, run->host));
    CGS_TRY(put(run, x));
    enter(run, CGS_PHASE_SETUP);
    CGS_TRY(cgs_operator_apply(&run->op, run->machine.queue, NULL, x, b));
    CGS_TRY(run->op.domain.ops->wait(run->machine.queue));
    enter(run, CGS_PHASE_ASSEMBLE);
    cgs_problem_guess(problem, 0, run->rows, run->host);
    return put(run, x);
}

static enum cgs_status solve(struct run *run)
{
    struct cgs_cg_result result;
    enter(run, CGS_PHASE_SETUP); /* the first residual; CG charges the loop itself */
    CGS_TRY(cgs_cg_solve(run->cg, &result));
    const size_t count = (size_t)result.iterations + 1;
    double *history;
    CGS_TRY(cgs_alloc(run->context, (int64_t)count, sizeof *history, "history", (void **)&history));
    memcpy(history, result.history, count * sizeof *history);
    run->report->result = result;
    run->report->result.history = history;
    run->report->has_result = true;
    return CGS_OK;
}

static enum cgs_status measure_errors(struct run *run)
{
    const struct cgs_problem *problem = run->options->problem;
    if (cgs_problem_known(problem, &run->mesh) == CGS_KNOWN_NOWHERE)
        return CGS_OK;
    CGS_TRY(get(run, cgs_cg_solution(run->cg)));
    enter(run, CGS_PHASE_ERRORS);
    CGS_TRY(cgs_errors_measure(run->context, problem, &run->mesh, run->host, &run->report->errors));
    run->report->has_errors = true;
    if (problem->course) { /* b = A u */
        CGS_TRY(get(run, cgs_cg_rhs(run->cg)));
        enter(run, CGS_PHASE_ERRORS);
        run->report->consistency =
            cgs_errors_consistency(run->context, problem, &run->mesh, run->host);
        run->report->has_consistency = true;
    }
    return CGS_OK;
}

/* On the solution, whose numbers are finite and ordinary; b is no longer needed. */
static enum cgs_status time_product(struct run *run)
{
    if (run->report->result.outcome == CGS_OUTCOME_NOT_FINITE)
        return CGS_OK;
    enter(run, CGS_PHASE_SETUP);
    CGS_TRY(cgs_measure_product(run->machine.backend, run->machine.queue, &run->op,
                                cgs_cg_solution(run->cg), cgs_cg_rhs(run->cg),
                                &run->report->product));
    run->report->has_product = true;
    return CGS_OK;
}

static enum cgs_status measure_peak(struct run *run)
{
    int64_t available;
    run->report->host_peak = cgs_footprint_peak(&run->footprint);
    CGS_TRY(
        run->machine.backend->memory(run->machine.queue, &available, &run->report->device_peak));
    run->report->has_peak = true;
    return CGS_OK;
}

/* Between two steps: an interrupt ends the run with what is known so far. */
static enum cgs_status look_for_interrupt(struct run *run)
{
    const struct cgs_report *report = run->report;
    if (!cgs_interrupted())
        return CGS_OK;
    if (!report->has_result)
        return cgs_fail(run->context, CGS_INTERRUPTED, "interrupted before the first iteration");
    return cgs_fail(run->context, CGS_INTERRUPTED, "interrupted after %lld iterations",
                    (long long)report->result.iterations);
}

static enum cgs_status take_steps(struct run *run)
{
    static enum cgs_status (*const steps[])(struct run *) = {
        open_machine,      plan_memory,  check_room,    make_mesh,
        measure_bandwidth, make_matrix,  verify_kernel, make_operators,
        measure_discretization, make_solver, load_problem, solve,
        measure_errors,    time_product, measure_peak,
    };
    bool fitted = false; /* the plan */
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        CGS_TRY(look_for_interrupt(run));
        const enum cgs_status status = steps[i](run);
        cgs_guard_beat(run->options, true);
        if (status == CGS_MEMORY && fitted)
            cgs_planning_explain(run->context, run->report,
                                 run->injection.fault.kind == CGS_FAULT_OOM);
        CGS_TRY(status);
        fitted = fitted || steps[i] == check_room;
        if (steps[i] == plan_memory && run->options->plan) {
            CGS_TRY(cgs_planning_predict(run->context, run->report));
            return check_room(run);
        }
    }
    return CGS_OK;
}

enum cgs_status cgs_run(struct cgs_context *context, struct cgs_options *options, FILE *verbose,
                        struct cgs_report *report)
{
    struct run run = {.context = context, .options = options, .report = report};
    cgs_progress_start(&run.view, options->verbose ? verbose : NULL);
    take_steps(&run);
    cgs_guard_judge(context, options);
    cgs_progress_end(&run.view);
    report->injected = run.injection.happened;
    snprintf(report->injection, sizeof report->injection, "%s", run.injection.what);

    enter(&run, CGS_PHASE_OUTPUT);
    cgs_free(context, run.host);
    cgs_cg_release(run.cg);
    cgs_operator_release(&run.preconditioner);
    cgs_operator_release(&run.op);
    cgs_matrix_release(context, &run.matrix);
    if (run.source.self)
        cgs_assembler_release(context, &run.source);
    cgs_machine_close(&run.machine);
    report->machine.queue = report->machine.host_queue = NULL;
    return context->status;
}
