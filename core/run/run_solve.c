/* Steps of a run from the matrix to the solution: operators (the only upload), solver, solve. */
#include "core/run/run_solve.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"
#include "core/run/guard.h"
#include "core/run/nullspace.h"
#include "core/run/run_box.h"
#include "core/run/run_caller.h"
#include "core/run/run_choose.h"
#include "core/run/run_precond.h"
#include "core/run/run_ranks.h"
#include "core/run/run_rows.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "core/run/why.h"
#include "core/setup/machine_open.h"
#include "fem/user_problem/settle.h"
#include "matrix/names.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_launch.h"
#include "solver/cg/cg_merged.h"
#include "solver/cg/cg_residual.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_solve.h"
#include "solver/cg/cg_traffic.h"

/* --guess: takes the start vector from a file, or computes it by a full multigrid pass (fmg),
 * and its errors. */

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

enum cgs_status cgs_run_make_operators(struct cgs_run *run)
{
    const struct cgs_machine *m = &run->machine;
    cgs_inject_starvation(run->context, &run->injection, m);
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE); /* the kernel's generation; it times transfers itself */
    const enum cgs_precision precision = run->settings->precision;
    enum cgs_status status =
        cgs_operator_create(m->queue, m->backend, m->outer ? m->outer : m->kernel,
                            m->outer ? CGS_PRECISION_F64 : precision, &run->matrix, &run->op);
    if (status == CGS_OK && m->outer)
        status = cgs_operator_create(m->queue, m->backend, m->kernel, precision, &run->matrix,
                                     &run->inner);
    if (status == CGS_FILE && run->settings->matrix) /* an entry that does not fit */
        cgs_run_name_file(run);
    CGS_TRY(status);
    run->report->ranks.way = m->queue->way;
    const struct cgs_traffic traffic = cgs_operator_traffic(&run->op, m->kernel, &run->matrix);
    run->report->traffic = cgs_run_ranks_traffic(run, &traffic);
    cgs_run_enter(run, CGS_PHASE_SETUP);
    if (run->settings->precond == CGS_PRECOND_AUTO)
        CGS_TRY(cgs_run_choose_precond(run));
    return cgs_run_make_precond(run);
}

/* Returns the bytes that vectors of a second iteration may take where the plan is without them; 0:
 * no limit. */
static int64_t spare_of(const struct cgs_run *run)
{
    const enum cgs_place place = run->machine.backend->place;
    const struct cgs_report *report = run->report;
    const int64_t left = report->room.bytes[place] - report->plan.total[place];
    return report->plan.later[place] == 0 ? 0 : left > 0 ? left : 1;
}

static bool show_progress(void *user, const struct cgs_progress *progress)
{
    struct cgs_run *run = user;
    cgs_guard_beat(run->report->external.pulse, false);
    const struct cgs_caller *caller = run->report->external.caller;
    const bool go_on =
        (!caller || !caller->watch ||
         caller->watch(caller->user, progress->iteration, progress->relative_residual)) &&
        cgs_progress_show(&run->view, progress);
    struct cgs_comm *comm = run->context->comm;
    if (!comm)
        return go_on;
    comm->stop_asked = comm->stop_asked || !go_on;
    return !comm->stopping; /* of all ranks after the same iteration */
}

/* Returns the bytes that a step moves for each unknown, those of all ranks. */
static double bytes_of(const struct cgs_run *run, const struct cgs_cg_step *step)
{
    const double rows = (double)run->rows;
    const double bytes =
        cgs_bytes_per_unknown(run->machine.kernel, &run->matrix, cgs_run_iterated(run), step);
    return cgs_comm_sum(run->context, bytes * rows) / cgs_comm_sum(run->context, rows);
}

static double bytes_of_iteration(const struct cgs_run *run)
{
    const struct cgs_cg_step iteration = cgs_cg_iteration(cgs_run_iterated(run), &run->precond.op,
                                                          run->settings->cg, run->settings->launch);
    return bytes_of(run, &iteration);
}

enum cgs_status cgs_run_make_solver(struct cgs_run *run)
{
    struct cgs_settings *o = run->settings;
    if (!run->op.capturable)
        cgs_settle_launch(o, CGS_LAUNCH_PLAIN); /* the host carries numbers between ranks */
    if (cgs_cg_can_persist(&run->op, run->precond.op.steps != NULL))
        cgs_settle_launch(o, CGS_LAUNCH_PERSISTENT);
    struct cgs_cg_settings settings = {
        .tolerance = o->tol,
        .energy_tolerance = run->report->discretization_error,
        .max_iterations = o->max_iterations,
        .check_every = (int)o->check_every,
        .launch = o->launch,
        .method = o->cg,
        .spare = spare_of(run),
        .relative_to_first =
            run->input.kind == CGS_INPUT_BOX && o->problem->course && o->guess == CGS_GUESS_ZERO,
        .restart = !o->problem->course,
        .inner = run->inner.steps ? &run->inner : NULL,
        .centre = run->precond.centre,
        .progress = show_progress,
        .user = run,
        .rows = cgs_run_look_at_rows,
        .rows_user = run,
    };
    if (run->report->external.caller && run->report->external.caller->look) {
        settings.pause = cgs_run_caller_look;
        settings.pause_at = settings.pause_every = 1;
        settings.pause_user = run;
    }
    cgs_inject_pause(&run->injection, &run->machine, &settings);
    cgs_run_enter(run, CGS_PHASE_SETUP);
    if (o->profile) {
        struct cgs_traffic product =
            run->report->traffic; /* of all ranks: a profile is one's own */
        if (run->context->comm)
            product =
                cgs_operator_traffic(cgs_run_iterated(run), run->machine.kernel, &run->matrix);
        CGS_TRY(cgs_profiler_create(run->machine.backend, cgs_run_iterated(run), &product,
                                    o->max_iterations, &run->profiler));
        settings.observer = cgs_profiler_observer(run->profiler);
    }
    CGS_TRY(cgs_cg_create(run->machine.queue, &run->op,
                          run->precond.op.steps ? &run->precond.op : NULL, &settings, &run->cg));
    run->report->bytes_per_unknown = bytes_of_iteration(run);
    return CGS_OK;
}

/* Makes the bytes of an iteration the mean of all, where the first was by A's inverse. */
static void add_inversion(struct cgs_run *run)
{
    const struct cgs_cg_result *r = &run->report->result;
    if (!r->inverted)
        return;
    const double others = (double)(r->iterations - 1);
    const bool more = others > 0.0 || cgs_outcome_status(r->outcome) != CGS_OK;
    const struct cgs_cg_step first = cgs_cg_inversion(&run->op, &run->precond.op, more);
    run->report->bytes_per_unknown =
        (bytes_of(run, &first) + others * bytes_of_iteration(run)) / (others + 1.0);
}

/* Adds the traffic of residual replacements, per iteration, to the bytes of an iteration. */
static void add_updates(struct cgs_run *run)
{
    const struct cgs_cg_result *r = &run->report->result;
    if (r->updates == 0 || r->iterations == 0)
        return;
    if (!run->inner.steps) {
        const struct cgs_moves moves = cgs_cg_renewal_moves(&run->op, &run->precond.op);
        const double rows = (double)run->report->matrix.rows;
        run->report->bytes_per_unknown +=
            (moves.products * (double)run->report->traffic.matrix / rows +
             (moves.read + moves.written) * (double)cgs_number_bytes(run->op.domain.number)) *
            r->updates / (double)r->iterations;
        return;
    }
    struct cgs_traffic own = {0}; /* the vectors' part is this rank's, the product's that of all */
    const double product =
        (double)(run->report->outer_traffic.matrix + run->report->outer_traffic.vectors);
    const double vectors = cgs_cg_update_bytes(&run->op, &run->inner, &run->precond.op, &own);
    run->report->bytes_per_unknown += (product + cgs_comm_sum(run->context, vectors)) * r->updates /
                                      ((double)run->report->matrix.rows * (double)r->iterations);
}

/* Restores the start vector for a repeated solve. */
static enum cgs_status start_again(struct cgs_run *run)
{
    const struct cgs_space *space = &run->op.domain;
    const struct cgs_caller *caller = run->report->external.caller;
    void *x = cgs_cg_solution(run->cg);
    double guess[2];
    if (run->settings->guess != CGS_GUESS_ZERO)
        return cgs_run_start(run);
    if (caller && caller->start) {
        CGS_TRY(cgs_run_caller_start(run));
        cgs_run_enter(run, CGS_PHASE_SETUP);
        return CGS_OK;
    }
    CGS_TRY(space->ops->set(space, run->machine.queue, NULL, 0.0, x));
    if (run->input.kind != CGS_INPUT_BOX || !run->settings->problem->course ||
        (caller && caller->rhs))
        return CGS_OK;
    const int64_t some = run->rows < 2 ? run->rows : 2; /* all others are zero */
    const int64_t first = cgs_run_first_row(run);
    cgs_problem_guess(run->settings->problem, first, first + some, guess);
    return space->ops->put(space, guess, 0, some, x);
}

/* --solves=0: SEVERAL solves if the first one took less than SHORT seconds. */
enum { SEVERAL = 5 };
static const double SHORT = 0.1;

/* Repeats the solve `count` times (0: by its seconds), until one fails. *result: the last one, with
 * the median of the seconds. seconds[]: max(count, SEVERAL) numbers, sorted at the end. */
static enum cgs_status solve_often(struct cgs_run *run, int64_t count, double *seconds,
                                   struct cgs_cg_result *result)
{
    int64_t done = 0;
    while (done == 0 || done < count) {
        cgs_run_enter(run, CGS_PHASE_SETUP); /* the first residual; CG times the loop itself */
        if (done > 0)
            CGS_TRY(start_again(run));
        CGS_TRY(cgs_comm_agree(run->context, cgs_cg_solve(run->cg, result)));
        if (run->report->has_start && run->settings->max_iterations == 0 &&
            result->outcome == CGS_OUTCOME_ITERATION_LIMIT)
            result->outcome = CGS_OUTCOME_NOT_ITERATED;
        seconds[done++] = result->seconds;
        if (count == 0)
            count = cgs_comm_first_of(run->context, result->seconds) < SHORT ? SEVERAL : 1;
        if (cgs_outcome_status(result->outcome) != CGS_OK)
            break;
    }
    run->report->solves = (struct cgs_solves){.count = done, .median = cgs_median(seconds, done)};
    run->report->solves.least = seconds[0]; /* in ascending order now */
    run->report->solves.most = seconds[done - 1];
    result->seconds = run->report->solves.median;
    return CGS_OK;
}

/* Copies CG's histories by iteration to the report. */
static enum cgs_status keep_history(struct cgs_run *run, const struct cgs_cg_result *result)
{
    struct cgs_report *report = run->report;
    const int64_t count = result->iterations + 1;
    double *history;
    CGS_TRY(cgs_alloc(run->context, count, sizeof *history, "history", (void **)&history));
    memcpy(history, result->history, (size_t)count * sizeof *history);
    report->result = *result;
    report->result.history = history;
    report->result.records = NULL;
    report->has_result = true;
    CGS_TRY(cgs_alloc(run->context, count, sizeof *history, "history of the error",
                      (void **)&report->algebraic));
    const double scale = run->input.kind != CGS_INPUT_BOX ? 1.0 : sqrt(run->input.mesh.scale);
    if (cgs_cg_error_history(result, report->algebraic)) {
        for (int64_t k = 0; k < count; k++)
            report->algebraic[k] /= scale;
        return CGS_OK;
    }
    cgs_free(run->context, report->algebraic);
    report->algebraic = NULL;
    return CGS_OK;
}

/* ---- again, with cycles in double ---- */

/* Returns how a solve ended which cycles in double may bring further; NULL: otherwise. */
static const char *ended_by_cycles(const struct cgs_cg_result *result)
{
    const struct cgs_cg_direction *p = &result->direction;
    switch (result->outcome) {
    case CGS_OUTCOME_NOT_POSITIVE:
        if (p->rz <= 0.0)
            return "r'M r was not positive";
        return p->pq < -p->noise ? NULL : "p'A p was not positive"; /* NULL: A is indefinite */
    case CGS_OUTCOME_SINGULAR:
        return "p'A p was 0 within rounding";
    case CGS_OUTCOME_NOT_FINITE:
        return "a sum was not finite";
    case CGS_OUTCOME_STAGNATION:
        return "the residual stopped falling";
    default:
        return NULL;
    }
}

/* Makes preconditioner and CG again, with the right-hand side of run->host. */
static enum cgs_status remake(struct cgs_run *run)
{
    cgs_cg_release(run->cg);
    cgs_profiler_release(run->profiler);
    run->cg = NULL;
    run->profiler = NULL;
    cgs_run_enter(run, CGS_PHASE_SETUP);
    CGS_TRY(cgs_comm_agree(run->context, cgs_run_make_precond_double(run)));
    CGS_TRY(cgs_comm_agree(run->context, cgs_run_make_solver(run)));
    CGS_TRY(cgs_run_switch_centre(run));
    return cgs_comm_agree(run->context, cgs_run_put(run, cgs_cg_rhs(run->cg)));
}

/* Starts from x, or from the first start vector where x has numbers that are not finite. */
static enum cgs_status resume(struct cgs_run *run, bool finite, double *x)
{
    double *host = run->host;
    if (!finite)
        return start_again(run);
    run->host = x;
    const enum cgs_status status = cgs_run_put(run, cgs_cg_solution(run->cg));
    run->host = host;
    return status;
}

/* Solves again from the x that a solve ended with. */
static enum cgs_status solve_on(struct cgs_run *run, double *seconds, struct cgs_cg_result *result)
{
    const bool finite = result->outcome != CGS_OUTCOME_NOT_FINITE;
    double *x;
    CGS_TRY(cgs_run_take_host(run));
    CGS_TRY(cgs_comm_agree(run->context, cgs_alloc(run->context, run->rows, sizeof *x,
                                                   "solution so far", (void **)&x)));
    enum cgs_status status =
        cgs_comm_agree(run->context, cgs_run_get(run, cgs_cg_solution(run->cg)));
    if (status == CGS_OK) {
        memcpy(x, run->host, (size_t)run->rows * sizeof *x);
        status = cgs_comm_agree(run->context, cgs_run_get(run, cgs_cg_rhs(run->cg)));
    }
    if (status == CGS_OK)
        status = remake(run);
    if (status == CGS_OK)
        status = cgs_comm_agree(run->context, resume(run, finite, x));
    cgs_free(run->context, x);
    return status == CGS_OK ? solve_often(run, 1, seconds, result) : status;
}

/* Solves again with cycles in double where those in single, which were not asked for, ended the
 * solve, and neither the matrix's entries nor its constants explain that. */
static enum cgs_status solve_in_double(struct cgs_run *run, double *seconds,
                                       struct cgs_cg_result *result)
{
    const char *why = ended_by_cycles(result);
    if (!why || !cgs_run_cycle_open(run) || run->settings->problem->course ||
        run->injection.happened)
        return CGS_OK;
    CGS_TRY(cgs_run_find_causes(run));
    if (cgs_run_blames_matrix(run->report))
        return CGS_OK;
    run->report->again = (struct cgs_again){why, result->iterations, result->relative_residual};
    return solve_on(run, seconds, result);
}

/* Replaces facts that the report has of the set-up: a solve may have made cycles in double. */
static void renew_facts(struct cgs_run *run)
{
    if (!run->report->has_preconditioning)
        return;
    run->report->preconditioning = run->facts;
    run->report->bytes_per_unknown = bytes_of_iteration(run);
}

enum cgs_status cgs_run_solve(struct cgs_run *run)
{
    struct cgs_cg_result result;
    double *seconds = NULL;
    const int64_t most = run->settings->solves > SEVERAL ? run->settings->solves : SEVERAL;
    enum cgs_status status =
        cgs_comm_agree(run->context, cgs_alloc(run->context, most, sizeof *seconds,
                                               "seconds of solves", (void **)&seconds));
    if (status == CGS_OK)
        status = cgs_run_ranks_start(run);
    if (status == CGS_OK)
        renew_facts(run);
    if (status == CGS_OK)
        status = solve_often(run, run->settings->solves, seconds, &result);
    if (status == CGS_OK)
        status = solve_in_double(run, seconds, &result);
    cgs_free(run->context, seconds);
    CGS_TRY(status);
    CGS_TRY(cgs_comm_agree(run->context, keep_history(run, &result)));
    if (run->settings->model && run->op.norm > 0.0)
        run->report->hold = cgs_user_hold(run->settings->problem->user) * run->input.mesh.scale /
                            (run->op.norm * (double)cgs_run_all_rows(run));
    if (cgs_outcome_status(result.outcome) == CGS_BREAKDOWN ||
        result.outcome == CGS_OUTCOME_SINGULAR)
        CGS_TRY(cgs_run_find_causes(run)); /* for the message */
    else if (result.outcome == CGS_OUTCOME_ROWS || result.outcome == CGS_OUTCOME_RESIDUAL_GAP)
        CGS_TRY(cgs_comm_agree(run->context, cgs_run_note_range(run)));
    if (cgs_outcome_status(result.outcome) == CGS_NOT_CONVERGED)
        CGS_TRY(cgs_run_find_skew(run));
    add_inversion(run);
    add_updates(run);
    run->report->has_profile = run->profiler != NULL;
    if (run->profiler)
        run->report->profile = cgs_profiler_result(run->profiler);
    return cgs_run_ranks_times(run);
}
