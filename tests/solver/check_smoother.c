/* The polynomials that multigrid smooths by and --precond=chebyshev is, on the device under test:
 * they are those of the literature; their eigenvalue bound holds; the coarsest grid is solved
 * exactly. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fem/assembly.h"
#include "matrix/dense.h"
#include "matrix/layout.h"
#include "solver/jacobi.h"
#include "solver/smoother.h"
#include "tests/support/solve.h"
#include "tests/support/support.h"

/* ---- smoothers ---- */

enum { POINTS = 41 };

/* A = diag(lambda) with lambda in (0, high]: an error polynomial's values are what it makes of an
 * error of ones. */
static void polynomial_at(enum cgs_polynomial polynomial, int degree, double low, double high,
                          bool from_zero, const double *lambda, double *value)
{
    static double a[POINTS * POINTS];
    struct cgs_operator op;
    struct cgs_matrix matrix;
    const struct cgs_kernel_entry *entry;
    const struct dense dense = {POINTS, a};
    double ones[POINTS], zeros[POINTS] = {0};
    memset(a, 0, sizeof a);
    for (int i = 0; i < POINTS; i++) {
        a[i * POINTS + i] = lambda[i];
        ones[i] = 1.0;
    }
    const struct cgs_row_source source = dense_source(&dense);
    must(cgs_kernel_find(&bed.context, "auto", CHECK_DEVICE, CGS_CRS, &entry));
    must(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix));
    must(cgs_operator_create(bed.queue, bed.backend, entry->tables[CGS_PRECISION_F64],
                             CGS_PRECISION_F64, &matrix, &op));
    const struct cgs_space *space = &op.domain;
    struct cgs_smoother smoother = {.op = &op, .scale = 1.0};
    cgs_smoother_coefficients(&smoother, polynomial, degree, low, high);
    /* A x = 0 from x = 1 leaves p(lambda); A x = lambda from x = 0 leaves 1 - p(lambda) */
    void *x[2] = {bed_vector(space, from_zero ? NULL : ones), bed_vector(space, NULL)};
    void *b = bed_vector(space, from_zero ? lambda : zeros);
    smoother.product = bed_vector(space, NULL);
    must(cgs_smoother_apply(&smoother, bed.queue, NULL, b, from_zero, x));
    must(space->ops->get(space, x[degree % 2], 0, POINTS, value));
    for (int i = 0; from_zero && i < POINTS; i++)
        value[i] = 1.0 - value[i];
    space->ops->free(space, smoother.product);
    space->ops->free(space, b);
    space->ops->free(space, x[1]);
    space->ops->free(space, x[0]);
    cgs_operator_release(&op);
    cgs_matrix_release(&bed.context, &matrix);
}

/* W_k(t) / (2k + 1) at t = 1 - 2 lambda / high, W_k(cos s) = sin((k + 1/2) s) / sin(s / 2). */
static double fourth_kind(int degree, double high, double lambda)
{
    const double s = acos(fmax(1.0 - 2.0 * lambda / high, -1.0));
    return sin((degree + 0.5) * s) / sin(0.5 * s) / (2.0 * degree + 1.0);
}

/* T_k(t) / T_k(t_0), t = (middle - lambda) / half. */
static double first_kind(int degree, double low, double high, double lambda)
{
    const double middle = 0.5 * (high + low), half = 0.5 * (high - low);
    const double t = fmax((middle - lambda) / half, -1.0), t0 = middle / half;
    const double at = t <= 1.0 ? cos(degree * acos(t)) : cosh(degree * acosh(t));
    return at / cosh(degree * acosh(t0));
}

/* Optimal weights make the bound of a V-cycle least, which is the largest lambda p^2 / (1 - p^2)
 * of all lambda: its value at 0 is reached again at `high`, and nowhere exceeded. */
static void check_optimal(int degree, double high, const double *lambda, const double *value)
{
    struct cgs_smoother smoother;
    double slope = 0.0, last = 0.0;
    cgs_smoother_coefficients(&smoother, CGS_SMOOTH_OPTIMAL, degree, 0.0, high);
    for (int j = 0; j < degree; j++)
        slope += smoother.c[j];
    const double most = 0.5 / slope;
    for (int i = 0; i < POINTS; i++) {
        last = lambda[i] * value[i] * value[i] / (1.0 - value[i] * value[i]);
        ck_assert_double_le(last, most * (1.0 + 1e-9));
    }
    ck_assert_double_ge(last, most * (1.0 - 1e-9));
}

TEST(polynomials_are_chebyshev_s)
{
    const double high = 1.7, low = 0.2;
    double lambda[POINTS], value[POINTS];
    for (int i = 0; i < POINTS; i++)
        lambda[i] = high * (i + 1) / POINTS;
    for (int degree = 1; degree <= 7; degree++)
        for (int from_zero = 0; from_zero < 2; from_zero++) {
            polynomial_at(CGS_SMOOTH, degree, 0.0, high, from_zero, lambda, value);
            for (int i = 0; i < POINTS; i++)
                ck_assert(fabs(value[i] - fourth_kind(degree, high, lambda[i])) <= 1e-13);
            if (degree <= 4) {
                polynomial_at(CGS_SMOOTH_OPTIMAL, degree, 0.0, high, from_zero, lambda, value);
                check_optimal(degree, high, lambda, value);
            }
            polynomial_at(CGS_SOLVE, degree, low, high, from_zero, lambda, value);
            for (int i = 0; i < POINTS; i++)
                ck_assert(fabs(value[i] - first_kind(degree, low, high, lambda[i])) <= 1e-13);
        }
}

/* The estimated bound lies above the largest eigenvalue, here known, and not far. */
/* The bound of D^-1 A for the matrix a of n rows. */
static double bound_of(int n, const double *a)
{
    double high;
    struct cgs_operator op, jacobi;
    struct cgs_matrix matrix;
    const struct cgs_kernel_entry *entry;
    const struct dense dense = {n, a};
    const struct cgs_row_source source = dense_source(&dense);
    must(cgs_kernel_find(&bed.context, "auto", CHECK_DEVICE, CGS_CRS, &entry));
    must(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix));
    must(cgs_operator_create(bed.queue, bed.backend, entry->tables[CGS_PRECISION_F64],
                             CGS_PRECISION_F64, &matrix, &op));
    must(cgs_jacobi_create(bed.queue, &op, &source, &jacobi));
    must(cgs_eigenvalue_bound(bed.queue, &op, &jacobi, 10, 1.1, &high));
    cgs_operator_release(&jacobi);
    cgs_operator_release(&op);
    cgs_matrix_release(&bed.context, &matrix);
    return high;
}

TEST(bounds_hold)
{
    double a[POINTS * POINTS] = {0.0};
    for (int i = 0; i < POINTS; i++) { /* tridiag(-1, 2, -1): D^-1 A has 1 + cos(pi / (n + 1)) */
        a[i * POINTS + i] = 2.0;
        if (i > 0)
            a[i * POINTS + i - 1] = a[(i - 1) * POINTS + i] = -1.0;
    }
    const double high = bound_of(POINTS, a);
    printf("bound %.4f of %.4f\n", high, 1.0 + cos(acos(-1.0) / (POINTS + 1)));
    ck_assert_double_ge(high, 1.0 + cos(acos(-1.0) / (POINTS + 1)));
    ck_assert_double_le(high, 1.1 * 2.0);
}

/* Units of rows that span 1e6 to 1e20, and a factor of all: D^-1 A keeps its eigenvalues, and each
 * bound is above the largest. Rows of large diagonal are few, and their couplings the strongest. */
TEST(bounds_hold_in_any_units)
{
    enum { ROWS = 80 };
    static const double spans[] = {1.0, 1e6, 1e12, 1e20}, factors[] = {1.0, 1e-270, 1e270};
    for (int which = 0; which < 12; which++) {
        double a[ROWS * ROWS] = {0.0};
        const double span = spans[which % 4], factor = factors[which / 4];
        for (int i = 0; i < ROWS;
             i++) { /* rows 0 to 7: a block with the eigenvalues 0.1 and 7.3 of D^-1 A */
            const double s = sqrt(factor) * (i < 8 ? sqrt(span) : 1.0);
            for (int j = 0; j < ROWS; j++) {
                const double t = sqrt(factor) * (j < 8 ? sqrt(span) : 1.0);
                a[i * ROWS + j] = i == j                                ? s * t
                                  : i < 8 && j < 8                      ? 0.9 * (s * t)
                                  : i >= 8 && j >= 8 && abs(i - j) == 1 ? 0.4 * (s * t)
                                                                        : 0.0;
            }
        }
        const double high = bound_of(ROWS, a);
        ck_assert_msg(high >= 7.3 && high <= 1.1 * 7.31, "span %.0e, factor %.0e: %.3f", span,
                      factor, high);
    }
}

/* ---- the coarsest grid ---- */

TEST(a_dense_inverse_is_one)
{
    for (int n = 1; n <= 5; n += 2) {
        const struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
        const int rows = n * n * n;
        struct plain *q1 = plain_q1(n);
        struct cgs_row_source source;
        double *inverse = must_have((size_t)(rows * rows) * sizeof(double));
        must(cgs_assembler_create(&bed.context, &mesh, CGS_GATHER_SHARED, &source));
        must(cgs_dense_inverse(&bed.context, &source, CGS_DENSE_REGULAR, inverse));
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) {
                double sum = 0.0;
                for (int64_t k = q1->start[i]; k < q1->start[i + 1]; k++)
                    sum += q1->value[k] * inverse[(int64_t)q1->column[k] * rows + j];
                ck_assert(fabs(sum - (i == j)) <= 1e-13);
                ck_assert(inverse[i * rows + j] == inverse[j * rows + i]);
            }
        cgs_assembler_release(&bed.context, &source);
        free(inverse);
        plain_free(q1);
    }
}

TEST(an_indefinite_coarsest_grid_is_named)
{
    const double a[] = {1, 2, 0, 2, 1, 0, 0, 0, 1};
    const struct dense dense = {3, a};
    const struct cgs_row_source source = dense_source(&dense);
    double inverse[9];
    ck_assert_int_eq(cgs_dense_inverse(&bed.context, &source, CGS_DENSE_REGULAR, inverse),
                     CGS_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "row 2"));
    bed_forgive();
}

/* Three parts: constants solve the first two (a path, and a single row of zeros), not the third.
 * With `kind` A B A = A, constants are mapped to 0 or, where it is definite, to count / trace; rows
 * of other parts are not mixed in. */
TEST(constants_on_parts_are_seen)
{
    enum { ROWS = 7 };
    static const int path[] = {0, 2, 5}, third[] = {1, 4, 6}; /* and row 3 */
    double a[ROWS * ROWS] = {0.0};
    const struct dense dense = {ROWS, a};
    for (int k = 0; k < 3; k++) {
        a[path[k] * ROWS + path[k]] = k == 1 ? 2.0 : 1.0;
        a[third[k] * ROWS + third[k]] = 3.0;
        if (k > 0) {
            a[path[k] * ROWS + path[k - 1]] = a[path[k - 1] * ROWS + path[k]] = -1.0;
            a[third[k] * ROWS + third[k - 1]] = a[third[k - 1] * ROWS + third[k]] = -1.0;
        }
    }
    const struct cgs_row_source source = dense_source(&dense);
    for (int definite = 0; definite < 2; definite++) {
        double inverse[ROWS * ROWS];
        must(cgs_dense_inverse(&bed.context, &source,
                               definite ? CGS_DENSE_DEFINITE : CGS_DENSE_PSEUDO, inverse));
        for (int i = 0; i < ROWS; i++) {
            double constant = 0.0;
            for (int k = 0; k < 3; k++)
                constant += inverse[i * ROWS + path[k]];
            const bool within = i == 0 || i == 2 || i == 5;
            ck_assert_double_eq_tol(constant, within && definite ? 3.0 / 4.0 : 0.0, 1e-14);
            for (int j = 0; j < ROWS; j++) {
                double sum = 0.0;
                for (int k = 0; k < ROWS; k++)
                    for (int l = 0; l < ROWS; l++)
                        sum += a[i * ROWS + k] * inverse[k * ROWS + l] * a[l * ROWS + j];
                ck_assert_double_eq_tol(sum, a[i * ROWS + j], 1e-13);
            }
        }
        ck_assert_double_eq_tol(inverse[3 * ROWS + 3], definite ? 1.0 : 0.0, 1e-14);
    }
}

int main(void)
{
    return bed_tests("smoother", 60);
}
