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
#include "solver/cg.h"
#include "src/hierarchy.h"
#include "tests/asked.h"

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
    g->mesh = cgs_mesh_cube(o->n, (enum cgs_quadrature)o->quadrature, 1.0);
    g->mesh.deform = o->deform;
    g->mesh.kappa = o->kappa;
    well(g, cgs_assembler_create(own, &g->mesh, cgs_gather_of(&g->mesh), &g->source));
    well(g, cgs_matrix_create(own, &g->source, (enum cgs_format)o->format,
                              cgs_options_chunk(o), cgs_options_sigma(o), &g->matrix));
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
    "--format=none --N=15 --precond=mg --coarse=galerkin",
    "--format=sell --N=16 --kappa=jump:1000 --precond=mg --coarse=galerkin",
    "--format=sellc --N=13 --deform=0.1 --precond=mg --coarse=galerkin",
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
        void *in = bed_vector(space, x[k]), *out = bed_vector(space, NULL);
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
    void *in = bed_vector(space, ones), *out = bed_vector(space, ones);
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
        {"--format=none --N=31 --precond=mg --coarse=galerkin", 10},
        {"--format=sell --N=24 --deform=0.1 --precond=mg --coarse=galerkin", 14},
        {"--format=none --N=24 --kappa=jump:1000 --precond=mg --coarse=galerkin", 25},
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

int main(void)
{
    Suite *suite = suite_create("multigrid");
    TCase *cycle = bed_case(suite, "cycle", 120);
    tcase_add_test(cycle, a_cycle_is_symmetric_and_positive);
    tcase_add_test(cycle, a_cycle_stops_with_the_state);
    tcase_add_test(cycle, iterations_are_few);
    tcase_add_test(cycle, iterations_do_not_grow);
    tcase_add_test(cycle, grids_halve);
    return bed_run(suite);
}
