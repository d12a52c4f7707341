/* Algebraic multigrid on the device under test: its grids are Galerkin's, M is symmetric and positive
 * definite, iterations are few and hardly grow, and matrices that have no coarser grid, or no inverse, are
 * taken or refused as they should be. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "matrix/crs.h"
#include "solver/cg.h"
#include "src/amg.h"
#include "tests/asked.h"

/* ---- a hierarchy as the program makes it ---- */

struct grids {
    struct asked asked;
    struct cgs_mesh mesh;
    struct cgs_row_source source;
    bool assembled;
    struct cgs_matrix matrix;
    struct cgs_operator op, cycle;
    struct cgs_amg amg;
};

#define well(g, call) ck_assert_msg((call) == CGS_OK, "%s: %s", #call, (g)->asked.context.message)

/* Of the box of `words`, or of the rows of `crs`; returns the status of set-up. */
static enum cgs_status try_set_up(struct grids *g, const char *words, const struct cgs_crs *crs,
                                  enum cgs_number number)
{
    *g = (struct grids){.assembled = !crs};
    ask(&g->asked, words);
    struct cgs_context *own = &g->asked.context;
    const struct cgs_options *o = &g->asked.options;
    const struct cgs_machine *m = &g->asked.machine;
    const bool chunked = cgs_format_chunked((enum cgs_format)o->format);
    g->mesh = cgs_mesh_cube(o->n, CGS_GAUSS, 1.0);
    g->mesh.deform = o->deform;
    g->mesh.kappa = o->kappa;
    if (crs)
        g->source = cgs_crs_source(crs);
    else
        well(g, cgs_assembler_create(own, &g->mesh, cgs_gather_of(&g->mesh), &g->source));
    well(g, cgs_matrix_create(own, &g->source, (enum cgs_format)o->format,
                              chunked ? (int32_t)o->chunk : 1, chunked ? (int32_t)o->sigma : 1,
                              &g->matrix));
    well(g, cgs_operator_create(m->queue, m->backend, m->kernel, CGS_PRECISION_F64, &g->matrix,
                                &g->op));
    const enum cgs_status status = cgs_amg_create(o, m, &g->matrix, &g->op, number, &g->amg);
    if (status == CGS_OK)
        g->cycle = cgs_multigrid_operator(g->amg.multigrid);
    return status;
}

static void set_up(struct grids *g, const char *words, const struct cgs_crs *crs,
                   enum cgs_number number)
{
    well(g, try_set_up(g, words, crs, number));
}

static void take_down(struct grids *g)
{
    struct cgs_context *own = &g->asked.context;
    cgs_amg_release(&g->amg);
    cgs_operator_release(&g->op);
    cgs_matrix_release(own, &g->matrix);
    if (g->assembled)
        cgs_assembler_release(own, &g->source);
    dismiss(&g->asked);
}

/* ---- matrices that are not the box's ---- */

enum { SIDE = 40, LOOSE = 50, NEIGHBOURS = 5 };

/* The five-point Laplacian on SIDE x SIDE points, `weight` times stronger in y than in x, and LOOSE rows
 * of a diagonal entry alone before it. */
static struct cgs_crs five_point(double weight, double corner)
{
    const int64_t points = SIDE * SIDE, rows = LOOSE + points;
    struct cgs_crs m;
    must(cgs_crs_alloc(&bed.context, rows, rows, LOOSE + NEIGHBOURS * points, &m));
    int64_t count = 0;
    for (int64_t i = 0; i < LOOSE; i++) {
        m.pointers[i] = count;
        m.column[count] = (int32_t)i;
        m.value[count++] = 1.0 + (double)i;
    }
    for (int64_t i = 0; i < points; i++) {
        const int64_t x = i % SIDE, y = i / SIDE;
        const struct {
            bool there;
            int64_t column;
            double value;
        } entries[NEIGHBOURS] = {{y > 0, i - SIDE, -weight},
                                 {x > 0, i - 1, -1.0},
                                 {true, i, i == 0 ? corner : 2.0 + 2.0 * weight},
                                 {x < SIDE - 1, i + 1, -1.0},
                                 {y < SIDE - 1, i + SIDE, -weight}};
        m.pointers[LOOSE + i] = count;
        for (int k = 0; k < NEIGHBOURS; k++)
            if (entries[k].there) {
                m.column[count] = (int32_t)(LOOSE + entries[k].column);
                m.value[count++] = entries[k].value;
            }
    }
    m.pointers[rows] = count;
    return m;
}

/* ---- vectors ---- */

static void *vector_of(const struct cgs_space *space, const double *numbers)
{
    void *vector;
    ck_assert_int_eq(space->ops->alloc(space, "vector", &vector), CGS_OK);
    if (numbers)
        ck_assert_int_eq(space->ops->put(space, numbers, 0, space->size, vector), CGS_OK);
    return vector;
}

static double *random_numbers(int64_t n, int64_t seed)
{
    double *x = must_have((size_t)n * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        x[i] = cgs_random((uint64_t)(i + seed * n));
    return x;
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* ---- grids ---- */

/* R A P c on grid l against A_(l+1) c, each entry to the rounding of |R| |A| |P| |c|, which is bounded by
 * the norms here. */
static void check_galerkin(const struct grids *g, int l)
{
    const struct cgs_amg_level *fine = &g->amg.level[l], *coarse = fine + 1;
    const struct cgs_transfer *t = &fine->transfer;
    const struct cgs_space *space = &fine->op.domain, *small = &coarse->op.domain;
    struct cgs_queue *queue = g->asked.machine.queue;
    const int64_t n = small->size;
    double *c = random_numbers(n, l), *got = must_have((size_t)n * sizeof(double)),
           *right = must_have((size_t)n * sizeof(double));
    void *vc = vector_of(small, c), *vr = vector_of(small, NULL), *vg = vector_of(small, NULL);
    void *vp = vector_of(space, NULL), *va = vector_of(space, NULL);
    double most = 0.0;
    well(g, t->steps->prolong(t->self, queue, NULL, false, vc, vp));
    well(g, cgs_operator_apply(&fine->op, queue, NULL, vp, va));
    well(g, t->steps->restrict_to(t->self, queue, NULL, va, vg));
    well(g, cgs_operator_apply(&coarse->op, queue, NULL, vc, vr));
    well(g, small->ops->get(small, vg, 0, n, got));
    well(g, small->ops->get(small, vr, 0, n, right));
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(right[i]));
    for (int64_t i = 0; i < n; i++)
        hold(fabs(got[i] - right[i]) <= 2000.0 * 0x1p-53 * most);
    /* f + P c is f and P c */
    well(g, t->steps->prolong(t->self, queue, NULL, true, vc, vp));
    well(g, cgs_operator_apply(&fine->op, queue, NULL, vp, va));
    well(g, t->steps->restrict_to(t->self, queue, NULL, va, vg));
    well(g, small->ops->get(small, vg, 0, n, got));
    for (int64_t i = 0; i < n; i++)
        hold(fabs(got[i] - 2.0 * right[i]) <= 4000.0 * 0x1p-53 * most);
    space->ops->free(space, va);
    space->ops->free(space, vp);
    small->ops->free(small, vg);
    small->ops->free(small, vr);
    small->ops->free(small, vc);
    free(right);
    free(got);
    free(c);
}

START_TEST(grids_are_galerkin_s)
{
    static const char *const words[] = {"--N=12 --precond=amg",
                                        "--N=17 --precond=amg --format=crs --deform=0.1",
                                        "--N=11 --precond=amg --format=sellc --strength=0",
                                        "--N=16 --precond=amg --kappa=jump:100"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        struct grids g;
        set_up(&g, words[w], NULL, CGS_F64);
        ck_assert_int_ge(g.amg.count, 2);
        ck_assert_int_eq(g.amg.level[0].nonzeros, g.matrix.nonzeros);
        ck_assert_int_le(g.amg.level[g.amg.count - 1].rows, CGS_AMG_INVERTED);
        ck_assert(g.amg.end == CGS_AMG_SMALL && g.amg.inverted);
        for (int l = 0; l < g.amg.count - 1; l++) {
            ck_assert_int_eq(g.amg.level[l].aggregated, g.amg.level[l].rows);
            check_galerkin(&g, l);
        }
        take_down(&g);
    }
}
END_TEST

/* ---- M ---- */

/* x'M y = y'M x and x'M x > 0 for random x, y, to the rounding of the cycle's numbers. */
static void check_symmetry(const char *words, const struct cgs_crs *crs, enum cgs_number number)
{
    struct grids g;
    set_up(&g, words, crs, number);
    const struct cgs_space *space = &g.op.domain;
    const int64_t n = space->size;
    const double eps = number == CGS_F64 ? 0x1p-53 : 0x1p-24;
    double *x[2], *mx[2];
    for (int k = 0; k < 2; k++) {
        x[k] = random_numbers(n, k);
        mx[k] = must_have((size_t)n * sizeof(double));
        void *in = vector_of(space, x[k]), *out = vector_of(space, NULL);
        well(&g, cgs_operator_apply(&g.cycle, g.asked.machine.queue, NULL, in, out));
        well(&g, space->ops->get(space, out, 0, n, mx[k]));
        space->ops->free(space, out);
        space->ops->free(space, in);
    }
    const double energy = dot(n, x[0], mx[0]), other = dot(n, x[1], mx[1]);
    const double apart = fabs(dot(n, x[0], mx[1]) - dot(n, x[1], mx[0]));
    printf("%s: %d grids, x'Mx %.3e, |x'My - y'Mx| %.1e of it\n", words, g.amg.count, energy,
           apart / energy);
    ck_assert_double_gt(energy, 0.0);
    ck_assert_double_gt(other, 0.0);
    ck_assert_double_le(apart, 500.0 * eps * sqrt(energy * other));
    for (int k = 0; k < 2; k++) {
        free(x[k]);
        free(mx[k]);
    }
    take_down(&g);
}

START_TEST(a_cycle_is_symmetric_and_positive)
{
    static const char *const words[] = {
        "--N=1 --precond=amg",
        "--N=6 --precond=amg",
        "--N=12 --precond=amg --degree=3",
        "--N=16 --precond=amg --format=crs --deform=0.1",
        "--N=13 --precond=amg --kappa=jump:1000 --strength=0.1",
        "--N=14 --precond=amg --sigma=64 --degree=1",
    };
    for (int number = 0; number < CGS_NUMBERS; number++) {
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            check_symmetry(words[w], NULL, (enum cgs_number)number);
        for (double weight = 1.0; weight <= 1000.0; weight *= 1000.0) {
            struct cgs_crs m = five_point(weight, 2.0 + 2.0 * weight);
            check_symmetry("--precond=amg --format=crs", &m, (enum cgs_number)number);
            cgs_crs_release(&bed.context, &m);
        }
    }
}
END_TEST

/* ---- what has no coarser grid, or no inverse ---- */

START_TEST(rows_alone_are_smoothed)
{
    enum { ROWS = 1000 };
    struct cgs_crs m;
    struct grids g;
    must(cgs_crs_alloc(&bed.context, ROWS, ROWS, ROWS, &m));
    for (int64_t i = 0; i < ROWS; i++) {
        m.pointers[i] = i;
        m.column[i] = (int32_t)i;
        m.value[i] = 1.0 + (double)i;
    }
    m.pointers[ROWS] = ROWS;
    check_symmetry("--precond=amg --format=crs", &m, CGS_F64);
    set_up(&g, "--precond=amg --format=crs", &m, CGS_F64);
    ck_assert_int_eq(g.amg.count, 1);
    ck_assert(g.amg.end == CGS_AMG_STALLED && !g.amg.inverted);
    take_down(&g);
    cgs_crs_release(&bed.context, &m);
}
END_TEST

/* A file's matrix is looked at before, but a diagonal entry that is not positive is found here, too; one
 * that makes the matrix indefinite is CG's to find, and shows in the cycle's inverse at the latest. */
START_TEST(what_is_not_positive_is_said)
{
    struct grids g;
    struct cgs_crs m = five_point(1.0, -4.0);
    ck_assert_int_eq(try_set_up(&g, "--precond=amg --format=crs", &m, CGS_F64), CGS_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(g.asked.context.message, "row 51"));
    g.asked.context.status = CGS_OK;
    g.asked.context.message[0] = '\0';
    take_down(&g);
    cgs_crs_release(&bed.context, &m);
}
END_TEST

/* ---- iterations ---- */

/* Of CG with the cycle to 1e-8, from zero, on a random right-hand side. */
static int64_t iterations(const char *words, const struct cgs_crs *crs, enum cgs_number number)
{
    struct grids g;
    struct cgs_cg *cg;
    struct cgs_cg_result result;
    set_up(&g, words, crs, number);
    const struct cgs_space *space = &g.op.domain;
    const struct cgs_cg_settings settings = {.tolerance = 1e-8, .max_iterations = 200};
    double *b = random_numbers(space->size, 3);
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
        {"--N=15 --precond=amg", 12},
        {"--N=31 --precond=amg", 14},
        {"--N=24 --precond=amg --deform=0.1", 18},
        {"--N=24 --precond=amg --kappa=smooth", 14},
        {"--N=23 --precond=amg --kappa=jump:1000", 25},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t twice = iterations(rows[i].words, NULL, CGS_F64);
        const int64_t once = iterations(rows[i].words, NULL, CGS_F32);
        ck_assert_int_le(twice, rows[i].most);
        ck_assert_int_le(llabs(once - twice), 1);
    }
    for (double weight = 1.0; weight <= 1000.0; weight *= 1000.0) {
        struct cgs_crs m = five_point(weight, 2.0 + 2.0 * weight);
        ck_assert_int_le(iterations("--precond=amg --format=crs", &m, CGS_F32), 25);
        cgs_crs_release(&bed.context, &m);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algebraic multigrid");
    TCase *cycle = bed_case(suite, "cycle", 120);
    tcase_add_test(cycle, grids_are_galerkin_s);
    tcase_add_test(cycle, a_cycle_is_symmetric_and_positive);
    tcase_add_test(cycle, rows_alone_are_smoothed);
    tcase_add_test(cycle, what_is_not_positive_is_said);
    tcase_add_test(cycle, iterations_are_few);
    return bed_run(suite);
}
