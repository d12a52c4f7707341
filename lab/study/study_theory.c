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

#include "core/plan/theory.h"
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

/* The point's box, as its report says it. */
static struct cgs_theory_box box_of(const struct cgs_point *point)
{
    const double deform = cgs_point_number(point, "problem.deform");
    struct cgs_theory_box box = {.problem = cgs_point_text(point, "problem.name"),
                                 .kappa = cgs_point_text(point, "problem.kappa"),
                                 .quadrature = cgs_point_text(point, "problem.quadrature"),
                                 .deform = isnan(deform) ? 0.0 : deform};
    for (int k = 0; k < 3; k++) {
        box.cells[k] = point->facts[CGS_FACT_n] + 1.0;
        box.size[k] = 1.0;
    }
    take_three(point, "problem.cells", box.cells);
    take_three(point, "problem.size", box.size);
    return box;
}

/* Returns the expected order for one point; 0: nothing is expected. */
static double theory_of_point(const struct cgs_point *point, enum cgs_norm norm)
{
    const bool own = cgs_point_text(point, "problem.exact")[0] != '\0';
    const struct cgs_theory_box box = box_of(point);
    const int nodal_order = own                               ? 2
                            : point->facts[CGS_FACT_n] >= 1.0 ? cgs_theory_nodal_order(&box)
                                                              : 0;
    if (nodal_order == 0)
        return 0.0;
    if (norm == CGS_NORM_H1)
        return 1.0;
    if (is(point, "solver.status", "discretization") || is(point, "solver.status", "not_iterated"))
        return 0.0;
    return norm == CGS_NORM_NODAL_L2 || norm == CGS_NORM_MAX ? nodal_order : 2.0;
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

/* E by the true residual; INFINITY: the report does not say enough. */
static double energy_by_residual(const struct cgs_point *point, const struct cgs_theory_box *box,
                                 double contrast)
{
    const double residual = cgs_point_number(point, "solver.true_relative_residual");
    double longest = 0.0, shortest = INFINITY;
    for (int k = 0; k < 3; k++) {
        longest = fmax(longest, box->size[k]);
        shortest = fmin(shortest, box->size[k] / box->cells[k]);
    }
    const double energy = sqrt(contrast) * longest / shortest * residual * cgs_theory_energy(box);
    return isfinite(energy) ? energy : INFINITY;
}

double cgs_study_algebraic(const struct cgs_point *point, enum cgs_norm norm)
{
    const struct cgs_theory_box box = box_of(point);
    double energy = cgs_point_number(point, "solver.energy_error_estimate");
    double least, greatest, squares = 0.0;
    cgs_theory_kappa(&box, &least, &greatest);
    if (!is(point, "solver.status", "converged"))
        energy = energy_by_residual(point, &box, greatest / least);
    if (isnan(energy))
        return 0.0;
    const double h1 = energy / sqrt(least);
    if (norm == CGS_NORM_H1)
        return h1;
    if (norm == CGS_NORM_MAX)
        return h1 * sqrt(point->facts[CGS_FACT_n] + 1.0);
    for (int k = 0; k < 3; k++)
        squares += 1.0 / (box.size[k] * box.size[k]);
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
