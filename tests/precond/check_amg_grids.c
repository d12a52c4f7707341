/* Algebraic multigrid on the device under test: its grids are Galerkin's, M is symmetric and
 * positive definite, iterations are few and hardly grow, and matrices that have no coarser grid,
 * or no inverse, are taken or refused as they should be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/precond/amg.h"
#include "tests/support/cycle.h"

/* ---- a hierarchy as the program makes it ---- */

struct grids {
    struct cycled c;
    struct cgs_amg amg;
};

/* Returns the status of set-up. */
static enum cgs_status try_set_up(struct grids *g, const char *words, const struct cgs_crs *crs,
                                  enum cgs_number number)
{
    g->amg = (struct cgs_amg){0};
    cycled_set_up(&g->c, words, crs);
    const struct cgs_spec spec =
        cgs_spec_asked(&g->c.asked.options.settings, &g->c.asked.machine, &g->c.matrix);
    const enum cgs_status status =
        cgs_amg_create(&spec, &g->c.asked.machine, &g->c.matrix, &g->c.op, number, NULL, &g->amg);
    if (status == CGS_OK)
        g->c.cycle = cgs_multigrid_operator(g->amg.multigrid);
    return status;
}

static void set_up(struct grids *g, const char *words, const struct cgs_crs *crs,
                   enum cgs_number number)
{
    well(&g->c, try_set_up(g, words, crs, number));
}

static void take_down(struct grids *g)
{
    cgs_amg_release(&g->c.asked.context, &g->amg);
    cycled_take_down(&g->c);
}

/* ---- matrices that are not the box's ---- */

enum { SIDE = 40, LOOSE = 50, NEIGHBOURS = 5 };

/* The five-point Laplacian on SIDE x SIDE points, `weight` times stronger in y than in x, and
 * LOOSE rows of a diagonal entry alone before it. */
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

/* ---- grids ---- */

/* R A P c on grid l against A_(l+1) c, each entry to the rounding of |R| |A| |P| |c|, which is
 * bounded by the norms here. */
static void check_galerkin(const struct grids *g, int l)
{
    const struct cgs_amg_level *fine = &g->amg.level[l], *coarse = fine + 1;
    const struct cgs_transfer *t = &fine->transfer;
    const struct cgs_space *space = &fine->op.domain, *small = &coarse->op.domain;
    struct cgs_queue *queue = g->c.asked.machine.queue;
    const int64_t n = small->size;
    double *c = random_numbers(n, l), *got = must_have((size_t)n * sizeof(double)),
           *right = must_have((size_t)n * sizeof(double));
    void *vc = bed_vector(small, c), *vr = bed_vector(small, NULL), *vg = bed_vector(small, NULL);
    void *vp = bed_vector(space, NULL), *va = bed_vector(space, NULL);
    double most = 0.0;
    well(&g->c, t->steps->prolong(t->self, queue, NULL, false, vc, vp));
    well(&g->c, cgs_operator_apply(&fine->op, queue, NULL, vp, va));
    well(&g->c, t->steps->restrict_to(t->self, queue, NULL, va, vg));
    well(&g->c, cgs_operator_apply(&coarse->op, queue, NULL, vc, vr));
    well(&g->c, small->ops->get(small, vg, 0, n, got));
    well(&g->c, small->ops->get(small, vr, 0, n, right));
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(right[i]));
    for (int64_t i = 0; i < n; i++)
        ck_assert(fabs(got[i] - right[i]) <= 2000.0 * 0x1p-53 * most);
    /* f + P c is f and P c */
    well(&g->c, t->steps->prolong(t->self, queue, NULL, true, vc, vp));
    well(&g->c, cgs_operator_apply(&fine->op, queue, NULL, vp, va));
    well(&g->c, t->steps->restrict_to(t->self, queue, NULL, va, vg));
    well(&g->c, small->ops->get(small, vg, 0, n, got));
    for (int64_t i = 0; i < n; i++)
        ck_assert(fabs(got[i] - 2.0 * right[i]) <= 4000.0 * 0x1p-53 * most);
    space->ops->free(space, va);
    space->ops->free(space, vp);
    small->ops->free(small, vg);
    small->ops->free(small, vr);
    small->ops->free(small, vc);
    free(right);
    free(got);
    free(c);
}

TEST(grids_are_galerkin_s)
{
    static const char *const words[] = {"--N=12 --precond=amg",
                                        "--N=17 --precond=amg --format=crs --deform=0.1",
                                        "--N=11 --precond=amg --format=sellc --strength=0",
                                        "--N=16 --precond=amg --kappa=jump:100"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        struct grids g;
        set_up(&g, words[w], NULL, CGS_F64);
        ck_assert_int_ge(g.amg.count, 2);
        ck_assert_int_eq(g.amg.level[0].nonzeros, g.c.matrix.nonzeros);
        ck_assert_int_le(g.amg.level[g.amg.count - 1].rows, CGS_AMG_INVERTED);
        ck_assert(g.amg.end == CGS_AMG_SMALL && g.amg.inverted);
        for (int l = 0; l < g.amg.count - 1; l++) {
            ck_assert_int_eq(g.amg.level[l].aggregated, g.amg.level[l].rows);
            check_galerkin(&g, l);
        }
        take_down(&g);
    }
}

/* ---- M ---- */

static void check_symmetry(const char *words, const struct cgs_crs *crs, enum cgs_number number)
{
    struct grids g;
    set_up(&g, words, crs, number);
    cycled_check_symmetry(&g.c, words, 500.0 * (number == CGS_F64 ? 0x1p-53 : 0x1p-24));
    take_down(&g);
}

TEST(a_cycle_is_symmetric_and_positive)
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

/* ---- what has no coarser grid, or no inverse ---- */

TEST(rows_alone_are_smoothed)
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

/* A file's matrix is looked at before, but a diagonal entry that is not positive is found here,
 * too; one that makes the matrix indefinite is CG's to find, and shows in the cycle's inverse at
 * the latest. */
TEST(what_is_not_positive_is_said)
{
    struct grids g;
    struct cgs_crs m = five_point(1.0, -4.0);
    ck_assert_int_eq(try_set_up(&g, "--precond=amg --format=crs", &m, CGS_F64), CGS_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(g.c.asked.context.message, "row 51"));
    g.c.asked.context.status = CGS_OK;
    g.c.asked.context.message[0] = '\0';
    take_down(&g);
    cgs_crs_release(&bed.context, &m);
}

/* ---- iterations ---- */

/* On a random right-hand side. */
static int64_t iterations(const char *words, const struct cgs_crs *crs, enum cgs_number number)
{
    struct grids g;
    set_up(&g, words, crs, number);
    double *b = random_numbers(g.c.op.domain.size, 3);
    const int64_t count = cycled_iterations(&g.c, words, b, 200);
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
        {"--N=15 --precond=amg", 12},
        {"--N=31 --precond=amg", 14},
        {"--N=24 --precond=amg --deform=0.1", 18},
        {"--N=24 --precond=amg --kappa=smooth", 14},
        {"--N=23 --precond=amg --kappa=jump:1000", 25},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (CHECK_SMALL && strstr(rows[i].words, "--N=15") == NULL)
            continue;
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

int main(void)
{
    return bed_tests("algebraic multigrid", 120);
}
