/* The whole method on general meshes: the patch test, published figures, orders of convergence, and
 * where a solution is known. */
#include "tests/fem/general.h"
#include "tests/fem/textbook.h"

/* The patch test: trilinear cells contain u = x + z, whatever their form; f = 0, and all of the
 * right-hand side comes from the boundary. */
LOOP_TEST(linear_functions_are_solved_exactly, 4)
{
    static const struct cgs_problem patch = {
        .name = "patch",
        .terms = 2,
        .factor = {{CGS_FACTOR_LINEAR, CGS_FACTOR_ONE, CGS_FACTOR_ONE},
                   {CGS_FACTOR_ONE, CGS_FACTOR_ONE, CGS_FACTOR_LINEAR}},
        .boundary_values = true,
    };
    const enum cgs_quadrature rule = _i & 1;
    const struct cgs_mesh mesh = general(10, rule, _i < 2 ? 0.12 : 0.0, CGS_KAPPA_ONE, 1.0);
    const struct cgs_errors errors = textbook_errors(&patch, &mesh, 1e-14);
    ck_assert_double_lt(errors.max, 1e-12);
    ck_assert_double_lt(errors.l2, 1e-12);
    ck_assert_double_lt(errors.h1, 1e-11);
}

/* A jump of kappa between halves of one direction would do as well; in octants the flux of the
 * sines over kappa is continuous. */
LOOP_TEST(published_errors, 4)
{
    const struct cgs_problem smooth = named("smooth");
    static const struct {
        int64_t n;
        enum cgs_quadrature rule;
        double l2, h1, nodal_l2, max; /* 0: not published */
    } published[] = {
        {15, CGS_GAUSS, 2.4152e-03, 1.5077e-01, 1.8173e-03, 0.0},
        {31, CGS_GAUSS, 6.0540e-04, 7.5238e-02, 4.5336e-04, 1.5397e-03},
        {15, CGS_BLENDED, 0.0, 0.0, 2.6402e-04, 0.0},
        {31, CGS_BLENDED, 0.0, 0.0, 6.6187e-05, 0.0},
    };
    const struct cgs_mesh mesh =
        general(published[_i].n, published[_i].rule, 0.1, CGS_KAPPA_ONE, 1.0);
    const struct cgs_errors errors = textbook_errors(&smooth, &mesh, 1e-11);
    ck_digits(errors.nodal_l2, published[_i].nodal_l2, 2e-5);
    if (published[_i].l2 > 0.0) {
        ck_digits(errors.l2, published[_i].l2, 2e-5);
        ck_digits(errors.h1, published[_i].h1, 2e-5);
    }
    if (published[_i].max > 0.0)
        ck_digits(errors.max, published[_i].max, 4e-5);
}

LOOP_TEST(orders_of_convergence, 9)
{
    static const struct {
        const char *problem;
        double deform;
        enum cgs_kappa_kind kind;
        double ratio;
    } cases[] = {
        {"smooth", 0.1, CGS_KAPPA_ONE, 1.0},      {"smooth", 0.0, CGS_KAPPA_SMOOTH, 1.0},
        {"smooth", 0.1, CGS_KAPPA_SMOOTH, 1.0},   {"boundary", 0.0, CGS_KAPPA_ONE, 1.0},
        {"boundary", 0.1, CGS_KAPPA_ONE, 1.0},    {"boundary", 0.0, CGS_KAPPA_SMOOTH, 1.0},
        {"boundary", 0.1, CGS_KAPPA_SMOOTH, 1.0}, {"octants", 0.0, CGS_KAPPA_JUMP, 1000.0},
        {"octants", 0.0, CGS_KAPPA_JUMP, 0.01},
    };
    const struct cgs_problem problem = named(cases[_i].problem);
    struct cgs_errors errors[2];
    for (int fine = 0; fine < 2; fine++) {
        const struct cgs_mesh mesh =
            general(fine ? 31 : 15, CGS_GAUSS, cases[_i].deform, cases[_i].kind, cases[_i].ratio);
        ck_assert_int_eq(cgs_problem_known(&problem, &mesh), CGS_KNOWN_EVERYWHERE);
        errors[fine] = textbook_errors(&problem, &mesh, 1e-11);
    }
    ck_assert_double_eq_tol(log2(errors[0].l2 / errors[1].l2), 2.0, 0.05);
    ck_assert_double_eq_tol(log2(errors[0].nodal_l2 / errors[1].nodal_l2), 2.0, 0.1);
    ck_assert_double_eq_tol(log2(errors[0].h1 / errors[1].h1), 1.0,
                            cases[_i].kind == CGS_KAPPA_JUMP ? 0.06 : 0.03);
}

TEST(solutions_are_known_where_they_are)
{
    static const struct {
        const char *problem;
        double deform;
        enum cgs_kappa_kind kind;
        enum cgs_known known;
    } cases[] = {
        {"smooth", 0.1, CGS_KAPPA_SMOOTH, CGS_KNOWN_EVERYWHERE},
        {"smooth", 0.0, CGS_KAPPA_JUMP, CGS_KNOWN_NOWHERE},
        {"random", 0.1, CGS_KAPPA_JUMP, CGS_KNOWN_AT_NODES},
        {"octants", 0.0, CGS_KAPPA_JUMP, CGS_KNOWN_EVERYWHERE},
        {"octants", 0.1, CGS_KAPPA_JUMP, CGS_KNOWN_NOWHERE},
        {"octants", 0.1, CGS_KAPPA_SMOOTH, CGS_KNOWN_EVERYWHERE},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct cgs_problem problem = named(cases[c].problem);
        const struct cgs_mesh mesh = general(7, CGS_GAUSS, cases[c].deform, cases[c].kind, 2.0);
        ck_assert_int_eq(cgs_problem_known(&problem, &mesh), cases[c].known);
    }
}

/* An even n: the jump runs through cells. u at the nodes is that of their own octant, and nothing
 * is said of what is between them. */
TEST(a_jump_through_cells_is_known_at_nodes)
{
    const struct cgs_problem octants = named("octants");
    const struct cgs_mesh mesh = general(6, CGS_GAUSS, 0.0, CGS_KAPPA_JUMP, 4.0);
    double *u = solution(&octants, &mesh);
    for (int i = 0; i < 216; i++) {
        const int at[3] = {i % 6 + 1, i / 6 % 6 + 1, i / 36 + 1};
        double value = 1.0;
        int upper = 0;
        for (int k = 0; k < 3; k++) {
            value *= sin(2 * M_PI * at[k] / 7.0);
            upper += at[k] > 3;
        }
        ck_assert_double_eq_tol(u[i], upper % 2 == 1 ? value / 4.0 : value, 1e-14);
    }
    ck_assert_int_eq(cgs_problem_known(&octants, &mesh), CGS_KNOWN_AT_NODES);
    u[7] += 0.5;
    const struct cgs_errors errors = measure(&octants, &mesh, u, 2);
    ck_assert(!errors.integral && errors.l2 == 0.0 && errors.h1 == 0.0 && errors.energy == 0.0);
    ck_assert_double_eq_tol(errors.max, 0.5, 1e-14);
    free(u);
}

int main(void)
{
    return run_tests("orders on general meshes", 300, NULL, NULL);
}
