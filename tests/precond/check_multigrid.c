/* Multigrid and the polynomials it smooths by, on the device under test: these are the polynomials
 * of the literature; M is symmetric and positive definite, so that CG stays CG; the coarsest grid
 * is solved exactly; iterations are few, odd or even, and do not grow. */
#include <stdlib.h>

#include "fem/problem.h"
#include "src/precond/hierarchy.h"
#include "tests/support/cycle.h"

/* ---- a hierarchy as the program makes it ---- */

struct grids {
    struct cycled c;
    struct cgs_hierarchy hierarchy;
};

static void set_up(struct grids *g, const char *words, enum cgs_number number)
{
    struct cycled *c = &g->c;
    cycled_set_up(c, words, NULL);
    const struct cgs_spec spec = cgs_spec_asked(&c->asked.options, &c->asked.machine, NULL);
    well(c, cgs_hierarchy_create(&c->asked.context, &spec, &c->asked.machine, &c->mesh, &c->op,
                                 number, &g->hierarchy));
    c->cycle = cgs_multigrid_operator(g->hierarchy.multigrid);
}

static void take_down(struct grids *g)
{
    cgs_hierarchy_release(&g->c.asked.context, &g->hierarchy);
    cycled_take_down(&g->c);
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

static void check_symmetry(const char *words, enum cgs_number number)
{
    struct grids g;
    set_up(&g, words, number);
    cycled_check_symmetry(&g.c, words, 200.0 * (number == CGS_F64 ? 0x1p-53 : 0x1p-24));
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
    const struct cgs_space *space = &g.c.op.domain;
    const int64_t n = space->size;
    double *ones = must_have((size_t)n * sizeof(double)),
           *got = must_have((size_t)n * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        ones[i] = 1.0;
    void *in = bed_vector(space, ones), *out = bed_vector(space, ones);
    const struct cgs_cg_state stopped = {.max_iterations = 1, .reason = CGS_CONVERGED};
    struct cgs_cg_state *state;
    well(&g.c, space->ops->state_create(space, &stopped, &state));
    well(&g.c, cgs_operator_apply(&g.c.cycle, g.c.asked.machine.queue, state, in, out));
    well(&g.c, space->ops->get(space, out, 0, n, got));
    for (int64_t i = 0; i < n; i++)
        ck_assert(got[i] == 1.0);
    space->ops->state_free(space, state);
    space->ops->free(space, out);
    space->ops->free(space, in);
    free(ones);
    free(got);
    take_down(&g);
}
END_TEST

/* ---- iterations ---- */

/* On the load of the smooth problem. */
static int64_t iterations(const char *words, enum cgs_number number)
{
    struct grids g;
    set_up(&g, words, number);
    const int64_t n = g.c.op.domain.size;
    double *b = must_have((size_t)n * sizeof(double));
    well(&g.c,
         cgs_problem_load(&g.c.asked.context, cgs_problem_find("smooth"), &g.c.mesh, 0, n, b));
    const int64_t count = cycled_iterations(&g.c, words, b, 100);
    free(b);
    take_down(&g);
    return count;
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
        if (CHECK_EMULATED && strstr(rows[i].words, "--N=23") == NULL)
            continue;
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
        ck_assert(count >= 1 && count <= CGS_GRIDS && sizes[0] == n && sizes[count - 1] <= 5);
        for (int l = 1; l < count; l++)
            ck_assert(sizes[l] < sizes[l - 1] && 2 * (sizes[l - 1] + 1) <= 5 * (sizes[l] + 1));
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
