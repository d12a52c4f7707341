/* Multigrid and the polynomials it smooths by, on the device under test: these are the polynomials
 * of the literature; M is symmetric and positive definite, so that CG stays CG; the coarsest grid
 * is solved exactly; iterations are few, odd or even, and do not grow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/precond/hierarchy.h"
#include "fem/element/order_line.h"
#include "fem/load.h"
#include "fem/problem.h"
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
    const struct cgs_spec spec =
        cgs_spec_asked(&c->asked.options.settings, &c->asked.machine, NULL);
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
    "--format=none --cells=20x14x9 --size=1x10x1",
    "--format=none --cells=14x9x20 --size=100x1x10 --kappa=jump:1000",
    "--format=sell --cells=9x12x15 --size=1x100x100",
    "--format=crs --cells=12x11x10 --size=1x1x0.1 --kappa=smooth --quadrature=blended",
    "--format=none --order=3 --cells=4x3x5 --size=1x2x0.5 --precond=mg",
    "--format=crs --order=8 --cells=2 --precond=mg",
    "--format=none --order=8 --N=7 --precond=mg",
    "--format=none --order=4 --cells=3x4x3 --grade=x:3,z:0.5 --source=1 --precond=mg",
    "--format=crs --order=3 --cells=4x3x3 --source=1 --reaction=5 --face=x0:h=2\ny1:periodic "
    "--precond=mg",
    "--format=sellc --cells=2x30x11 --precond=mg --coarse=galerkin",
    "--format=none --cells=9x20x14 --size=100x1x10 --precond=mg --coarse=galerkin",
};

static void check_symmetry(const char *words, enum cgs_number number)
{
    struct grids g;
    set_up(&g, words, number);
    cycled_check_symmetry(&g.c, words, 200.0 * (number == CGS_F64 ? 0x1p-53 : 0x1p-24));
    take_down(&g);
}

TEST(a_cycle_is_symmetric_and_positive)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_symmetry(cases[i], CGS_F64);
        check_symmetry(cases[i], CGS_F32);
    }
}

/* Once there is a reason to stop, a cycle changes nothing. */
TEST(a_cycle_stops_with_the_state)
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

/* ---- iterations ---- */

/* On the load of the problem. */
static int64_t iterations(const char *words, enum cgs_number number)
{
    struct grids g;
    set_up(&g, words, number);
    const int64_t n = g.c.op.domain.size;
    double *b = must_have((size_t)n * sizeof(double));
    well(&g.c, cgs_problem_load(&g.c.asked.context, g.c.asked.options.settings.problem, &g.c.mesh,
                                0, n, b));
    const int64_t count = cycled_iterations(&g.c, words, b, 100);
    free(b);
    take_down(&g);
    return count;
}

TEST(iterations_are_few)
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
        if (CHECK_SMALL && strstr(rows[i].words, "--N=23") == NULL)
            continue;
        const int64_t twice = iterations(rows[i].words, CGS_F64);
        const int64_t once = iterations(rows[i].words, CGS_F32);
        ck_assert_int_le(twice, rows[i].most);
        ck_assert_int_le(once, rows[i].most);
        ck_assert_int_le(llabs(once - twice), 1);
    }
}

/* Grids of lower orders below the finest one: as many iterations whatever the order. */
TEST(orders_cost_no_iterations)
{
    for (int p = 2; p <= CGS_ORDER_MOST; p++) {
        const int cells = CHECK_SMALL ? 9 / p + 1 : p > 4 ? 4 : 24 / p;
        char words[96];
        snprintf(words, sizeof words, "--order=%d --cells=%d --precond=mg", p, cells);
        const int64_t twice = iterations(words, CGS_F64), once = iterations(words, CGS_F32);
        ck_assert_int_le(twice, 8);
        ck_assert_int_le(llabs(once - twice), 1);
        if (CHECK_DEVICE != CGS_CPU) /* nothing but the plain box */
            continue;
        snprintf(words, sizeof words, "--order=%d --cells=%d --precond=mg --deform=0.1%s", p, cells,
                 p % 2 ? " --quadrature=gauss" : "");
        ck_assert_int_le(iterations(words, CGS_F64), 10);
    }
}

/* Each kind of face; nothing but the transfer, at one face, or the reaction holds u. */
TEST(faces_of_orders_cost_no_iterations)
{
    static const char *const rows[] = {
        "--source=sin(2*pi*x)*cos(y)+z --face=x0:periodic\nz1:h=2\nelse:flux=0",
        "--exact=sin(2*x+y)*exp(z) --face=z0:value\ny0:value\nelse:flux",
        "--source=x*y*z --reaction=0.1 --face=else:flux=0",
    };
    for (int p = 2; p <= CGS_ORDER_MOST; p += CHECK_SMALL ? 3 : 1) {
        const char *const row = rows[p / 3 % 3];
        char words[160];
        snprintf(words, sizeof words, "--order=%d --cells=%d --precond=mg %s", p,
                 CHECK_SMALL ? 3
                 : p > 4     ? 4
                             : 24 / p,
                 row);
        const int64_t twice = iterations(words, CGS_F64), once = iterations(words, CGS_F32);
        ck_assert_int_le(twice, 9);
        ck_assert_int_le(llabs(once - twice), 1);
    }
}

/* The last cell is ten times as long as the first one; coarser grids of equal cells take up
 * to 20 iterations. */
TEST(graded_orders_take_graded_grids)
{
    for (int p = 2; p <= CGS_ORDER_MOST; p += CHECK_SMALL ? 2 : 1) {
        char words[96];
        snprintf(words, sizeof words, "--order=%d --cells=%d --precond=mg --source=1 --grade=x:10",
                 p,
                 CHECK_SMALL ? 3
                 : p > 4     ? 4
                             : 24 / p);
        ck_assert_int_le(iterations(words, CGS_F32), 13);
    }
}

/* Below order 2 the numbers of cells are those of a problem of order 1. */
TEST(numbers_of_cells_are_those_of_order_1)
{
    static const char *const rows[] = {
        "--cells=8x6x7 --source=1 --grade=x:3,z:0.5 --reaction=7 "
        "--face=x0:h=3\ny1:flux\nz0:periodic",
        "--cells=8x6x7 --source=1 --face=x1:h=3\ny0:h=2\ny1:h=1 --size=1x2x3",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[160];
        struct grids g;
        snprintf(words, sizeof words, "--format=crs --precond=mg --order=1 %s", rows[i]);
        set_up(&g, words, CGS_F64);
        const struct cgs_mesh one = g.c.mesh;
        const int64_t count = cgs_mesh_numbers(&one) * cgs_mesh_all_cells(&one);
        double *numbers = must_have((size_t)count * sizeof *numbers);
        memcpy(numbers, one.kappa.cells, (size_t)count * sizeof *numbers);
        take_down(&g);
        snprintf(words, sizeof words, "--format=crs --precond=mg --order=2 %s", rows[i]);
        set_up(&g, words, CGS_F64);
        const struct cgs_mesh *low = &g.hierarchy.level[1].mesh;
        ck_assert_int_eq(low->order, 1);
        ck_assert_int_eq(cgs_mesh_numbers(low), cgs_mesh_numbers(&one));
        ck_assert_mem_eq(low->n, one.n, sizeof one.n);
        ck_assert_mem_eq(low->open, one.open, sizeof one.open);
        for (int64_t k = 0; k < count; k++)
            ck_assert_double_eq_tol(low->kappa.cells[k], numbers[k],
                                    1e-300 + 1e-12 * fabs(numbers[k]));
        take_down(&g);
        free(numbers);
    }
}

/* Bounds of eigenvalues are those of a cell of a line. */
TEST(orders_halve_before_the_cells)
{
    struct grids g;
    struct cgs_order_line line;
    if (CHECK_DEVICE != CGS_CPU) /* more rows on the coarsest grid */
        return;
    set_up(&g, "--order=7 --cells=8x6x5 --precond=mg", CGS_F32);
    static const int orders[] = {7, 4, 2, 1, 1};
    ck_assert_int_eq(g.hierarchy.count, sizeof orders / sizeof *orders);
    for (int l = 0; l < g.hierarchy.count; l++)
        ck_assert_int_eq(g.hierarchy.level[l].mesh.order, orders[l]);
    ck_assert_int_eq(g.hierarchy.level[2].mesh.n[1], 2 * 6 - 1);
    for (int l = 0; l < 3; l++) { /* powers of D^-1 K of a cell */
        const struct cgs_mesh *mesh = &g.hierarchy.level[l].mesh;
        const int p = mesh->order;
        double x[CGS_NODES_MOST], y[CGS_NODES_MOST], most = 0.0;
        cgs_order_line_make(mesh, 0, &line);
        for (int a = 0; a <= p; a++)
            x[a] = a % 2 ? -1.0 - 0.1 * a : 1.0;
        for (int step = 0; step < 200; step++) {
            most = 0.0;
            for (int a = 0; a <= p; a++) {
                y[a] = 0.0;
                for (int b = 0; b <= p; b++)
                    y[a] += line.stiff[a * CGS_NODES_MOST + b] * x[b];
                y[a] /= line.stiff[a * CGS_NODES_MOST + a];
                most = fmax(most, fabs(y[a]));
            }
            for (int a = 0; a <= p; a++)
                x[a] = y[a] / most;
        }
        double top = 0.0, below = 0.0; /* Rayleigh's quotient */
        for (int a = 0; a <= p; a++) {
            below += line.stiff[a * CGS_NODES_MOST + a] * x[a] * x[a];
            for (int b = 0; b <= p; b++)
                top += x[a] * line.stiff[a * CGS_NODES_MOST + b] * x[b];
        }
        ck_assert_double_ge(g.hierarchy.level[l].high, top / below);
        ck_assert_double_le(g.hierarchy.level[l].high, top / below + 2e-6);
    }
    take_down(&g);
}

TEST(iterations_do_not_grow)
{
    const int64_t odd = iterations("--format=none --N=15", CGS_F32);
    const int64_t even = iterations("--format=none --N=16", CGS_F32);
    ck_assert_int_le(iterations("--format=none --N=63", CGS_F32), odd + 1);
    ck_assert_int_le(iterations("--format=none --N=64", CGS_F32), even + 1);
}

static int64_t halved(int64_t n)
{
    const struct cgs_mesh cube = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    const struct cgs_mesh next = cgs_coarser(&cube);
    ck_assert(cgs_mesh_cubic(&next) && next.h[0] == 1.0 / (double)(next.n[0] + 1));
    return next.n[0];
}

TEST(grids_halve)
{
    struct cgs_mesh grids[CGS_GRIDS];
    ck_assert_int_eq(halved(127), 63);
    ck_assert_int_eq(halved(128), 64);
    ck_assert_int_eq(halved(100), 50);
    ck_assert_int_eq(halved(2), 1);
    for (int64_t n = 1; n <= 3000; n++) {
        const struct cgs_mesh cube = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
        const int count = cgs_hierarchy_sizes(CGS_HOST, &cube, grids);
        ck_assert(count >= 1 && count <= CGS_GRIDS && grids[0].n[0] == n &&
                  grids[count - 1].n[0] <= 5);
        for (int l = 1; l < count; l++) {
            ck_assert(cgs_mesh_cubic(&grids[l]));
            ck_assert(grids[l].n[0] < grids[l - 1].n[0] &&
                      2 * (grids[l - 1].n[0] + 1) <= 5 * (grids[l].n[0] + 1));
        }
    }
}

/* ---- boxes ---- */

static struct cgs_mesh box(int64_t x, int64_t y, int64_t z, double lx, double ly, double lz)
{
    return cgs_mesh_box((const int64_t[3]){x, y, z}, (const double[3]){lx, ly, lz}, CGS_GAUSS, 1.0);
}

static void check_coarser(const struct cgs_mesh *mesh, int64_t x, int64_t y, int64_t z)
{
    const int64_t n[3] = {x, y, z};
    const struct cgs_mesh next = cgs_coarser(mesh);
    for (int k = 0; k < 3; k++) {
        ck_assert_int_eq(next.n[k], n[k]);
        ck_assert(next.size[k] == mesh->size[k]);
        ck_assert(next.h[k] == mesh->size[k] / (double)(n[k] + 1));
    }
}

/* Directions of the shortest cells are halved, and those of cells up to sqrt 2 times as long. */
TEST(long_cells_wait)
{
    struct cgs_mesh mesh = box(31, 31, 31, 1, 10, 1);
    check_coarser(&mesh, 15, 31, 15);
    mesh = box(31, 31, 31, 1, 10, 100);
    check_coarser(&mesh, 15, 31, 31);
    mesh = box(31, 31, 31, 1, 1.4, 1.42);
    check_coarser(&mesh, 15, 15, 31);
    mesh = box(19, 35, 49, 1, 2, 0.5); /* h = 0.05, 0.0556, 0.01 */
    check_coarser(&mesh, 19, 35, 24);
    mesh = box(31, 15, 7, 4, 2, 1); /* cubes */
    check_coarser(&mesh, 15, 7, 3);
    mesh = box(1, 31, 31, 0.01, 1, 1); /* of one unknown there is nothing to halve */
    check_coarser(&mesh, 1, 15, 15);
    mesh = box(1, 1, 31, 1, 1, 1);
    check_coarser(&mesh, 1, 1, 15);
}

/* All of them end at a grid that is small, and cells become cubes on the way if there are enough
 * of them. */
TEST(grids_of_boxes_end)
{
    static const int64_t sizes[] = {1, 2, 3, 17, 100, 1000, 10000};
    static const double lengths[] = {1e-5, 0.01, 1, 30, 1e5};
    enum { N = sizeof sizes / sizeof *sizes, L = sizeof lengths / sizeof *lengths };
    struct cgs_mesh grids[CGS_GRIDS];
    for (int i = 0; i < N * N * N; i++)
        for (int j = 0; j < L * L; j++) {
            const struct cgs_mesh mesh = box(sizes[i % N], sizes[i / N % N], sizes[i / (N * N)],
                                             lengths[j % L], 1, lengths[j / L]);
            const int count = cgs_hierarchy_sizes(CGS_HOST, &mesh, grids);
            ck_assert_msg(count >= 1 && count <= CGS_GRIDS &&
                              cgs_mesh_rows(&grids[count - 1]) <= 125,
                          "%d grids, the last of %lld rows", count,
                          (long long)cgs_mesh_rows(&grids[count - 1]));
            for (int l = 1; l < count; l++) {
                ck_assert(cgs_mesh_rows(&grids[l]) < cgs_mesh_rows(&grids[l - 1]));
                for (int k = 0; k < 3; k++)
                    ck_assert(grids[l].n[k] == grids[l - 1].n[k] ||
                              grids[l].n[k] == (grids[l - 1].n[k] + 2) / 2 - 1);
            }
        }
    const struct cgs_mesh flat = box(63, 63, 63, 1, 1, 1.0 / 8);
    const int count = cgs_hierarchy_sizes(CGS_HOST, &flat, grids);
    ck_assert_int_ge(count, 5);
    ck_assert_int_eq(grids[3].n[0], 63);
    ck_assert_int_eq(grids[3].n[2], 7);
    ck_assert_int_eq(grids[4].n[0], 31);
    ck_assert_int_eq(grids[4].n[2], 3);
}

/* Cells 1, 10, 100 times as long as the shortest, in one direction and in two, whatever applies
 * the matrices. */
TEST(iterations_do_not_grow_with_the_aspect)
{
    static const char *const ways[] = {"--format=none", "--format=crs", "--format=sell",
                                       "--format=sell --precond=mg --coarse=galerkin",
                                       "--format=none --precond=mg --coarse=galerkin"};
    static const char *const sizes[] = {"1x1x1",    "10x1x1",   "1x1x10",   "100x1x1",
                                        "1x100x1",  "1x10x10",  "10x1x10",  "100x100x1",
                                        "1x10x100", "100x1x10", "0.5x2x0.1"};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            char words[128];
            if (CHECK_SMALL && (w > 0 || s % 4 != 0))
                continue;
            snprintf(words, sizeof words, "--cells=20x17x24 --size=%s %s", sizes[s], ways[w]);
            const int64_t count = iterations(words, CGS_F32);
            ck_assert_msg(count <= 12, "%s: %d iterations", words, (int)count);
        }
}

int main(void)
{
    return bed_tests("multigrid", 120);
}
