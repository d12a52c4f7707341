/* Multigrid and the polynomials it smooths by, on the device under test: these are the polynomials
 * of the literature; M is symmetric and positive definite, so that CG stays CG; the coarsest grid
 * is solved exactly; iterations are few, odd or even, and do not grow. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "fem/problem.h"
#include "matrix/dense.h"
#include "solver/cg.h"
#include "solver/smoother.h"
#include "src/hierarchy.h"
#include "tests/asked.h"
#include "tests/solve.h"

/* ---- a hierarchy as the program makes it ---- */

struct grids {
    struct asked asked;
    struct cgs_mesh mesh;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_operator op, cycle;
    struct cgs_hierarchy hierarchy;
};

#define well(g, call) ck_assert_msg((call) == CGS_OK, "%s: %s", #call, (g)->asked.context.message)

static void set_up(struct grids *g, const char *words, enum cgs_number number)
{
    ask(&g->asked, words);
    struct cgs_context *own = &g->asked.context;
    const struct cgs_options *o = &g->asked.options;
    const struct cgs_machine *m = &g->asked.machine;
    const bool chunked = cgs_format_chunked((enum cgs_format)o->format);
    g->mesh = cgs_mesh_cube(o->n, (enum cgs_quadrature)o->quadrature, 1.0);
    g->mesh.deform = o->deform;
    g->mesh.kappa = o->kappa;
    well(g, cgs_assembler_create(own, &g->mesh, cgs_gather_of(&g->mesh), &g->source));
    well(g, cgs_matrix_create(own, &g->source, (enum cgs_format)o->format,
                              chunked ? (int32_t)o->chunk : 1, 1, &g->matrix));
    well(g, cgs_operator_create(m->queue, m->backend, m->kernel, CGS_PRECISION_F64, &g->matrix,
                                &g->op));
    well(g, cgs_hierarchy_create(own, o, m, &g->mesh, &g->op, number, &g->hierarchy));
    g->cycle = cgs_multigrid_operator(g->hierarchy.multigrid);
}

static void take_down(struct grids *g)
{
    struct cgs_context *own = &g->asked.context;
    cgs_hierarchy_release(own, &g->hierarchy);
    cgs_operator_release(&g->op);
    cgs_matrix_release(own, &g->matrix);
    cgs_assembler_release(own, &g->source);
    dismiss(&g->asked);
}

static void *vector_of(const struct cgs_space *space, const double *numbers)
{
    void *vector;
    ck_assert_int_eq(space->ops->alloc(space, "vector", &vector), CGS_OK);
    if (numbers)
        ck_assert_int_eq(space->ops->put(space, numbers, 0, space->size, vector), CGS_OK);
    return vector;
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* ---- M ---- */

static const char *const cases[] = {
    "--format=none --N=6",
    "--format=none --N=13 --deform=0.1",
    "--format=none --N=16",
    "--format=none --N=15 --kappa=jump:1000",
    "--format=none --N=12 --kappa=smooth --quadrature=blended",
    "--format=sell --N=11",
    "--format=crs --N=14 --deform=0.05",
    "--format=sellc --N=9 --kappa=smooth",
    "--format=sell --N=3",
    "--format=none --N=1",
};

/* x'M y = y'M x and x'M x > 0 for random x, y, to the rounding of the cycle's numbers. */
static void check_symmetry(const char *words, enum cgs_number number)
{
    struct grids g;
    set_up(&g, words, number);
    const struct cgs_space *space = &g.op.domain;
    const int64_t n = space->size;
    const double eps = number == CGS_F64 ? 0x1p-53 : 0x1p-24;
    double *x[2], *mx[2];
    for (int k = 0; k < 2; k++) {
        x[k] = must_have((size_t)n * sizeof(double));
        mx[k] = must_have((size_t)n * sizeof(double));
        for (int64_t i = 0; i < n; i++)
            x[k][i] = cgs_random((uint64_t)(i + k * n));
        void *in = vector_of(space, x[k]), *out = vector_of(space, NULL);
        well(&g, cgs_operator_apply(&g.cycle, g.asked.machine.queue, NULL, in, out));
        well(&g, space->ops->get(space, out, 0, n, mx[k]));
        space->ops->free(space, out);
        space->ops->free(space, in);
    }
    const double energy = dot(n, x[0], mx[0]), other = dot(n, x[1], mx[1]);
    const double apart = fabs(dot(n, x[0], mx[1]) - dot(n, x[1], mx[0]));
    printf("%s: x'Mx %.3e, |x'My - y'Mx| %.1e of it\n", words, energy, apart / energy);
    ck_assert_double_gt(energy, 0.0);
    ck_assert_double_gt(other, 0.0);
    ck_assert_double_le(apart, 200.0 * eps * sqrt(energy * other));
    for (int k = 0; k < 2; k++) {
        free(x[k]);
        free(mx[k]);
    }
    take_down(&g);
}

START_TEST(a_cycle_is_symmetric_and_positive)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_symmetry(cases[i], CGS_F64);
        check_symmetry(cases[i], CGS_F32);
    }
}
END_TEST

/* Once there is a reason to stop, a cycle changes nothing. */
START_TEST(a_cycle_stops_with_the_state)
{
    struct grids g;
    set_up(&g, "--format=none --N=17", CGS_F32);
    const struct cgs_space *space = &g.op.domain;
    const int64_t n = space->size;
    double *ones = must_have((size_t)n * sizeof(double)),
           *got = must_have((size_t)n * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        ones[i] = 1.0;
    void *in = vector_of(space, ones), *out = vector_of(space, ones);
    const struct cgs_cg_state stopped = {.max_iterations = 1, .reason = CGS_CONVERGED};
    struct cgs_cg_state *state;
    well(&g, space->ops->state_create(space, &stopped, &state));
    well(&g, cgs_operator_apply(&g.cycle, g.asked.machine.queue, state, in, out));
    well(&g, space->ops->get(space, out, 0, n, got));
    for (int64_t i = 0; i < n; i++)
        hold(got[i] == 1.0);
    space->ops->state_free(space, state);
    space->ops->free(space, out);
    space->ops->free(space, in);
    free(ones);
    free(got);
    take_down(&g);
}
END_TEST

/* ---- iterations ---- */

/* Of CG with the cycle to 1e-8, from zero, on the load of the smooth problem. */
static int64_t iterations(const char *words, enum cgs_number number)
{
    struct grids g;
    struct cgs_cg *cg;
    struct cgs_cg_result result;
    set_up(&g, words, number);
    const struct cgs_space *space = &g.op.domain;
    const struct cgs_cg_settings settings = {.tolerance = 1e-8, .max_iterations = 100};
    double *b = must_have((size_t)space->size * sizeof(double));
    well(&g, cgs_problem_load(&g.asked.context, cgs_problem_find("smooth"), &g.mesh, 0, space->size,
                              b));
    well(&g, cgs_cg_create(g.asked.machine.queue, &g.op, &g.cycle, &settings, &cg));
    well(&g, space->ops->put(space, b, 0, space->size, cgs_cg_rhs(cg)));
    well(&g, cgs_cg_solve(cg, &result));
    ck_assert_int_eq(result.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_double_le(result.true_relative_residual, 2e-8);
    printf("%s, cycle in %s: %lld iterations\n", words, number == CGS_F64 ? "double" : "single",
           (long long)result.iterations);
    cgs_cg_release(cg);
    free(b);
    take_down(&g);
    return result.iterations;
}

START_TEST(iterations_are_few)
{
    static const struct {
        const char *words;
        int most;
    } rows[] = {
        {"--format=none --N=7", 10},
        {"--format=none --N=20", 10},
        {"--format=none --N=31", 10},
        {"--format=sell --N=31", 10},
        {"--format=none --N=31 --quadrature=blended", 10},
        {"--format=none --N=24 --deform=0.1", 14},
        {"--format=none --N=23 --deform=0.1", 14},
        {"--format=none --N=24 --kappa=smooth", 12},
        {"--format=none --N=23 --kappa=jump:1000", 25},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t twice = iterations(rows[i].words, CGS_F64);
        const int64_t once = iterations(rows[i].words, CGS_F32);
        ck_assert_int_le(twice, rows[i].most);
        ck_assert_int_le(once, rows[i].most);
        ck_assert_int_le(llabs(once - twice), 1);
    }
}
END_TEST

START_TEST(iterations_do_not_grow)
{
    const int64_t odd = iterations("--format=none --N=15", CGS_F32);
    const int64_t even = iterations("--format=none --N=16", CGS_F32);
    ck_assert_int_le(iterations("--format=none --N=63", CGS_F32), odd + 1);
    ck_assert_int_le(iterations("--format=none --N=64", CGS_F32), even + 1);
}
END_TEST

START_TEST(grids_halve)
{
    int64_t sizes[CGS_GRIDS];
    ck_assert_int_eq(cgs_coarser(127), 63);
    ck_assert_int_eq(cgs_coarser(128), 64);
    ck_assert_int_eq(cgs_coarser(100), 50);
    ck_assert_int_eq(cgs_coarser(2), 1);
    for (int64_t n = 1; n <= 3000; n++) {
        const int count = cgs_hierarchy_sizes(CGS_HOST, n, sizes);
        hold(count >= 1 && count <= CGS_GRIDS && sizes[0] == n && sizes[count - 1] <= 5);
        for (int l = 1; l < count; l++)
            hold(sizes[l] < sizes[l - 1] && 2 * (sizes[l - 1] + 1) <= 5 * (sizes[l] + 1));
    }
}
END_TEST

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
    double ones[POINTS];
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
    void *x[2] = {vector_of(space, from_zero ? NULL : ones), vector_of(space, NULL)};
    void *b = vector_of(space, from_zero ? lambda : NULL);
    smoother.product = vector_of(space, NULL);
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

START_TEST(polynomials_are_chebyshev_s)
{
    const double high = 1.7, low = 0.2;
    double lambda[POINTS], value[POINTS];
    for (int i = 0; i < POINTS; i++)
        lambda[i] = high * (i + 1) / POINTS;
    for (int degree = 1; degree <= 7; degree++)
        for (int from_zero = 0; from_zero < 2; from_zero++) {
            polynomial_at(CGS_SMOOTH, degree, 0.0, high, from_zero, lambda, value);
            for (int i = 0; i < POINTS; i++)
                hold(fabs(value[i] - fourth_kind(degree, high, lambda[i])) <= 1e-13);
            polynomial_at(CGS_SOLVE, degree, low, high, from_zero, lambda, value);
            for (int i = 0; i < POINTS; i++)
                hold(fabs(value[i] - first_kind(degree, low, high, lambda[i])) <= 1e-13);
        }
}
END_TEST

/* The estimated bound lies above the largest eigenvalue, here known, and not far. */
START_TEST(bounds_hold)
{
    double a[POINTS * POINTS] = {0.0}, high;
    struct cgs_operator op, jacobi;
    struct cgs_matrix matrix;
    const struct cgs_kernel_entry *entry;
    const struct dense dense = {POINTS, a};
    for (int i = 0; i < POINTS; i++) { /* tridiag(-1, 2, -1): D^-1 A has 1 + cos(pi / (n + 1)) */
        a[i * POINTS + i] = 2.0;
        if (i > 0)
            a[i * POINTS + i - 1] = a[(i - 1) * POINTS + i] = -1.0;
    }
    const struct cgs_row_source source = dense_source(&dense);
    must(cgs_kernel_find(&bed.context, "auto", CHECK_DEVICE, CGS_CRS, &entry));
    must(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix));
    must(cgs_operator_create(bed.queue, bed.backend, entry->tables[CGS_PRECISION_F64],
                             CGS_PRECISION_F64, &matrix, &op));
    must(cgs_jacobi_create(bed.queue, &op, &source, &jacobi));
    must(cgs_eigenvalue_bound(bed.queue, &op, &jacobi, 10, 1.1, &high));
    printf("bound %.4f of %.4f\n", high, 1.0 + cos(acos(-1.0) / (POINTS + 1)));
    ck_assert_double_ge(high, 1.0 + cos(acos(-1.0) / (POINTS + 1)));
    ck_assert_double_le(high, 1.1 * 2.0);
    cgs_operator_release(&jacobi);
    cgs_operator_release(&op);
    cgs_matrix_release(&bed.context, &matrix);
}
END_TEST

/* ---- the coarsest grid ---- */

START_TEST(a_dense_inverse_is_one)
{
    for (int n = 1; n <= 5; n += 2) {
        const struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
        const int rows = n * n * n;
        struct plain *q1 = plain_q1(n);
        struct cgs_row_source source;
        double *inverse = must_have((size_t)(rows * rows) * sizeof(double));
        must(cgs_assembler_create(&bed.context, &mesh, CGS_GATHER_SHARED, &source));
        must(cgs_dense_inverse(&bed.context, &source, inverse));
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) {
                double sum = 0.0;
                for (int64_t k = q1->start[i]; k < q1->start[i + 1]; k++)
                    sum += q1->value[k] * inverse[(int64_t)q1->column[k] * rows + j];
                hold(fabs(sum - (i == j)) <= 1e-13);
                hold(inverse[i * rows + j] == inverse[j * rows + i]);
            }
        cgs_assembler_release(&bed.context, &source);
        free(inverse);
        plain_free(q1);
    }
}
END_TEST

START_TEST(an_indefinite_coarsest_grid_is_named)
{
    const double a[] = {1, 2, 0, 2, 1, 0, 0, 0, 1};
    const struct dense dense = {3, a};
    const struct cgs_row_source source = dense_source(&dense);
    double inverse[9];
    ck_assert_int_eq(cgs_dense_inverse(&bed.context, &source, inverse), CGS_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "row 2"));
    bed_forgive();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("multigrid");
    TCase *cycle = bed_case(suite, "cycle", 120);
    tcase_add_test(cycle, a_cycle_is_symmetric_and_positive);
    tcase_add_test(cycle, a_cycle_stops_with_the_state);
    tcase_add_test(cycle, iterations_are_few);
    tcase_add_test(cycle, iterations_do_not_grow);
    tcase_add_test(cycle, grids_halve);
    TCase *parts = bed_case(suite, "parts", 60);
    tcase_add_test(parts, polynomials_are_chebyshev_s);
    tcase_add_test(parts, bounds_hold);
    tcase_add_test(parts, a_dense_inverse_is_one);
    tcase_add_test(parts, an_indefinite_coarsest_grid_is_named);
    return bed_run(suite);
}
