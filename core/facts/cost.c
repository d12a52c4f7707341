/* The cost of a solution, by the measures of others as well.
 *
 *     unknowns a second to solution
 *         unknowns / (seconds of the preconditioner's set-up + of the start + of the solve): the
 *         figure of merit that PETSc's bench_kspsolve prints
 *     figure of merit, of algebraic multigrid
 *         what AMG2023 prints (github.com/LLNL/AMG2023, amg.c): the mean of entries / seconds of
 *         set-up and entries x iterations / seconds of the solve; entries: of A and P of all grids
 *     operator GDoF/s
 *         1e-9 unknowns / seconds of one product A x
 *     to the accuracy of the mesh
 *         how soon the algebraic error is below the discretisation's
 *
 * Both errors in the energy norm. The algebraic one after iteration k is what later iterations have
 * taken away, and at the end CG's estimate (kernels/cg_energy.h); the total one, that errors.energy
 * is, has both parts: total^2 = discretisation^2 + algebraic^2 (Galerkin orthogonality). The time
 * is the preconditioner's set-up, the start's, and k iterations' part of the solve. */
#include "core/facts/cost.h"

#include <math.h>

/* Returns the seconds that the start vector took; 0: it took no work. */
static double start_seconds(const struct cgs_report *report)
{
    return report->has_start ? report->start.setup_seconds + report->start.seconds : 0.0;
}

double cgs_report_to_solution(const struct cgs_report *report)
{
    const double seconds =
        report->preconditioning.seconds + start_seconds(report) + report->result.seconds;
    if (!report->has_result || !(report->result.seconds > 0.0))
        return 0.0;
    return (double)report->matrix.rows / seconds;
}

/* Returns true if algebraic multigrid was set up and has solved. */
static bool has_merit(const struct cgs_report *report)
{
    return report->has_result && report->preconditioning.algebraic &&
           report->preconditioning.seconds > 0.0 && report->result.seconds > 0.0;
}

double cgs_report_merit(const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    if (!has_merit(report))
        return 0.0;
    return 0.5 * cgs_grid_entries(p) *
           (1.0 / p->seconds + (double)report->result.iterations / report->result.seconds);
}

double cgs_report_entries_rate(const struct cgs_report *report)
{
    const struct cgs_precond_facts *p = &report->preconditioning;
    if (!has_merit(report))
        return 0.0;
    return cgs_grid_entries(p) /
           (p->seconds + (double)report->solves.count * report->result.seconds);
}

double cgs_report_operator_gdofs(const struct cgs_report *report)
{
    if (!report->has_product || !(report->product.seconds > 0.0))
        return 0.0;
    return 1e-9 * (double)report->matrix.rows / report->product.seconds;
}

/* The discretisation error in the energy norm; 0: not known. */
double cgs_report_mesh_error(const struct cgs_report *report)
{
    const double algebraic = cgs_report_energy_error(report), total = report->errors.energy;
    if (report->discretization_error > 0.0)
        return report->discretization_error;
    if (!report->has_errors || !report->errors.integral || !report->algebraic ||
        report->settings->problem->product_rhs || !(total > algebraic))
        return 0.0;
    return sqrt(total * total - algebraic * algebraic);
}

/* After which the algebraic error was below it; -1: not known, or never. */
int64_t cgs_report_mesh_iterations(const struct cgs_report *report)
{
    const double mesh = cgs_report_mesh_error(report);
    if (!(mesh > 0.0) || !report->algebraic)
        return -1;
    for (int64_t k = 0; k <= report->result.iterations; k++)
        if (report->algebraic[k] <= mesh)
            return k;
    return -1;
}

/* Returns the seconds of so many iterations, with the preconditioner's set-up. */
double cgs_report_mesh_seconds(const struct cgs_report *report, int64_t iterations)
{
    const int64_t all = report->result.iterations;
    return report->preconditioning.seconds + start_seconds(report) +
           (all > 0 ? report->result.seconds * (double)iterations / (double)all : 0.0);
}

/* A solve's part of all, what is made once spread over the solves. */
double cgs_report_amortized(const struct cgs_report *report)
{
    return report->solves.median + report->once_seconds / (double)report->solves.count;
}
