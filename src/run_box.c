/* What a run does for the box alone: its right-hand side, and errors against the exact solution. */
#include "src/run.h"

enum cgs_status cgs_run_box_discretization(struct cgs_run *run)
{
    const struct cgs_problem *problem = run->options->problem;
    struct cgs_errors errors;
    if (run->options->stop != CGS_STOP_DISCRETIZATION)
        return CGS_OK;
    if (cgs_problem_known(problem, &run->input.mesh) != CGS_KNOWN_EVERYWHERE)
        return cgs_fail(
            run->context, CGS_USAGE,
            "--stop=discretization needs an exact solution, but for this kappa, which "
            "jumps, --problem=%s has none: take --stop=residual, or --problem=octants with "
            "an odd N on the undeformed cube",
            problem->name);
    /* In the energy norm the finite-element solution is the best approximation of u on this mesh
     * (Cea), so the error of u's interpolant bounds its own, and is about the same size. */
    cgs_run_enter(run, CGS_PHASE_ERRORS);
    CGS_TRY(cgs_run_take_host(run));
    CGS_TRY(cgs_problem_solution(run->context, problem, &run->input.mesh, 0, run->rows, run->host));
    CGS_TRY(cgs_errors_measure(run->context, problem, &run->input.mesh, run->host, &errors));
    run->report->discretization_error = errors.energy;
    return CGS_OK;
}

/* The load vector, or A u where the problem wants the discrete solution to be u. */
enum cgs_status cgs_run_box_load(struct cgs_run *run)
{
    const struct cgs_problem *problem = run->options->problem;
    const struct cgs_mesh *mesh = &run->input.mesh;
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    CGS_TRY(cgs_run_take_host(run));
    if (!problem->product_rhs) {
        CGS_TRY(cgs_problem_load(run->context, problem, mesh, 0, run->rows, run->host));
        /* x is zero, the start vector of all these problems */
        return cgs_run_put(run, cgs_cg_rhs(run->cg));
    }
    CGS_TRY(cgs_problem_solution(run->context, problem, mesh, 0, run->rows, run->host));
    CGS_TRY(cgs_run_multiply(run));
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    cgs_problem_guess(problem, 0, run->rows, run->host);
    return cgs_run_put(run, cgs_cg_solution(run->cg));
}

enum cgs_status cgs_run_box_errors(struct cgs_run *run)
{
    const struct cgs_problem *problem = run->options->problem;
    const struct cgs_mesh *mesh = &run->input.mesh;
    if (cgs_problem_known(problem, mesh) == CGS_KNOWN_NOWHERE)
        return CGS_OK;
    CGS_TRY(cgs_run_get(run, cgs_cg_solution(run->cg)));
    cgs_run_enter(run, CGS_PHASE_ERRORS);
    CGS_TRY(cgs_errors_measure(run->context, problem, mesh, run->host, &run->report->errors));
    run->report->has_errors = true;
    if (problem->course) { /* b = A u */
        CGS_TRY(cgs_run_get(run, cgs_cg_rhs(run->cg)));
        cgs_run_enter(run, CGS_PHASE_ERRORS);
        run->report->consistency = cgs_errors_consistency(run->context, problem, mesh, run->host);
        run->report->has_consistency = true;
    }
    return CGS_OK;
}
