/* Steps of a run of the model problem: rows, right-hand side, errors against the exact solution,
 * visualisation. */
#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/options/user_model.h"
#include "core/report/pictures.h"
#include "core/run/run_box.h"
#include "core/run/run_ranks.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "fem/consistency.h"
#include "fem/element/order_line.h"
#include "fem/errors_cells.h"
#include "fem/extremes.h"
#include "fem/grading.h"
#include "fem/interpolation.h"
#include "fem/load.h"
#include "fem/user_problem/balance.h"
#include "fem/user_problem/settle.h"
#include "matrix/symmetry.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_vectors.h"

static enum cgs_status open_rows(struct cgs_run *run)
{
    return cgs_run_open_input(run, NULL);
}

/* The matrix is symmetric by construction unless a fault was injected: checks it only then. */
static enum cgs_status check(struct cgs_run *run)
{
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    return run->drawn.symmetric ? CGS_OK
                                : cgs_matrix_check_symmetry(run->context, &run->drawn, true, NULL);
}

/* Sets the error at which --stop=discretization stops. */
static enum cgs_status bound_error(struct cgs_run *run)
{
    const struct cgs_problem *problem = run->settings->problem;
    struct cgs_errors errors = {0};
    if (run->settings->stop != CGS_STOP_DISCRETIZATION)
        return CGS_OK;
    if (cgs_problem_known(problem, &run->input.mesh) != CGS_KNOWN_EVERYWHERE)
        return cgs_fail(
            run->context, CGS_USAGE,
            "\1stop=discretization needs an exact solution, but for this kappa, which "
            "jumps, \1problem=%s has none: take \1stop=residual, or \1problem=octants with "
            "an odd N on the undeformed cube",
            problem->name);
    /* In the energy norm the finite-element solution is the best approximation of u on this mesh
     * (Cea), so the error of u's interpolant bounds its error, and is of about the same size. */
    cgs_run_enter(run, CGS_PHASE_ERRORS);
    const int64_t n = run->input.mesh.n[2], plane = cgs_mesh_plane(&run->input.mesh);
    const struct cgs_slab slab = cgs_run_ranks_slab(run);
    const int64_t first = slab.lower * plane, last = (slab.last < n ? slab.last : n) * plane;
    double *values = NULL;
    enum cgs_status status =
        cgs_alloc(run->context, last - first, sizeof *values, "interpolant", (void **)&values);
    if (status == CGS_OK)
        status = cgs_problem_solution(run->context, problem, &run->input.mesh, first, last, values);
    status = cgs_slab_agree(run->context, &slab, status);
    if (status == CGS_OK)
        status =
            cgs_errors_measure(run->context, problem, &run->input.mesh, &slab, values, &errors);
    cgs_free(run->context, values);
    CGS_TRY(status);
    run->report->discretization_error = errors.energy;
    return CGS_OK;
}

/* Computes b = M f, or b = A u and the problem's start vector, on the device. */
static enum cgs_status load_on_device(struct cgs_run *run, const struct cgs_assembly_ops *box)
{
    const struct cgs_problem *problem = run->settings->problem;
    const struct cgs_mesh *mesh = &run->input.mesh;
    const struct cgs_space *space = &run->op.domain;
    const struct cgs_box_problem plain = cgs_assemble_problem(problem, mesh);
    void *x = cgs_cg_solution(run->cg), *b = cgs_cg_rhs(run->cg);
    double guess[2];
    struct cgs_tables tables = {0};
    run->report->load_on_device = true;
    if (problem->product_rhs) {
        const int64_t some = run->rows < 2 ? run->rows : 2; /* all others are zero */
        const int64_t first = cgs_run_first_row(run);
        CGS_TRY(box->solution(space, &plain, x));
        CGS_TRY(cgs_run_multiply(run));
        cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
        CGS_TRY(space->ops->set(space, run->machine.queue, NULL, 0.0, x));
        cgs_problem_guess(problem, first, first + some, guess);
        return problem->course ? space->ops->put(space, guess, 0, some, x) : CGS_OK;
    }
    if (!cgs_mesh_plain(mesh))
        return box->load(space, &plain, NULL, b);
    CGS_TRY(cgs_load_tables(run->context, problem, mesh, &tables));
    const enum cgs_status status = box->load(space, &plain, &tables, b);
    cgs_tables_release(run->context, &tables);
    return status;
}

/* Computes the sum of the load's numbers, and that of their magnitudes, over all ranks. */
static enum cgs_status sum_load(struct cgs_run *run, double sums[2])
{
    CGS_TRY(cgs_run_ranks_sum(run, run->host, NULL, &sums[0]));
    return cgs_run_ranks_sum(run, run->host, fabs, &sums[1]);
}

/* Takes the mean off the load of a problem without a face that holds u: else there is no
 * solution. Twice, as the first sum is rounded. What rounding leaves of a load that was constant
 * is no load. */
static enum cgs_status balance_load(struct cgs_run *run)
{
    static const double ROUNDING = 1e-13;
    double sums[2], left[2];
    CGS_TRY(sum_load(run, sums));
    run->report->free_constant = true;
    run->report->compatibility = sums[1] > 0.0 ? fabs(sums[0]) / sums[1] : 0.0;
    left[0] = sums[0];
    for (int time = 0; time < 2; time++) {
        for (int64_t i = 0; i < run->rows; i++)
            run->host[i] -= left[0] / (double)cgs_run_all_rows(run);
        CGS_TRY(sum_load(run, left));
    }
    for (int64_t i = 0; i < run->rows && left[1] <= ROUNDING * sums[1]; i++)
        run->host[i] = 0.0;
    return CGS_OK;
}

/* Adds the file of --rhs to the load, which is that of the faces. */
static enum cgs_status add_rhs(struct cgs_run *run)
{
    double *b = NULL;
    enum cgs_status status = cgs_comm_agree(run->context, cgs_run_read_rhs(run, NULL, &b));
    for (int64_t i = 0; i < run->rows && status == CGS_OK; i++)
        run->host[i] += b[i];
    if (status == CGS_OK)
        status = cgs_run_ranks_sum(run, b, NULL, &run->given);
    cgs_free(run->context, b);
    return status;
}

enum cgs_status cgs_run_box_load(struct cgs_run *run, const struct cgs_mesh *mesh)
{
    const struct cgs_settings *o = run->settings;
    const int64_t first = cgs_run_first_row(run), last = first + run->rows;
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    CGS_TRY(cgs_run_take_host(run));
    CGS_TRY(cgs_comm_agree(
        run->context, cgs_problem_load(run->context, o->problem, mesh, first, last, run->host)));
    if (o->model && o->rhs)
        CGS_TRY(add_rhs(run));
    if (o->model && cgs_user_singular(o->problem->user))
        CGS_TRY(balance_load(run));
    return o->model ? cgs_run_check_single(run, "the load vector", run->host) : CGS_OK;
}

/* Makes the load of a problem of the user's own, unless each of a library's calls may bring its
 * own. */
static enum cgs_status prepare(struct cgs_run *run)
{
    if (!run->settings->model || run->report->external.caller)
        return CGS_OK;
    CGS_TRY(cgs_run_box_load(run, &run->input.mesh));
    run->loaded = true;
    return CGS_OK;
}

/* Computes the load vector, or b = A u for problems whose discrete solution is u. */
static enum cgs_status load(struct cgs_run *run)
{
    const struct cgs_problem *problem = run->settings->problem;
    const struct cgs_mesh *mesh = &run->input.mesh;
    const struct cgs_assembly_ops *box = run->spec.load;
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    if (box)
        return load_on_device(run, box);
    if (!problem->product_rhs) {
        if (!run->loaded)
            CGS_TRY(cgs_run_box_load(run, &run->input.mesh));
        run->loaded = false; /* run->host is then of other use */
        /* x is zero already, the start vector of these problems */
        return cgs_run_put(run, cgs_cg_rhs(run->cg));
    }
    CGS_TRY(cgs_run_take_host(run));
    const int64_t first = cgs_run_first_row(run), last = first + run->rows;
    CGS_TRY(cgs_comm_agree(
        run->context, cgs_problem_solution(run->context, problem, mesh, first, last, run->host)));
    CGS_TRY(cgs_run_put(run, cgs_cg_solution(run->cg)));
    CGS_TRY(cgs_run_multiply(run));
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    cgs_problem_guess(problem, first, last, run->host);
    return cgs_run_put(run, cgs_cg_solution(run->cg));
}

/* Adds the sums of all ranks, in rank order; the first `count` of them, and behind them a
 * maximum. */
static void add_ranks(struct cgs_context *context, double *sums, int count)
{
    for (int i = 0; i < count; i++)
        sums[i] = cgs_comm_sum(context, sums[i]);
    sums[count] = cgs_comm_most(context, sums[count]);
}

static void add_point_sums(struct cgs_context *context, struct cgs_point_sums *p)
{
    double sums[] = {p->nodal, p->l2, p->h1, p->energy, p->max};
    add_ranks(context, sums, 4);
    *p = (struct cgs_point_sums){
        .nodal = sums[0], .l2 = sums[1], .h1 = sums[2], .energy = sums[3], .max = sums[4]};
}

static void add_error_sums(struct cgs_context *context, struct cgs_error_sums *e)
{
    double sums[] = {e->nodal,   e->cross_l2, e->cross_h1, e->haar[0],  e->haar[1], e->haar[2],
                     e->haar[3], e->slope[0], e->slope[1], e->slope[2], e->max};
    add_ranks(context, sums, 10);
    *e = (struct cgs_error_sums){.nodal = sums[0],
                                 .max = sums[10],
                                 .cross_l2 = sums[1],
                                 .cross_h1 = sums[2],
                                 .haar = {sums[3], sums[4], sums[5], sums[6]},
                                 .slope = {sums[7], sums[8], sums[9]}};
}

/* Computes the error norms of x on the device. On several ranks x has the plane of the one
 * below: CG ends with a true residual, which reads it. */
static enum cgs_status errors_on_device(struct cgs_run *run, const struct cgs_assembly_ops *box,
                                        struct cgs_errors *errors)
{
    const struct cgs_problem *problem = run->settings->problem;
    const struct cgs_mesh *mesh = &run->input.mesh;
    const struct cgs_space *space = &run->op.domain;
    const struct cgs_box_problem plain = cgs_assemble_problem(problem, mesh);
    const void *x = cgs_cg_solution(run->cg);
    struct cgs_interpolation interpolation;
    struct cgs_point_sums points;
    struct cgs_error_sums sums;
    run->report->errors_on_device = true;
    if (problem->terms > 0 && !cgs_mesh_plain(mesh)) {
        CGS_TRY(cgs_comm_agree(run->context, box->points(space, &plain, x, &points)));
        add_point_sums(run->context, &points);
        *errors = cgs_errors_of_points(problem, mesh, &points);
        return CGS_OK;
    }
    CGS_TRY(cgs_interpolation_create(run->context, problem, mesh, &interpolation));
    const enum cgs_status status =
        cgs_comm_agree(run->context, box->errors(space, &plain, &interpolation.tables, x, &sums));
    if (status == CGS_OK)
        add_error_sums(run->context, &sums);
    if (status == CGS_OK)
        *errors = cgs_errors_of_sums(problem, mesh, &interpolation, &sums);
    cgs_interpolation_release(run->context, &interpolation);
    return status;
}

/* Measures the consistency error of the problem `course`, whose b is A u. */
static enum cgs_status measure_consistency(struct cgs_run *run, const struct cgs_assembly_ops *box)
{
    const struct cgs_problem *problem = run->settings->problem;
    const struct cgs_mesh *mesh = &run->input.mesh;
    const void *au = cgs_cg_rhs(run->cg);
    if (box) {
        const struct cgs_box_problem plain = cgs_assemble_problem(problem, mesh);
        double sum;
        CGS_TRY(
            cgs_comm_agree(run->context, box->consistency(&run->op.domain, &plain,
                                                          cgs_course_eigenvalue(mesh), au, &sum)));
        sum = cgs_comm_sum(run->context, sum);
        run->report->consistency = sqrt(cgs_mesh_cell(mesh) * sum);
    } else {
        const struct cgs_slab slab = cgs_run_ranks_slab(run);
        double *numbers;
        CGS_TRY(cgs_run_ranks_planes(run, &slab, au, &numbers));
        cgs_run_enter(run, CGS_PHASE_ERRORS);
        const enum cgs_status status = cgs_errors_consistency(run->context, problem, mesh, &slab,
                                                              numbers, &run->report->consistency);
        cgs_run_ranks_drop(run, numbers);
        CGS_TRY(status);
    }
    run->report->has_consistency = true;
    return CGS_OK;
}

enum cgs_status cgs_run_box_measure(struct cgs_run *run, struct cgs_errors *errors, bool *there)
{
    const struct cgs_problem *problem = run->settings->problem;
    const struct cgs_mesh *mesh = &run->input.mesh;
    const struct cgs_assembly_ops *box = run->spec.load;
    *there = false;
    if (cgs_problem_known(problem, mesh) == CGS_KNOWN_NOWHERE)
        return CGS_OK;
    if (box) {
        cgs_run_enter(run, CGS_PHASE_ERRORS);
        CGS_TRY(errors_on_device(run, box, errors));
    } else {
        const struct cgs_slab slab = cgs_run_ranks_slab(run);
        double *x;
        CGS_TRY(cgs_run_ranks_planes(run, &slab, cgs_cg_solution(run->cg), &x));
        cgs_run_enter(run, CGS_PHASE_ERRORS);
        const enum cgs_status status =
            cgs_errors_measure(run->context, problem, mesh, &slab, x, errors);
        cgs_run_ranks_drop(run, x);
        CGS_TRY(status);
    }
    *there = true;
    return CGS_OK;
}

/* Returns the part of unknown `row` in the mean over the box, which has cells[k] cells: half a cell
 * on each free face that it lies on, as beyond a free face there is none; for order p > 1 its entry
 * of the mass matrix. */
static double weight_of(const struct cgs_mesh *mesh, const struct cgs_order_line *lines,
                        int64_t row)
{
    const int64_t *n = mesh->n, i[3] = {row % n[0], row / n[0] % n[1], row / (n[0] * n[1])};
    double weight = 1.0;
    for (int k = 0; k < 3 && lines; k++)
        weight *= cgs_order_mass(&lines[k], i[k]);
    for (int k = 0; k < 3 && !lines; k++) {
        weight *= i[k] == 0 && cgs_mesh_void(mesh, k, 0) ? 0.5 : 1.0;
        weight *= i[k] == n[k] - 1 && cgs_mesh_void(mesh, k, n[k]) ? 0.5 : 1.0;
        weight *= cgs_grading_beside(mesh, k, i[k] + 1);
    }
    return weight;
}

/* Returns the sum of all weights: there is no face that holds u, so that nodes on a line weigh as
 * many as its cells. */
static double all_weights(const struct cgs_mesh *mesh)
{
    double all = 1.0;
    if (mesh->order > 1)
        return mesh->size[0] * mesh->size[1] * mesh->size[2];
    for (int k = 0; k < 3; k++)
        all *= (double)mesh->n[k] - 0.5 * cgs_mesh_void(mesh, k, 0) -
               0.5 * cgs_mesh_void(mesh, k, mesh->n[k]);
    return all;
}

/* Adds up run->host, each number by its part in the mean, which it is multiplied with. */
static enum cgs_status weigh(struct cgs_run *run, double *sum)
{
    const int64_t first = cgs_run_first_row(run);
    const struct cgs_mesh *mesh = &run->input.mesh;
    struct cgs_order_line line[3];
    for (int k = 0; k < 3 && mesh->order > 1; k++)
        cgs_order_line_make(mesh, k, &line[k]);
    for (int64_t i = 0; i < run->rows; i++)
        run->host[i] *= weight_of(mesh, mesh->order > 1 ? line : NULL, first + i);
    return cgs_run_ranks_sum(run, run->host, NULL, sum);
}

/* Sets the mean of u, which no face holds, to that of the exact solution, or to 0. */
static enum cgs_status set_mean(struct cgs_run *run)
{
    const struct cgs_problem *problem = run->settings->problem;
    const struct cgs_mesh *mesh = &run->input.mesh;
    const struct cgs_space *space = &run->op.domain;
    const void *x = cgs_cg_solution(run->cg);
    const int64_t first = cgs_run_first_row(run);
    double sum, exact = 0.0;
    CGS_TRY(cgs_run_take_host(run));
    if (problem->user->exact) {
        CGS_TRY(
            cgs_comm_agree(run->context, cgs_problem_solution(run->context, problem, mesh, first,
                                                              first + run->rows, run->host)));
        CGS_TRY(weigh(run, &exact));
    }
    CGS_TRY(cgs_comm_agree(run->context, space->ops->get(space, x, 0, run->rows, run->host)));
    CGS_TRY(weigh(run, &sum));
    CGS_TRY(cgs_comm_agree(run->context, space->ops->get(space, x, 0, run->rows, run->host)));
    const double mean = (sum - exact) / all_weights(mesh);
    for (int64_t i = 0; i < run->rows; i++)
        run->host[i] -= mean;
    return cgs_run_put(run, cgs_cg_solution(run->cg));
}

/* Measures what goes in and out of a problem of the user's own. */
static enum cgs_status measure_balance(struct cgs_run *run, const struct cgs_slab *slab,
                                       const double *x)
{
    if (run->input.mesh.order > 1)
        return CGS_OK; /* its fluxes are those of order 1 */
    CGS_TRY(cgs_user_balance(run->context, run->settings->problem->user, &run->input.mesh, slab, x,
                             &run->report->balance));
    run->report->balance.source += run->given;
    run->report->balance.imbalance += run->given;
    run->report->has_balance = true;
    return CGS_OK;
}

/* Finds least, most and mean of the solution. */
static enum cgs_status find_extremes(struct cgs_run *run, const struct cgs_slab *slab,
                                     const double *x)
{
    struct cgs_user_model *model = run->settings->model;
    struct cgs_materials *materials =
        model && model->materials.count > 0 ? &model->materials : NULL;
    const struct cgs_mesh *mesh = &run->input.mesh;
    const bool missing = mesh->order > 1 && mesh->deform != 0.0;
    if (run->report->result.outcome == CGS_OUTCOME_NOT_FINITE || missing)
        return CGS_OK;
    CGS_TRY(cgs_extremes_find(run->context, run->settings->problem, &run->input.mesh, slab, x,
                              materials, &run->report->extremes));
    run->report->has_extremes = true;
    return CGS_OK;
}

/* Sets where the points of --probe are, then those of --line. */
static void place_probes(const struct cgs_settings *o, struct cgs_probe *probes)
{
    for (const char *text = o->probe; text; text = cgs_line_after(text), probes++)
        (void)!cgs_point_read(text, (size_t)cgs_line_length(text), probes->at); /* was checked */
    for (int64_t i = 0; i < o->line.points; i++)
        for (int k = 0; k < 3; k++) {
            const double from = o->line.from[k], to = o->line.to[k];
            const double t = (double)i / (double)(o->line.points - 1);
            probes[i].at[k] = i + 1 == o->line.points ? to : from + t * (to - from);
        }
}

/* Measures the solution at the points of --probe and --line. */
static enum cgs_status probe(struct cgs_run *run, const struct cgs_slab *slab, const double *x)
{
    const struct cgs_settings *o = run->settings;
    struct cgs_report *report = run->report;
    struct cgs_probe *probes;
    const int64_t count = cgs_line_count(o->probe);
    if (count + o->line.points == 0 || report->result.outcome == CGS_OUTCOME_NOT_FINITE)
        return CGS_OK;
    CGS_TRY(cgs_comm_agree(run->context, cgs_alloc(run->context, count + o->line.points,
                                                   sizeof *probes, "probes", (void **)&probes)));
    place_probes(o, probes);
    const enum cgs_status status = cgs_probe_measure(run->context, o->problem, &run->input.mesh,
                                                     slab, x, count + o->line.points, probes);
    if (status != CGS_OK) {
        cgs_free(run->context, probes);
        return status;
    }
    report->probes = probes;
    report->probe_count = count;
    report->line_count = o->line.points;
    return CGS_OK;
}

/* Measures what needs the solution on the host. That of a built-in problem whose load a device has
 * made stays there: all else of it is measured on the device, and to bring it would take longer
 * than many a solve, unless points are asked for. */
static enum cgs_status measure_solution(struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    const bool user = o->model != NULL;
    if (run->spec.load && !user && !cgs_settings_probes(o))
        return CGS_OK;
    const struct cgs_slab slab = cgs_run_ranks_slab(run);
    double *x;
    CGS_TRY(cgs_run_ranks_planes(run, &slab, cgs_cg_solution(run->cg), &x));
    cgs_run_enter(run, CGS_PHASE_ERRORS);
    enum cgs_status status = user ? measure_balance(run, &slab, x) : CGS_OK;
    if (status == CGS_OK)
        status = find_extremes(run, &slab, x);
    if (status == CGS_OK)
        status = probe(run, &slab, x);
    cgs_run_ranks_drop(run, x);
    return status;
}

static enum cgs_status measure_errors(struct cgs_run *run)
{
    const struct cgs_assembly_ops *box = run->spec.load;
    if (run->report->free_constant)
        CGS_TRY(set_mean(run));
    CGS_TRY(measure_solution(run));
    CGS_TRY(cgs_run_box_measure(run, &run->report->errors, &run->report->has_errors));
    return run->settings->problem->course ? measure_consistency(run, box) : CGS_OK;
}

/* Writes the visualisation if the solve succeeded. Not if a fault of --inject did not happen: the
 * run then fails. */
static enum cgs_status draw(struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    if (!cgs_settings_pictures(o) || cgs_outcome_status(run->report->result.outcome) != CGS_OK ||
        (o->inject.kind != CGS_FAULT_NONE && !run->injection.happened))
        return CGS_OK;
    if (cgs_settings_draw_residual(o))
        CGS_TRY(cgs_cg_complete(run->cg));
    struct cgs_planes planes = {
        .context = run->context,
        .problem = o->problem,
        .mesh = &run->input.mesh,
        .portion = run->owned.portion,
        .space = cgs_cg_space(run->cg),
        .x = cgs_cg_solution(run->cg),
        .residual = cgs_cg_final_residual(run->cg),
    };
    return cgs_pictures_take(&planes, run->report);
}

const struct cgs_run_source cgs_source_box = {
    .open = open_rows,
    .prepare = prepare,
    .check = check,
    .bound = bound_error,
    .load = load,
    .errors = measure_errors,
    .draw = draw,
};
