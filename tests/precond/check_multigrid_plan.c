/* solver/multigrid_plan: what a cycle moves and what it holds, by counting; what is planned is what
 * is allocated. */
#include <math.h>

#include "core/precond/grids.h"
#include "core/precond/sharing.h"
#include "matrix/names.h"
#include "solver/multigrid.h"
#include "solver/multigrid_plan.h"
#include "solver/smoother.h"
#include "tests/support/asked.h"
#include "tests/support/support.h"

/* Steps that only have to be there. */
static enum cgs_status no_relax(const void *self, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const struct cgs_relaxation *step)
{
    (void)self, (void)queue, (void)state, (void)step;
    return CGS_BUG;
}

static enum cgs_status no_residual(const void *self, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *b, const void *x,
                                   void *r)
{
    (void)self, (void)queue, (void)state, (void)b, (void)x, (void)r;
    return CGS_BUG;
}

static const struct cgs_steps fused = {.relax = no_relax, .residual = no_residual};
static const struct cgs_steps composed = {.relax = NULL};

enum { MATRIX = 1000, FINE_ROWS = 343, COARSE_ROWS = 27 };

struct two_grids {
    struct cgs_operator op[2];
    struct cgs_transfer transfer;
    struct cgs_multigrid_settings settings;
};

/* Two grids, in `number`; 1000 and 0 bytes of matrix. */
static void make_pair(struct two_grids *pair, const struct cgs_steps *steps, enum cgs_number number,
                      bool diagonal)
{
    const int64_t rows[2] = {FINE_ROWS, COARSE_ROWS};
    *pair = (struct two_grids){.transfer = {.moves = cgs_transfer_box_moves()},
                               .settings = {.degree = 2, .count = 2}};
    for (int l = 0; l < 2; l++) {
        pair->op[l] =
            (struct cgs_operator){.steps = steps,
                                  .domain = {.size = rows[l],
                                             .footprint = rows[l] * cgs_number_bytes(number),
                                             .number = number,
                                             .place = CGS_HOST}};
        pair->settings.grid[l] = (struct cgs_grid){.op = &pair->op[l],
                                                   .inverse = diagonal ? pair : NULL,
                                                   .product = {.matrix = l == 0 ? MATRIX : 0},
                                                   .transfer = &pair->transfer};
    }
}

TEST(a_cycle_moves_what_its_steps_move)
{
    /* read and written on the fine grid, in its vectors: solver/multigrid.h counts 15 fused, and
     * 22 with 1/d; composed a product of its own moves 3 more in the two steps after, 2 more in
     * the residual and, where b is x as well, 3 more in the step before */
    static const struct {
        const struct cgs_steps *steps;
        bool diagonal;
        double read, written;
    } cases[] = {{&fused, false, 10, 5}, {&fused, true, 16, 6}, {&composed, false, 17, 9}};
    for (int number = 0; number < CGS_NUMBERS; number++)
        for (int c = 0; c < 3; c++) {
            struct two_grids pair;
            const double bytes = (double)cgs_number_bytes((enum cgs_number)number);
            const struct cgs_space outer = {.size = FINE_ROWS, .number = CGS_F64};
            const double convert = number == CGS_F64 ? 0.0 : FINE_ROWS * 12.0;
            make_pair(&pair, cases[c].steps, (enum cgs_number)number, cases[c].diagonal);
            const struct cgs_moves moves = cgs_multigrid_moves(&outer, &pair.settings);
            ck_assert_double_eq_tol(
                moves.read * FINE_ROWS * 8,
                bytes * (cases[c].read * FINE_ROWS + 2 * COARSE_ROWS + COARSE_ROWS * COARSE_ROWS) +
                    4 * MATRIX + convert,
                1e-6);
            ck_assert_double_eq_tol(
                moves.written * FINE_ROWS * 8,
                bytes * (cases[c].written * FINE_ROWS + 2 * COARSE_ROWS) + convert, 1e-6);
            ck_assert_double_eq(moves.products, 0.0); /* of A: all in bytes */
        }
}

TEST(a_polynomial_moves_what_its_steps_move)
{
    struct cgs_operator op = {.steps = &fused};
    for (int degree = 1; degree <= 4; degree++) { /* b, x, d, and y from the third step on; x */
        const struct cgs_moves moves = cgs_smoother_moves(&op, true, degree, true);
        static const double read[] = {2, 5, 9, 13};
        ck_assert_double_eq(moves.read, read[degree - 1]);
        ck_assert_double_eq(moves.written, degree);
        ck_assert_double_eq(moves.products, degree - 1);
    }
    op.steps = &composed;
    const struct cgs_moves moves = cgs_smoother_moves(&op, false, 2, false);
    ck_assert_double_eq(moves.read, 9); /* x; b, x, q; then the old y as well */
    ck_assert_double_eq(moves.written, 4);
    ck_assert_double_eq(moves.products, 2);
}

TEST(vectors_are_planned)
{
    /* b, x, y of the fine grid where numbers are converted, else y alone; one more without `relax`;
     * b, x of the coarsest */
    static const int fine[2][2] = {{1, 3}, {2, 4}};
    for (int number = 0; number < CGS_NUMBERS; number++)
        for (int c = 0; c < 2; c++) {
            struct two_grids pair;
            struct cgs_plan plan = {.count = 0};
            make_pair(&pair, c == 0 ? &fused : &composed, (enum cgs_number)number, false);
            for (int l = 0; l < 2; l++)
                cgs_multigrid_plan(&plan, CGS_F64, &pair.settings, l);
            const int64_t bytes = cgs_number_bytes((enum cgs_number)number);
            ck_assert_int_eq(plan.lines[0].bytes, fine[c][number] * FINE_ROWS * bytes);
            int vectors = 0;
            for (int i = 1; i < plan.count; i++)
                vectors += plan.lines[i].bytes == 2 * COARSE_ROWS * bytes;
            ck_assert_int_ge(vectors, 1);
        }
}

/* Grids of the program: what the forecast says of a cycle is what the cycle says. */
TEST(forecasts_are_right)
{
    static const char *const words[] = {"--N=20 --precond=mg",
                                        "--N=15 --precond=mg --format=none",
                                        "--cells=9x24x31 --size=1x0.1x3 --precond=mg",
                                        "--order=5 --cells=4x5x6 --precond=mg",
                                        "--N=20 --precond=mg --deform=0.1 --format=crs",
                                        "--N=9 --precond=mg --precond-precision=double --degree=3"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        struct asked a;
        ask(&a, words[w]);
        const struct cgs_spec forecast = cgs_spec_asked(&a.options.settings, &a.machine, NULL);
        static struct cgs_grids grids;
        struct cgs_plan plan = {.count = 0};
        cgs_grids_specify(&forecast, &grids);
        ck_assert_int_ge(grids.settings.count, 2);
        int64_t n[3];
        cgs_settings_unknowns(&a.options.settings, n);
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(grids.level[0].forecast.mesh.n[k], n[k]);
        ck_assert_int_eq(cgs_grids_accept(&a.context, &forecast), CGS_OK);
        cgs_grids_plan(&forecast, &plan);
        ck_assert_int_eq(plan.count, grids.settings.count + 1); /* what makes rows */
        for (int l = 0; l < grids.settings.count; l++)
            ck_assert_int_eq(
                plan.lines[l].bytes,
                cgs_grids_bytes(&grids, l, CGS_F64)); /* on the host there is no more */
        ck_assert(grids.level[0].borrowed ==
                  (a.options.settings.precond_precision == CGS_CYCLE_DOUBLE));
        ck_assert(!grids.settings.grid[0].inverse ==
                  (a.options.settings.deform == 0.0 && a.options.settings.order == 1));
        dismiss(&a);
    }
}

static bool shared(const struct cgs_spec *spec, int64_t n)
{
    struct cgs_mesh cube = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    cube.deform = spec->mesh.deform;
    return cgs_sharing(spec, &cube);
}

static bool shared_box(const struct cgs_spec *spec, int64_t x, int64_t y, int64_t z)
{
    const int64_t n[3] = {x, y, z};
    const struct cgs_mesh box = cgs_mesh_box(n, (const double[3]){1.0, 1.0, 1.0}, CGS_GAUSS, 1.0);
    return cgs_sharing(spec, &box);
}

/* Ranks share large grids, not small ones; more of them where there are more ranks, or more
 * bytes a row; none on which eigenvalues are estimated. */
TEST(shared_grids)
{
    enum { MOST = 300 };
    static const char *const by_bytes[] = {"--precond=mg --format=none",
                                           "--precond=mg --format=sell"};
    int64_t last[2] = {0, 0};
    struct asked a;
    for (int f = 0; f < 2; f++) {
        ask(&a, by_bytes[f]);
        struct cgs_spec spec = cgs_spec_asked(&a.options.settings, &a.machine, NULL);
        ck_assert(!shared(&spec, MOST)); /* a process alone */
        spec.threads = 1;
        for (spec.ranks = 2; spec.ranks <= 32; spec.ranks *= 2) {
            int64_t n = 1;
            while (n < MOST && !shared(&spec, n))
                n++;
            ck_assert(2 < n && n < MOST);
            ck_assert(last[f] == 0 || n <= last[f]);
            last[f] = n;
            for (int64_t larger = n; larger < n + 20; larger++)
                ck_assert(shared(&spec, larger));
        }
        spec.mesh.deform = 0.1;
        ck_assert(!shared(&spec, CGS_ESTIMATED_N) && shared(&spec, MOST));
        spec.mesh.deform = 0.0;
        spec.whole_n = 40;
        ck_assert(!shared(&spec, 40) && shared(&spec, 41));
        ck_assert(!shared_box(&spec, 20, 40, 80) && shared_box(&spec, 20, 40, 81)); /* by rows */
        dismiss(&a);
    }
    ck_assert_int_lt(last[1], last[0]);
}

int main(void)
{
    return bed_tests("multigrid, planned", 30);
}
