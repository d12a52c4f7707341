/* CG on vectors so long that the CUDA space moves x every second iteration only: x is whole
 * wherever CG stops. What it should be CG with Jacobi says, which takes other steps: on a cube the
 * diagonal is everywhere the same, so that the iterates are those of plain CG except for rounding.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "solver/cg/cg_create.h"
#include "tests/support/solve.h"

#ifdef CGS_TEST_CUDA
/* More than 8 blocks of 256 threads and 16 bytes each for every multiprocessor. */
enum { N = CHECK_SMALL ? 26 : 104 };
static const enum cgs_launch launches[] = {CGS_LAUNCH_PLAIN, CGS_LAUNCH_GRAPH};
#else
enum { N = 20 };
static const enum cgs_launch launches[] = {CGS_LAUNCH_PLAIN};
#endif
enum { ROWS = N * N * N, LAUNCHES = sizeof launches / sizeof *launches, LIMIT = 1000 };

static struct cgs_mesh mesh;
static struct cgs_row_source source;
static double b[ROWS], x[ROWS], y[ROWS], seen[ROWS], history[LIMIT + 1], again[LIMIT + 1];

static void set_up(void)
{
    mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, cgs_gather_of(&mesh), &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
}

static struct solve by(enum cgs_launch launch, int64_t limit)
{
    struct solve how = usual();
    how.format = CGS_SELLC;
    how.settings.launch = launch;
    how.settings.max_iterations = limit;
    return how;
}

/* |u - v| <= share max |v| everywhere. */
static void check_near(const double *u, const double *v, double share)
{
    double most = 0.0, size = 0.0;
    for (int i = 0; i < ROWS; i++) {
        ck_assert(isfinite(u[i]));
        most = fmax(most, fabs(u[i] - v[i]));
        size = fmax(size, fabs(v[i]));
    }
    ck_assert_double_le(most, share * size);
}

/* After odd and even numbers of iterations. */
TEST(x_is_whole_at_the_limit)
{
    static const int64_t limits[] = {0, 1, 2, 3, 24, 25};
    set_up();
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        struct solve how = by(CGS_LAUNCH_PLAIN, limits[l]);
        how.jacobi = true;
        ck_assert_int_eq(solve(&how, &source, b, y, NULL).iterations, limits[l]);
        for (int i = 0; i < LAUNCHES; i++) {
            how = by(launches[i], limits[l]);
            ck_assert_int_eq(solve(&how, &source, b, x, NULL).iterations, limits[l]);
            check_near(x, y, 1e-11);
        }
    }
    cgs_assembler_release(&context, &source);
}

static enum cgs_status look(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    (void)now;
    const double *spoilt = user;
    const struct cgs_space *space = cgs_cg_space(cg);
    ck_assert_int_eq(space->ops->get(space, cgs_cg_solution(cg), 0, ROWS, seen), CGS_OK);
    return spoilt ? space->ops->put(space, spoilt, ROWS / 2, 1, cgs_cg_solution(cg)) : CGS_OK;
}

/* A pause sees the x that a solve limited to as many iterations ends with, and changes nothing but
 * in which iterations x moves. */
TEST(a_pause_sees_all_of_x)
{
    set_up();
    for (int i = 0; i < LAUNCHES; i++)
        for (int64_t at = 5; at <= 6; at++) {
            struct solve how = by(launches[i], 25);
            ck_assert_int_eq(solve(&how, &source, b, x, history).iterations, 25);
            how.settings.pause = look;
            how.settings.pause_at = at;
            ck_assert_int_eq(solve(&how, &source, b, y, again).iterations, 25);
            ck_assert_mem_eq(history, again, 26 * sizeof *history);
            check_near(y, x, 1e-11);
            how = by(launches[i], at);
            ck_assert_int_eq(solve(&how, &source, b, x, NULL).iterations, at);
            ck_assert_mem_eq(x, seen, sizeof x);
        }
    cgs_assembler_release(&context, &source);
}

/* To the end, all at once and with a restart from an x that was spoilt. */
TEST(a_restart_mends_x)
{
    static double spoilt = 100.0;
    set_up();
    for (int i = 0; i < LAUNCHES; i++) {
        struct solve how = by(launches[i], LIMIT);
        const struct cgs_cg_result whole = solve(&how, &source, b, x, NULL);
        ck_assert_int_eq(whole.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_eq(whole.restarts, 0);
        how.settings.pause = look;
        how.settings.pause_at = 7;
        how.settings.pause_user = &spoilt;
        const struct cgs_cg_result mended = solve(&how, &source, b, y, NULL);
        ck_assert_int_eq(mended.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_ge(mended.restarts, 1);
        check_near(y, x, 1e-6);
    }
    cgs_assembler_release(&context, &source);
}

/* Reliable updates: x is whole at each of them. */
TEST(mixed_precision)
{
    set_up();
    struct solve how = by(CGS_LAUNCH_PLAIN, LIMIT);
    how.jacobi = true;
    ck_assert_int_eq(solve(&how, &source, b, y, NULL).outcome, CGS_OUTCOME_CONVERGED);
    for (int i = 0; i < LAUNCHES; i++) {
        how = by(launches[i], LIMIT);
        how.precision = CGS_PRECISION_MIXED;
        const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_eq(r.restarts, 0);
        ck_assert_int_ge(r.updates, 3);
        ck_assert_double_le(r.true_relative_residual, 2.0 * how.settings.tolerance);
        check_near(x, y, 1e-6);
    }
    cgs_assembler_release(&context, &source);
}

int main(void)
{
    return solve_tests("CG on long vectors");
}
