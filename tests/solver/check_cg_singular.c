/* CG on singular matrices: a right-hand side in the range is solved, any other one is said to have
 * no solution, and never called converged, or a floor of rounding; an indefinite matrix is another
 * matter. */
#include <math.h>

#include "base/random.h"
#include "kernels/registry.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/lanczos.h"
#include "tests/support/solve.h"

enum { N = 60 };

static double a[N * N]; /* the matrix of the test */

/* The graph Laplacian of a path (null space: constants), scaled by a diagonal so that Jacobi has
 * something to do: S L S, null space 1/s. */
static struct dense path(double spread)
{
    for (int i = 0; i < N * N; i++)
        a[i] = 0.0;
    for (int i = 0; i + 1 < N; i++) {
        const double s = pow(spread, (double)i / N), t = pow(spread, (double)(i + 1) / N);
        a[N * i + i] += s * s;
        a[N * (i + 1) + i + 1] += t * t;
        a[N * i + i + 1] = a[N * (i + 1) + i] = -s * t;
    }
    return (struct dense){N, a};
}

static void multiply(const double *x, double *y)
{
    for (int i = 0; i < N; i++) {
        y[i] = 0.0;
        for (int j = 0; j < N; j++)
            y[i] += a[N * i + j] * x[j];
    }
}

static struct solve way(int which)
{
    struct solve how = usual();
    how.jacobi = which & 1;
    how.format = which & 2 ? CGS_CRS : CGS_SELL;
    how.precision = which & 4 ? CGS_PRECISION_F32 : CGS_PRECISION_F64;
    how.settings.tolerance = which & 4 ? 1e-5 : 1e-10;
    how.settings.restart = true;
    return how;
}

TEST(without_a_solution_is_said)
{
    static const double spreads[] = {1.0, 30.0};
    for (int which = 0; which < 8; which++)
        for (int kind = 0; kind < 8; kind += CHECK_SMALL ? 5 : 1) {
            const struct solve how = way(which);
            const struct dense d = path(spreads[kind & 1]);
            const struct cgs_row_source source = dense_source(&d);
            double u[N], b[N], x[N];
            for (int i = 0; i < N; i++)
                u[i] = cgs_random((uint64_t)i + 1);
            multiply(u, b);
            for (int i = 0; i < N;
                 i++) /* a unit vector, random, all but in the range, of one sign */
                b[i] = kind < 2 ? i == 0 : kind < 4 ? u[i] : kind < 6 ? b[i] + 0.01 : 1.0;
            const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
            ck_assert_msg(r.outcome == CGS_OUTCOME_SINGULAR, "way %d, b %d: %s", which, kind,
                          cgs_outcome_name(r.outcome));
            ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_NOT_CONVERGED);
        }
}

TEST(with_one_is_solved)
{
    for (int which = 0; which < 8; which++) {
        const struct solve how = way(which);
        const struct dense d = path(1.0);
        const struct cgs_row_source source = dense_source(&d);
        double u[N], b[N], x[N];
        for (int i = 0; i < N; i++)
            u[i] = i % 5; /* b is exact, in single precision too */
        multiply(u, b);
        const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
        ck_assert_msg(r.outcome == CGS_OUTCOME_CONVERGED, "way %d: %s", which,
                      cgs_outcome_name(r.outcome));
    }
}

/* One entry far below zero in a long diagonal: the norm is that entry's, and p'A p is small against
 * it wherever p has little there. */
TEST(indefinite_is_not_singular)
{
    for (int which = 0; which < 8; which += 2) {
        const struct solve how = way(which);
        const struct dense d = path(1.0);
        const struct cgs_row_source source = dense_source(&d);
        double b[N], x[N];
        a[0] = -1e12;
        for (int i = 0; i < N; i++)
            b[i] = i == 0 ? 1e-3 : 1.0;
        ck_assert_int_eq(solve(&how, &source, b, x, NULL).outcome, CGS_OUTCOME_NOT_POSITIVE);
    }
}

/* Ill-conditioned, but not singular: whatever comes of it, it is not called so. */
TEST(badly_conditioned_is_not_singular)
{
    for (int which = 0; which < 4; which++) {
        const struct dense d = path(1.0);
        const struct cgs_row_source source = dense_source(&d);
        struct solve how = way(which);
        double b[N], x[N];
        a[0] += 1e-9; /* eigenvalues from 1e-11 to 4 */
        how.settings.max_iterations = 30;
        for (int i = 0; i < N; i++)
            b[i] = cgs_random((uint64_t)i);
        ck_assert_int_eq(solve(&how, &source, b, x, NULL).outcome, CGS_OUTCOME_ITERATION_LIMIT);
        how.settings.max_iterations = 1000;
        ck_assert_int_eq(cgs_outcome_status(solve(&how, &source, b, x, NULL).outcome), CGS_OK);
    }
}

static double dot(const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < N; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The quotient from the coefficients is that of the directions themselves. */
TEST(quotients_are_those_of_the_directions)
{
    enum { STEPS = 12 };
    struct cgs_cg_record records[STEPS + 1] = {{0}};
    double r[N], p[N], q[N], least = INFINITY, growth;
    path(3.0);
    for (int i = 0; i < N; i++)
        r[i] = p[i] = cgs_random((uint64_t)i);
    ck_assert(isinf(cgs_lanczos_least_quotient(records, 0, &growth)));
    ck_assert_double_eq(growth, 1.0);
    for (int k = 1; k <= STEPS; k++) {
        multiply(p, q);
        const double rr = dot(r, r), alpha = rr / dot(p, q);
        least = fmin(least, dot(p, q) / dot(p, p));
        for (int i = 0; i < N; i++)
            r[i] -= alpha * q[i];
        records[k].alpha = alpha;
        records[k].beta = dot(r, r) / rr;
        for (int i = 0; i < N; i++)
            p[i] = r[i] + records[k].beta * p[i];
        ck_assert_double_eq_tol(cgs_lanczos_least_quotient(records, k, &growth), least,
                                1e-9 * least);
        ck_assert_double_eq_tol(growth, dot(p, p) / dot(r, r), 1e-9 * growth);
    }
}

int main(void)
{
    return solve_tests("CG on singular matrices");
}
