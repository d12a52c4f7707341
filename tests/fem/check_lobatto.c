/* fem/element/lobatto.h: rules and Lagrange polynomials of each order. */
#include <float.h>
#include <math.h>

#include "base/random.h"
#include "fem/element/lobatto.h"
#include "tests/support/check.h"

static const double EPS = DBL_EPSILON;

/* Holds a rule exact up to `degree`, but not beyond, by monomials x^k. */
static void check_exactness(int points, const double *point, const double *weight, int degree)
{
    for (int k = 0; k <= degree + 1; k++) {
        double sum = 0.0;
        const double integral = k % 2 == 0 ? 2.0 / (k + 1) : 0.0;
        for (int q = 0; q < points; q++)
            sum += weight[q] * pow(point[q], k);
        if (k <= degree)
            ck_assert_double_eq_tol(sum, integral, 8 * EPS);
        else
            ck_assert_double_ge(fabs(sum - integral), 1e-7);
    }
}

static void check_symmetry(int points, const double *point, const double *weight)
{
    for (int q = 0; q < points; q++) {
        ck_assert(point[q] == -point[points - 1 - q] && weight[q] == weight[points - 1 - q]);
        ck_assert(q == 0 || point[q] > point[q - 1]);
    }
}

LOOP_TEST(rules_are_exact_as_far_as_they_should, CGS_ORDER_MOST)
{
    const int order = _i + 1;
    struct cgs_lobatto lobatto;
    double point[CGS_BASIS_POINTS], weight[CGS_BASIS_POINTS];
    cgs_lobatto_make(order, &lobatto);
    ck_assert_int_eq(lobatto.order, order);
    ck_assert(lobatto.point[order] == 1.0);
    check_symmetry(order + 1, lobatto.point, lobatto.weight);
    check_exactness(order + 1, lobatto.point, lobatto.weight, 2 * order - 1);
    for (int points = order; points <= order + 3; points++) {
        cgs_gauss(points, point, weight);
        check_symmetry(points, point, weight);
        check_exactness(points, point, weight, 2 * points - 1);
    }
}

TEST(nodes_by_hand)
{
    static const double nodes[][3] = {{1.0, 1.0, 1.0}, /* order, a point, its weight */
                                      {2.0, 0.0, 4.0 / 3.0},
                                      {3.0, 0.44721359549995793928, 5.0 / 6.0},
                                      {4.0, 0.65465367070797714380, 49.0 / 90.0},
                                      {5.0, 0.28523151648064509632, 0.55485837703548635302},
                                      {8.0, 0.36311746382617815871, 0.34642851097304634512}};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct cgs_lobatto lobatto;
        int found = 0;
        cgs_lobatto_make((int)nodes[i][0], &lobatto);
        for (int a = 0; a <= lobatto.order; a++)
            found += fabs(lobatto.point[a] - nodes[i][1]) <= EPS / 2 &&
                     fabs(lobatto.weight[a] - nodes[i][2]) <= EPS;
        ck_assert_int_eq(found, 1);
    }
}

/* Polynomials x^k, k <= p, and their slopes from values at the nodes. */
static void check_interpolation(const struct cgs_lobatto *lobatto, double s, const double *value,
                                const double *slope)
{
    for (int k = 0; k <= lobatto->order; k++) {
        double u = 0.0, du = 0.0;
        for (int a = 0; a <= lobatto->order; a++) {
            u += pow(lobatto->point[a], k) * value[a];
            du += pow(lobatto->point[a], k) * slope[a];
        }
        ck_assert_double_eq_tol(u, pow(s, k), 32 * EPS);
        ck_assert_double_eq_tol(du, k == 0 ? 0.0 : k * pow(s, k - 1), 256 * EPS);
    }
}

LOOP_TEST(polynomials_are_interpolated, CGS_ORDER_MOST)
{
    enum { PLACES = 40 };
    const int order = _i + 1;
    struct cgs_lobatto lobatto;
    double value[CGS_NODES_MOST], slope[CGS_NODES_MOST];
    cgs_lobatto_make(order, &lobatto);
    for (int i = 0; i < PLACES; i++) {
        const double s = cgs_random((uint64_t)i);
        cgs_lagrange(&lobatto, s, value, slope);
        check_interpolation(&lobatto, s, value, slope);
    }
    for (int q = 0; q <= order; q++) {
        const double *row = lobatto.slope + q * CGS_NODES_MOST;
        const double near = nextafter(lobatto.point[q], 0.5);
        cgs_lagrange(&lobatto, near, value, slope);
        check_interpolation(&lobatto, near, value, slope);
        cgs_lagrange(&lobatto, lobatto.point[q], value, slope);
        check_interpolation(&lobatto, lobatto.point[q], value, row);
        for (int a = 0; a <= order; a++) {
            ck_assert(value[a] == (a == q ? 1.0 : 0.0));
            ck_assert_double_eq_tol(row[a], slope[a], 64 * EPS);
            ck_assert(row[a] == -lobatto.slope[(order - q) * CGS_NODES_MOST + order - a]);
        }
    }
    ck_assert_double_eq_tol(lobatto.slope[0], -0.25 * order * (order + 1), 64 * EPS);
}

LOOP_TEST(bases_are_these_polynomials_at_a_rule, CGS_ORDER_MOST)
{
    const int order = _i + 1;
    struct cgs_lobatto lobatto;
    struct cgs_basis basis;
    double point[CGS_BASIS_POINTS], weight[CGS_BASIS_POINTS];
    cgs_lobatto_make(order, &lobatto);
    cgs_basis_lobatto(order, &basis);
    ck_assert_int_eq(basis.points, order + 1);
    for (int q = 0; q <= order; q++) {
        ck_assert(basis.point[q] == lobatto.point[q] && basis.weight[q] == lobatto.weight[q]);
        check_interpolation(&lobatto, basis.point[q], basis.value[q], basis.slope[q]);
    }
    cgs_basis_gauss(order, order + 2, &basis);
    cgs_gauss(order + 2, point, weight);
    ck_assert_int_eq(basis.points, order + 2);
    for (int q = 0; q < basis.points; q++) {
        ck_assert(basis.point[q] == point[q] && basis.weight[q] == weight[q]);
        check_interpolation(&lobatto, point[q], basis.value[q], basis.slope[q]);
    }
}

int main(void)
{
    return run_tests("lobatto", 60, NULL, NULL);
}
