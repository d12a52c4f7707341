/* From the matrix to the solution: the operators (the one upload), the solver and its vectors, the
 * solve. */
#include "src/run.h"

#include <string.h>

#include "base/memory.h"
#include "solver/smoother.h"
#include "src/guard.h"
#include "src/solve.h"

/* Degree of --precond=chebyshev, the part of the spectrum that it aims at, and how that is found. */
enum { DEGREE = 4, ESTIMATE_STEPS = 10 };
static const double LOW = 1.0 / 30.0, MARGIN = 1.1;

static enum cgs_status make_chebyshev(struct cgs_run *run)
{
    const struct cgs_operator *op = cgs_run_iterated(run);
    struct cgs_queue *queue = run->machine.queue;
    double high;
    CGS_TRY(cgs_assemble_jacobi(run->options, &run->machine, op, &run->drawn, &run->jacobi));
    CGS_TRY(cgs_eigenvalue_bound(queue, op, &run->jacobi, ESTIMATE_STEPS, MARGIN, &high));
    return cgs_chebyshev_create(queue, op, &run->jacobi, DEGREE, LOW * high, high,
                                &run->preconditioner);
}

static enum cgs_status make_multigrid(struct cgs_run *run)
{
    const struct cgs_operator *op = cgs_run_iterated(run);
    const bool twice = op->domain.number == CGS_F64 &&
                       run->options->precond_precision == CGS_CYCLE_DOUBLE;
    CGS_TRY(cgs_hierarchy_create(run->context, run->options, &run->machine, &run->input.mesh, op,
                                 twice ? CGS_F64 : CGS_F32, &run->hierarchy));
    run->preconditioner = cgs_multigrid_operator(run->hierarchy.multigrid);
    return CGS_OK;
}

static enum cgs_status make_preconditioner(struct cgs_run *run)
{
    switch (run->options->precond) {
    case CGS_PRECOND_JACOBI:
        return cgs_assemble_jacobi(run->options, &run->machine, cgs_run_iterated(run), &run->drawn,
                                   &run->preconditioner);
    case CGS_PRECOND_CHEBYSHEV:
        return make_chebyshev(run);
    case CGS_PRECOND_MG:
        return make_multigrid(run);
    default:
        return CGS_OK;
    }
}

enum cgs_status cgs_run_make_operators(struct cgs_run *run)
{
    const struct cgs_machine *m = &run->machine;
    cgs_inject_starvation(run->context, &run->injection, m);
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE); /* the kernel draws; it charges transfers itself */
    const enum cgs_precision precision = (enum cgs_precision)run->options->precision;
    enum cgs_status status =
        cgs_operator_create(m->queue, m->backend, m->outer ? m->outer : m->kernel,
                            m->outer ? CGS_PRECISION_F64 : precision, &run->matrix, &run->op);
    if (status == CGS_OK && m->outer)
        status = cgs_operator_create(m->queue, m->backend, m->kernel, precision, &run->matrix,
                                     &run->inner);
    if (status == CGS_FILE && run->options->matrix) /* an entry that does not fit */
        cgs_run_name_file(run);
    CGS_TRY(status);
    run->report->traffic = cgs_operator_traffic(&run->op, m->kernel, &run->matrix);
    cgs_run_enter(run, CGS_PHASE_SETUP);
    return make_preconditioner(run);
}

const struct cgs_operator *cgs_run_iterated(const struct cgs_run *run)
{
    return run->inner.steps ? &run->inner : &run->op;
}

enum cgs_status cgs_run_take_host(struct cgs_run *run)
{
    if (run->host)
        return CGS_OK;
    return cgs_alloc(run->context, run->rows, sizeof *run->host, "load vector",
                     (void **)&run->host);
}

static bool show_progress(void *user, const struct cgs_progress *progress)
{
    struct cgs_run *run = user;
    cgs_guard_beat(run->options, false);
    return cgs_progress_show(&run->view, progress);
}

enum cgs_status cgs_run_make_solver(struct cgs_run *run)
{
    struct cgs_options *o = run->options;
    if (!o->given[CGS_OPTION_launch] &&
        cgs_cg_can_persist(&run->op, run->preconditioner.steps != NULL))
        CGS_DECIDE(o, launch, CGS_LAUNCH_PERSISTENT);
    struct cgs_cg_settings settings = {
        .tolerance = o->tol,
        .energy_tolerance = run->report->discretization_error,
        .max_iterations = o->max_iterations,
        .check_every = (int)o->check_every,
        .launch = (enum cgs_launch)o->launch,
        .relative_to_first = o->problem->course && o->guess == CGS_GUESS_ZERO,
        .restart = !o->problem->course,
        .inner = run->inner.steps ? &run->inner : NULL,
        .progress = show_progress,
        .user = run,
    };
    cgs_inject_pause(&run->injection, &run->machine, &settings);
    cgs_run_enter(run, CGS_PHASE_SETUP);
    if (o->profile) {
        CGS_TRY(cgs_profiler_create(run->machine.backend, cgs_run_iterated(run),
                                    &run->report->traffic, o->max_iterations, &run->profiler));
        settings.observer = cgs_profiler_observer(run->profiler);
    }
    CGS_TRY(cgs_cg_create(run->machine.queue, &run->op,
                          run->preconditioner.steps ? &run->preconditioner : NULL, &settings,
                          &run->cg));
    run->report->bytes_per_unknown =
        cgs_bytes_per_unknown(run->machine.kernel, &run->matrix, cgs_run_iterated(run),
                              run->preconditioner.steps != NULL, settings.launch);
    return CGS_OK;
}

enum cgs_status cgs_run_put(struct cgs_run *run, void *vector)
{
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return run->op.domain.ops->put(&run->op.domain, run->host, 0, run->rows, vector);
}

enum cgs_status cgs_run_get(struct cgs_run *run, const void *vector)
{
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return run->op.domain.ops->get(&run->op.domain, vector, 0, run->rows, run->host);
}

enum cgs_status cgs_run_multiply(struct cgs_run *run)
{
    void *b = cgs_cg_rhs(run->cg), *x = cgs_cg_solution(run->cg);
    cgs_run_enter(run, CGS_PHASE_SETUP);
    CGS_TRY(cgs_operator_apply(&run->op, run->machine.queue, NULL, x, b));
    return run->op.domain.ops->wait(run->machine.queue);
}

/* What reliable updates move, as a part of an iteration's bytes. */
static void add_updates(struct cgs_run *run)
{
    const struct cgs_cg_result *r = &run->report->result;
    if (r->updates == 0 || r->iterations == 0)
        return;
    run->report->bytes_per_unknown +=
        cgs_cg_update_bytes(&run->op, &run->inner, run->preconditioner.steps != NULL,
                            &run->report->outer_traffic) *
        r->updates / ((double)run->rows * (double)r->iterations);
}

enum cgs_status cgs_run_solve(struct cgs_run *run)
{
    struct cgs_cg_result result;
    cgs_run_enter(run, CGS_PHASE_SETUP); /* the first residual; CG charges the loop itself */
    CGS_TRY(cgs_cg_solve(run->cg, &result));
    if (run->report->has_start && run->options->max_iterations == 0 &&
        result.outcome == CGS_OUTCOME_ITERATION_LIMIT)
        result.outcome = CGS_OUTCOME_NOT_ITERATED;
    const size_t count = (size_t)result.iterations + 1;
    double *history;
    CGS_TRY(cgs_alloc(run->context, (int64_t)count, sizeof *history, "history", (void **)&history));
    memcpy(history, result.history, count * sizeof *history);
    run->report->result = result;
    run->report->result.history = history;
    run->report->has_result = true;
    add_updates(run);
    run->report->has_profile = run->profiler != NULL;
    if (run->profiler)
        run->report->profile = cgs_profiler_result(run->profiler);
    return CGS_OK;
}
