/* How many iterations CG will take: at most, or, where that says nothing, usually.
 *
 * Iterations at most. With the condition number kappa and q = (sqrt(kappa) - 1)/(sqrt(kappa) + 1),
 * CG from zero has in exact arithmetic ||e_k||_A <= 2 q^k ||e_0||_A (Y. Saad, Iterative Methods for
 * Sparse Linear Systems, 2nd ed., 6.11.3), and since
 * ||r||^2 / lambda_max <= ||e||_A^2 <= ||r||^2 / lambda_min,
 *
 *     ||r_k|| <= 2 sqrt(kappa) q^k ||r_0||,
 *     k <= ln(2 sqrt(kappa) / tol) / (2 artanh(1/sqrt(kappa)))
 *       ~ sqrt(kappa)/2 ln(2 sqrt(kappa) / tol).
 *
 * Condition number on the cube. There A = K x M x M + M x K x M + M x M x K with the 1-D matrices
 * K = (-1, 2, -1)/h and M = h (m1, m0, m1), m0 + 2 m1 = 1, which share the eigenvectors
 * sin(j pi i h). With s = sin^2(j pi h / 2) their eigenvalues are 4 s / h and h (1 - 4 m1 s), so
 * that
 *
 *     lambda / (4 h) = sum over the directions k of  s_k  prod_{l != k} (1 - 4 m1 s_l).
 *
 * This is linear in each s_k, so its extremes over the modes lie where each s_k is the first or the
 * last, sin^2(pi h / 2) or cos^2(pi h / 2): four values, by how many are the last.
 * A coefficient between a and b makes the condition number at most b/a times as large.
 *
 * Chebyshev's polynomial of degree k on [low, high] makes of an eigenvalue l of D^-1 A
 *
 *     1 - T_k((d - l) / c) / T_k(d / c),   d = (high + low) / 2,  c = (high - low) / 2,
 *
 * which is within 1 -+ 1 / T_k(d / c) from low to high, and below low smaller.
 */
#include "src/plan/predict.h"

#include <math.h>

#include "fem/mesh.h"
#include "src/precond/preconditioner.h"

double cgs_cube_condition(int64_t n, enum cgs_quadrature quadrature)
{
    const double half = 0.5 * 3.14159265358979323846 / (double)(n + 1);
    const double first = sin(half) * sin(half), last = cos(half) * cos(half);
    double weight[2], least = INFINITY, most = 0.0;
    cgs_mass_weights(quadrature, weight);
    for (int high = 0; high <= 3; high++) {
        double value = 0.0;
        for (int k = 0; k < 3; k++) {
            double product = k < high ? last : first;
            for (int l = 0; l < 3; l++)
                if (l != k)
                    product *= 1.0 - 4.0 * weight[1] * (l < high ? last : first);
            value += product;
        }
        least = fmin(least, value);
        most = fmax(most, value);
    }
    return most / least;
}

double cgs_cg_bound(double condition, double tolerance)
{
    const double root = sqrt(condition);
    if (!(root > 1.0 + 1e-12)) /* one eigenvalue */
        return 1.0;
    return fmax(ceil(log(2.0 * root / tolerance) / (2.0 * atanh(1.0 / root))), 1.0);
}

/* Iterations that multigrid takes, which is no bound. */
static void expect_iterations(const struct cgs_options *options,
                              const struct cgs_preconditioner *preconditioner,
                              struct cgs_prediction *p)
{
    const double rate = options->kappa.kind == CGS_KAPPA_JUMP ? preconditioner->rate_jump
                                                                  : preconditioner->rate;
    const double count = ceil(log(options->tol) / log(rate));
    snprintf(p->no_bound, sizeof p->no_bound,
             "multigrid's iterations are not bounded beforehand, but hardly depend on N");
    p->iterations_expected =
        count < (double)options->max_iterations ? (int64_t)count : options->max_iterations;
}

void cgs_predict_iterations(const struct cgs_options *options, struct cgs_prediction *p)
{
    const struct cgs_preconditioner *preconditioner = cgs_preconditioner(options->precond);
    const struct cgs_kappa *kappa = &options->kappa;
    double spread = 1.0;
    if (kappa->kind == CGS_KAPPA_SMOOTH)
        spread = 4.0; /* 1 + x + 2 y z */
    if (kappa->kind == CGS_KAPPA_JUMP)
        spread = fmax(kappa->ratio, 1.0 / kappa->ratio);
    const char *why = "";
    if (preconditioner->rate > 0.0 && options->stop == CGS_STOP_RESIDUAL) {
        expect_iterations(options, preconditioner, p);
        return;
    }
    if (!cgs_options_box(options))
        why = "nothing is known of the condition number of a file's matrix";
    else if (preconditioner->unbounded)
        why = preconditioner->unbounded;
    else if (options->deform != 0.0)
        why = "no closed form of the condition number on a deformed mesh";
    else if (spread > 1.0 && options->precond != CGS_PRECOND_NONE)
        why = "no closed form of the preconditioned condition number";
    else if (options->stop != CGS_STOP_RESIDUAL)
        why = "when --stop=discretization stops depends on the solution";
    snprintf(p->no_bound, sizeof p->no_bound, "%s", why);
    if (why[0])
        return;
    const double matrix =
        spread * cgs_cube_condition(options->n, (enum cgs_quadrature)options->quadrature);
    p->condition = preconditioner->condition(matrix, (int)options->degree);
    const double tolerance = options->tol * sqrt(p->condition / matrix); /* norms of error, residual */
    const double bound = cgs_cg_bound(p->condition, tolerance);
    p->iterations_bound =
        bound < (double)options->max_iterations ? (int64_t)bound : options->max_iterations;
}
