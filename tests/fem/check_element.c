/* fem/element/element.h: facts about shape functions, mass weights and the element stiffness
 * matrix. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "fem/box.h"
#include "tests/support/check.h"

static const double EPS = DBL_EPSILON;

/* Classes of the cube's element matrix for h = 1: from the 1-D forms, by hand. */
static const double CLASSES[2][4] = {
    [CGS_GAUSS] = {1.0 / 3.0, 0.0, -1.0 / 12.0, -1.0 / 12.0},
    [CGS_BLENDED] = {75.0 / 144.0, -15.0 / 144.0, -9.0 / 144.0, -3.0 / 144.0},
};

/* A hexahedron without any symmetry: `bend` moves the corners of the unit cube. */
static void crooked(double bend, double *corner)
{
    for (int a = 0; a < 8; a++)
        for (int k = 0; k < 3; k++)
            corner[3 * a + k] = ((a >> k) & 1) + bend * cgs_random((uint64_t)(3 * a + k));
}

LOOP_TEST(element_of_the_cube, 2)
{
    const enum cgs_quadrature rule = _i;
    const struct cgs_mesh mesh = cgs_mesh_cube(6, rule, 1.0);
    double corner[24], k[CGS_PACKED];
    static const double middle[3] = {0.0, 0.0, 0.0};
    cgs_mesh_corners(&mesh, 1, 2, 3, corner);
    cgs_element_stiffness(corner, rule, 1.0, k);
    ck_assert_double_eq_tol(cgs_jacobian_determinant(corner, middle), pow(mesh.h[0] / 2, 3),
                            4 * EPS * pow(mesh.h[0] / 2, 3));
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            ck_assert_double_eq_tol(k[cgs_packed(a, b)],
                                    mesh.h[0] * CLASSES[rule][__builtin_popcount(a ^ b)],
                                    8 * EPS * k[0]);
}

/* K of cells with three sides in closed form, in any order of the directions; the zeros of cubes
 * are exact. */
LOOP_TEST(element_of_a_box, 2)
{
    static const double sizes[][3] = {
        {1.0, 2.0, 0.5}, {0.5, 1.0, 2.0}, {7.0, 7.0, 7.0}, {1.0, 1e-3, 1.0}, {3.0, 3.0, 1.0}};
    static const int64_t n[3] = {4, 4, 4};
    const enum cgs_quadrature rule = _i;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct cgs_mesh mesh = cgs_mesh_box(n, sizes[i], rule, 1.0);
        double corner[24], k[CGS_PACKED], class[8];
        cgs_mesh_corners(&mesh, 3, 0, 2, corner);
        cgs_element_stiffness(corner, rule, 1.0, k);
        cgs_box_classes(&mesh, class);
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++)
                ck_assert_double_eq_tol(k[cgs_packed(a, b)], class[a ^ b], 16 * EPS * k[0]);
        if (i == 2)
            for (int b = 1; b < 8; b *= 2)
                ck_assert(rule == CGS_GAUSS ? class[b] == 0.0 : class[b] < 0.0);
    }
}

LOOP_TEST(element_of_any_hexahedron, 2)
{
    const enum cgs_quadrature rule = _i;
    double corner[24], k[CGS_PACKED], moved[24], turned[CGS_PACKED], volume = 0.0;
    crooked(0.15, corner);
    cgs_element_stiffness(corner, rule, 1.0, k);
    for (int q = 0; q < 8; q++) {
        double s[3], adjugate[9];
        for (int d = 0; d < 3; d++)
            s[d] = cgs_node_side(q, d) * cgs_rule_point(rule);
        volume += cgs_jacobian_adjugate(corner, s, adjugate);
        ck_assert_double_gt(cgs_jacobian_determinant(corner, s), 0.0);
    }
    for (int a = 0; a < 8; a++) {
        double sum = 0.0;
        for (int b = 0; b < 8; b++)
            sum += k[cgs_packed(a, b)];
        ck_assert_double_eq_tol(sum, 0.0, 32 * EPS * k[cgs_packed(a, a)]);
    }
    /* Coordinates are functions of the element: x_i' K x_j = int grad x_i . grad x_j. */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double energy = 0.0;
            for (int a = 0; a < 8; a++)
                for (int b = 0; b < 8; b++)
                    energy += corner[3 * a + i] * k[cgs_packed(a, b)] * corner[3 * b + j];
            ck_assert_double_eq_tol(energy, i == j ? volume : 0.0, 200 * EPS * volume);
        }
    /* A rotation and a shift change nothing. */
    for (int a = 0; a < 8; a++) {
        const double *p = corner + 3 * a;
        moved[3 * a] = 0.6 * p[0] - 0.8 * p[1] + 0.25;
        moved[3 * a + 1] = 0.8 * p[0] + 0.6 * p[1] - 0.5;
        moved[3 * a + 2] = p[2] + 1.0;
    }
    cgs_element_stiffness(moved, rule, 3.0, turned); /* and kappa is a factor */
    for (int i = 0; i < CGS_PACKED; i++)
        ck_assert_double_eq_tol(turned[i], 3.0 * k[i], 600 * EPS * k[0]);
    /* Turned inside out. */
    static const double middle[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 8; a++)
        corner[3 * a] = -corner[3 * a];
    ck_assert_double_lt(cgs_jacobian_determinant(corner, middle), 0.0);
}

/* Mass weights and shape functions belong to the rule's points. */
LOOP_TEST(mass_weights_are_the_rules, 2)
{
    const enum cgs_quadrature rule = _i;
    double weight[2], diagonal = 0.0, sum = 0.0;
    cgs_mass_weights(rule, weight);
    for (int q = 0; q < 8; q++) {
        double s[3], gradient[3], total[3] = {0.0}, one = 0.0;
        for (int d = 0; d < 3; d++)
            s[d] = cgs_node_side(q, d) * cgs_rule_point(rule);
        diagonal += cgs_shape(5, s) * cgs_shape(5, s) / 8;
        for (int a = 0; a < 8; a++) {
            one += cgs_shape(a, s);
            cgs_shape_gradient(a, s, gradient);
            for (int d = 0; d < 3; d++)
                total[d] += gradient[d];
        }
        ck_assert_double_eq_tol(one, 1.0, 8 * EPS);
        for (int d = 0; d < 3; d++)
            ck_assert_double_eq_tol(total[d], 0.0, 8 * EPS);
        sum += one / 8;
    }
    ck_assert_double_eq_tol(diagonal, pow(weight[0] / 2, 3), 8 * EPS);
    ck_assert_double_eq_tol(weight[0] + 2 * weight[1], sum, 8 * EPS);
}

int main(void)
{
    return run_tests("element", 60, NULL, NULL);
}
