/* The error of a study's points in theory.
 *
 * Trilinear elements, a solution that is smooth in each cell and known everywhere:
 *
 *     L2 2, H1 1, nodal L2 and max 2;    nodal L2 and max 4 with the blended rule on the undeformed
 *     cube with constant coefficient (M. Ainsworth, H. A. Wajid, SIAM J. Numer. Anal. 48, 2010)
 *
 * `octants` over a kappa that jumps counts as constant: its sines are odd about the octants' faces,
 * and so is the discrete solution, which therefore solves each octant by itself. That holds for odd
 * N; with an even one the jump runs through cells, and nothing is expected. b = A u (course,
 * random) has no discretisation error at nodes. A solve that stops at the discretisation error
 * (--stop=discretization, --guess=fmg alone) has an error as large again in energy: H1 alone is
 * expected then.
 *
 * The error that the solver left, ||x - x_k||_A <= E as CG estimates it, is in the other norms at
 * most
 *
 *     |v|_H1 <= E / sqrt(least kappa),  ||v||_L2 <= |v|_H1 / (pi sqrt(sum 1 / L^2))  (Poincare's inequality
 *     on the box),  max |v| about |v|_H1 / sqrt(h)  (Sobolev's and the inverse inequality)
 *
 * CG's estimate is of its recursion, from which a solve that ended otherwise than by its tolerance
 * has parted. There E comes from the true residual r,
 *
 *     ||A^-1 r||_A <= sqrt(cond A) ||r|| / ||b|| ||x||_A,  cond A <= (greatest / least kappa) (longest side / shortest h)^2
 *
 * with ||x||_A^2 = x'b from the nodes of a coarse mesh. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fem/load.h"
#include "lab/study/study_fit.h"
#include "lab/study/study_point.h"

static bool is(const struct cgs_point *point, const char *path, const char *text)
{
    return strcmp(cgs_point_text(point, path), text) == 0;
}

/* Takes three numbers of the point's report to value[3], if it has them. */
static void take_three(const struct cgs_point *point, const char *path, double value[3])
{
    const json_t *array = cgs_report_find(point->report, path);
    for (size_t k = 0; k < 3 && json_array_size(array) == 3; k++)
        value[k] = json_number_value(json_array_get(array, k));
}

/* Reads cells and lengths of the point's box. */
static void read_box(const struct cgs_point *point, double cells[3], double size[3])
{
    for (int k = 0; k < 3; k++) {
        cells[k] = point->facts[CGS_FACT_n] + 1.0;
        size[k] = 1.0;
    }
    take_three(point, "problem.cells", cells);
    take_three(point, "problem.size", size);
}

/* The point's problem on its own mesh, or with n > 0 unknowns in each direction; NULL: its error
 * is not one of discretisation, or not known. */
static const struct cgs_problem *problem_of(const struct cgs_point *point, int64_t n,
                                            struct cgs_mesh *mesh)
{
    double cells[3], size[3];
    int64_t unknowns[3];
    const double deform = cgs_point_number(point, "problem.deform");
    const struct cgs_problem *problem = cgs_problem_find(cgs_point_text(point, "problem.name"));
    if (!problem || problem->product_rhs || !(point->facts[CGS_FACT_n] >= 1.0))
        return NULL;
    read_box(point, cells, size);
    for (int k = 0; k < 3; k++)
        unknowns[k] = n > 0 ? n : (int64_t)cells[k] - 1;
    *mesh = cgs_mesh_box(unknowns, size,
                         is(point, "problem.quadrature", "blended") ? CGS_BLENDED : CGS_GAUSS, 1.0);
    mesh->deform = isnan(deform) ? 0.0 : deform;
    if (!cgs_kappa_read(cgs_point_text(point, "problem.kappa"), &mesh->kappa) ||
        cgs_problem_known(problem, mesh) != CGS_KNOWN_EVERYWHERE)
        return NULL;
    return problem;
}

/* Returns the expected order for one point; 0: nothing is expected. */
static double theory_of_point(const struct cgs_point *point, enum cgs_norm norm)
{
    struct cgs_mesh mesh = {0};
    const bool own = cgs_point_text(point, "problem.exact")[0] != '\0';
    if (!own && !problem_of(point, 0, &mesh))
        return 0.0;
    if (norm == CGS_NORM_H1)
        return 1.0;
    if (is(point, "solver.status", "discretization") || is(point, "solver.status", "not_iterated"))
        return 0.0;
    const bool nodal = norm == CGS_NORM_NODAL_L2 || norm == CGS_NORM_MAX;
    return nodal && mesh.quadrature == CGS_BLENDED && mesh.deform == 0.0 &&
                   mesh.kappa.kind != CGS_KAPPA_SMOOTH
               ? 4.0
               : 2.0;
}

bool cgs_study_theory(const struct cgs_study *study, const struct cgs_series *series,
                      enum cgs_norm norm, double *order)
{
    double common = NAN;
    for (int i = 0; i < series->count; i++) {
        const struct cgs_point *point = &study->points[series->points[i]];
        if (!cgs_report_find(point->report, "error")) /* not run, or failed */
            continue;
        const double theory = theory_of_point(point, norm);
        if (theory == 0.0 || (!isnan(common) && theory != common))
            return false;
        common = theory;
    }
    if (isnan(common))
        return false;
    *order = common;
    return true;
}

/* ||x||_A of the point's problem; NaN: not known. */
static double energy_of_solution(const struct cgs_point *point)
{
    enum { N = 7, ROWS = N * N * N };
    double x[ROWS], b[ROWS], xb = 0.0;
    struct cgs_mesh mesh;
    struct cgs_context context;
    const struct cgs_problem *problem = problem_of(point, N, &mesh);
    cgs_context_init(&context);
    context.threads = 1;
    if (!problem || cgs_problem_solution(&context, problem, &mesh, 0, ROWS, x) != CGS_OK ||
        cgs_problem_load(&context, problem, &mesh, 0, ROWS, b) != CGS_OK)
        return NAN;
    for (int i = 0; i < ROWS; i++)
        xb += x[i] * b[i];
    return sqrt(fabs(xb));
}

/* E by the true residual; INFINITY: the report does not say enough. */
static double energy_by_residual(const struct cgs_point *point, const struct cgs_kappa *kappa)
{
    const double residual = cgs_point_number(point, "solver.true_relative_residual");
    double cells[3], size[3], longest = 0.0, shortest = INFINITY;
    read_box(point, cells, size);
    for (int k = 0; k < 3; k++) {
        longest = fmax(longest, size[k]);
        shortest = fmin(shortest, size[k] / cells[k]);
    }
    const double contrast = kappa->kind == CGS_KAPPA_SMOOTH ? 4.0
                            : kappa->kind == CGS_KAPPA_JUMP ? fmax(kappa->ratio, 1.0 / kappa->ratio)
                                                            : 1.0;
    const double energy =
        sqrt(contrast) * longest / shortest * residual * energy_of_solution(point);
    return isfinite(energy) ? energy : INFINITY;
}

double cgs_study_algebraic(const struct cgs_point *point, enum cgs_norm norm)
{
    struct cgs_kappa kappa = {.kind = CGS_KAPPA_ONE, .ratio = 1.0};
    double energy = cgs_point_number(point, "solver.energy_error_estimate");
    (void)!cgs_kappa_read(cgs_point_text(point, "problem.kappa"), &kappa);
    if (!is(point, "solver.status", "converged"))
        energy = energy_by_residual(point, &kappa);
    if (isnan(energy))
        return 0.0;
    const double least = kappa.kind == CGS_KAPPA_JUMP ? fmin(1.0, kappa.ratio) : 1.0;
    const double h1 = energy / sqrt(least);
    if (norm == CGS_NORM_H1)
        return h1;
    if (norm == CGS_NORM_MAX)
        return h1 * sqrt(point->facts[CGS_FACT_n] + 1.0);
    double cells[3], size[3], squares = 0.0;
    read_box(point, cells, size);
    for (int k = 0; k < 3; k++)
        squares += 1.0 / (size[k] * size[k]);
    return h1 / (M_PI * sqrt(squares));
}

const char *cgs_study_limit(const struct cgs_point *point, char *text, size_t size)
{
    const char *precision = cgs_point_text(point, "precision"),
               *status = cgs_point_text(point, "solver.status");
    if (strcmp(status, "rounding_floor") == 0 || strcmp(status, "precision_too_low") == 0)
        snprintf(text, size, "rounding in %s precision", precision);
    else if (strcmp(precision, "single") == 0 && strcmp(status, "converged") == 0)
        snprintf(text, size, "rounding and the tolerance %.3g in single precision",
                 cgs_point_number(point, "solver.tolerance"));
    else if (strcmp(status, "converged") == 0)
        snprintf(text, size, "the tolerance %.3g", cgs_point_number(point, "solver.tolerance"));
    else
        snprintf(text, size, "the solver (%s)", status);
    return text;
}
