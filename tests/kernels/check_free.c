/* Kernels without entries (--format=none): every one of the registry, in every precision, is the
 * matrix that the assembler makes of the same mesh, gives the same bits by any number of threads,
 * and its fused steps are those that CG composes. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/cg/cg_create.h"
#include "solver/cg/cg_launch.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_solve.h"
#include "tests/kernels/free.h"
#include "tests/support/rows.h"

/* y = A x into a vector of NaN. */
static void product(const struct work *work, int threads, bool fused, const double *x, double *y,
                    double *dot)
{
    const struct cgs_space *space = &work->op.domain;
    void *vx = bed_vector(space, x), *vy = bed_vector(space, NULL);
    struct cgs_cg_state *state = bed_state(space, 1);
    bed.context.threads = threads;
    if (fused)
        must(cgs_operator_apply_dot(&work->op, bed.queue, state, vx, vy, CGS_SUM_PQ));
    else
        must(cgs_operator_apply(&work->op, bed.queue, NULL, vx, vy));
    must(space->ops->wait(bed.queue));
    bed.context.threads = 2;
    bed_get(space, vy, y);
    *dot = bed_look(space, state).sums[CGS_SUM_PQ];
    space->ops->state_free(space, state);
    space->ops->free(space, vx);
    space->ops->free(space, vy);
}

/* Within rounding of sum_j |a_ij| |x_j|; of a kernel that makes no entries max_j |a_ij| sum_j
 * |x_j|, since its entries come about by cancellation. Of order p three sums add up to the
 * diagonal, which alone is not cancelled. */
static void compare(const struct work *work, const double *x, const double *y)
{
    struct rows rows = rows_gather(&work->source, 64);
    const double eps = work->op.domain.number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const int more = work->mesh.order > 1 ? 8 : 3;
    for (int64_t i = 0; i < rows.count; i++) {
        long double right = 0.0L, sum = 0.0L, all = 0.0L, most = 0.0L;
        for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
            const long double a = rows.values[k], b = x[rows.columns[k]];
            right += a * b;
            sum += fabsl(a * b);
            all += fabsl(b);
            most = fabsl(a) > most ? fabsl(a) : most;
        }
        const long double bound =
            work->kernel->entryless ? 32 * eps * most * all : (rows.length[i] + more) * eps * sum;
        if (!(fabsl(y[i] - right) <= bound))
            ck_abort_msg("%s: row %lld is %.17g, should be %.17Lg within %.3Lg", work->words,
                         (long long)i, y[i], right, bound);
    }
    rows_free(&rows);
}

/* A e_j is column j, which is row j: the stencil's entries bit for bit, in its precision. */
static void check_columns(const struct work *work)
{
    const size_t bytes = (size_t)work->count * sizeof(double);
    const bool single = work->op.domain.number == CGS_F32;
    struct rows rows = rows_gather(&work->source, 64);
    double *x = must_have(bytes), *y = must_have(bytes), *right = must_have(bytes), dot;
    for (int64_t j = 0; j < work->count; j += work->count / 7 + 1) {
        memset(x, 0, bytes);
        memset(right, 0, bytes);
        x[j] = 4.0;
        for (int64_t k = rows.start[j]; k < rows.start[j + 1]; k++)
            right[rows.columns[k]] =
                4.0 * (single ? (double)(float)rows.values[k] : rows.values[k]);
        product(work, 2, false, x, y, &dot);
        for (int64_t i = 0; i < work->count; i++)
            ck_assert_msg(y[i] == right[i], "%s: a(%lld, %lld) is %.17g, not %.17g", work->words,
                          (long long)i, (long long)j, y[i] / 4.0, right[i] / 4.0);
    }
    rows_free(&rows);
    free(x);
    free(y);
    free(right);
}

static void check_mesh(struct work *work)
{
    static const int threads[] = {2, 1, 3};
    const size_t bytes = (size_t)work->count * sizeof(double);
    double *x = must_have(bytes), *y[2] = {must_have(bytes), must_have(bytes)}, dot[2], first = 0;
    plain_vector(work->count, PLAIN_RANDOM, work->op.domain.number, 7, x);
    product(work, 2, false, x, y[0], &dot[0]);
    compare(work, x, y[0]);
    for (int t = 0; t < 3; t++) {
        long double right = 0.0L, all = 0.0L;
        product(work, threads[t], true, x, y[1], &dot[1]);
        /* a device's product of order p may round otherwise beside a sum */
        if (t == 0 && work->mesh.order > 1 && CHECK_DEVICE != CGS_CPU) {
            compare(work, x, y[1]);
            memcpy(y[0], y[1], bytes);
        }
        ck_assert_msg(memcmp(y[0], y[1], bytes) == 0, "%s: other bits by %d threads", work->words,
                      threads[t]);
        ck_assert_msg(t == 0 || dot[1] == first, "%s: another sum by %d threads", work->words,
                      threads[t]);
        first = dot[1];
        if (t > 0)
            continue; /* the same bits */
        for (int64_t i = 0; i < work->count; i++) {
            right += (long double)x[i] * y[1][i];
            all += fabsl((long double)x[i] * y[1][i]);
        }
        ck_assert_msg(fabsl(dot[1] - right) <= ((double)work->count + 2) * DBL_EPSILON * all,
                      "%s: x'y = %.17g, should be %.17Lg", work->words, dot[1], right);
    }
    free(x);
    free(y[0]);
    free(y[1]);
}

LOOP_TEST(product_is_the_assembled_matrix, pairs(NULL))
{
    int ran = 0;
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < (which < MESHES_OF_BOXES ? PLACES : SIZES); s++) {
            struct work work;
            if (!begin_mesh(&work, _i, which, mesh_at(which, s)))
                continue;
            check_mesh(&work);
            if (!work.kernel->entryless)
                check_columns(&work);
            end(&work);
            ran++;
        }
    struct work work;
    if (begin(&work, _i, 0, LONG)) {
        check_mesh(&work);
        end(&work);
        ran++;
    }
    ck_assert_int_ge(ran, 3 * PLACES + 1);
}

/* Solves A x = b by `threads` threads. */
static int64_t solve(const struct work *work, const struct cgs_operator *op, enum cgs_launch launch,
                     int threads, double tolerance, const double *b, double *x)
{
    const struct cgs_space *space = &op->domain;
    const struct cgs_cg_settings settings = {
        .tolerance = tolerance, .max_iterations = 3000, .restart = true, .launch = launch};
    struct cgs_cg_result result;
    struct cgs_cg *cg;
    bed.context.threads = threads;
    must(cgs_cg_create(bed.queue, op, NULL, &settings, &cg));
    must(space->ops->put(space, b, 0, work->count, cgs_cg_rhs(cg)));
    must(cgs_cg_solve(cg, &result));
    bed_get(space, cgs_cg_solution(cg), x);
    cgs_cg_release(cg);
    bed.context.threads = 2;
    ck_assert_msg(result.outcome == CGS_OUTCOME_CONVERGED, "%s: %s after %lld", work->words,
                  cgs_outcome_name(result.outcome), (long long)result.iterations);
    return result.iterations;
}

/* Solves another way than `right` came about, in as many iterations, and as near to it as CG
 * comes. */
static void solve_again(const struct work *work, const struct cgs_operator *op,
                        enum cgs_launch launch, double tolerance, int64_t iterations,
                        const double *b, const double *right)
{
    const int64_t slack = (op->domain.number == CGS_F32 ? 3 : 1) + iterations / 50;
    double *x = must_have((size_t)work->count * sizeof *x), most = 0.0, difference = 0.0;
    const int64_t got = solve(work, op, launch, 2, tolerance, b, x);
    ck_assert_msg(llabs(got - iterations) <= slack, "%s: %lld, not %lld iterations", work->words,
                  (long long)got, (long long)iterations);
    for (int64_t i = 0; i < work->count; i++) {
        most = fmax(most, fabs(x[i]));
        difference = fmax(difference, fabs(right[i] - x[i]));
    }
    ck_assert_msg(difference <= 1e3 * tolerance * most, "%s: x differs by %.2g of %.2g",
                  work->words, difference, most);
    free(x);
}

/* CG with the kernel's own steps, with composed ones, by another number of threads, and with many
 * iterations in one kernel where the kernel has that. */
static void check_fused(const struct work *work)
{
    const double tolerance = work->op.domain.number == CGS_F32 ? 1e-4 : 1e-10;
    const size_t bytes = (size_t)work->count * sizeof(double);
    double *b = must_have(bytes), *x = must_have(bytes), *y = must_have(bytes);
    plain_vector(work->count, PLAIN_RANDOM, work->op.domain.number, 3, b);
    const int64_t fused = solve(work, &work->op, CGS_LAUNCH_PLAIN, 2, tolerance, b, x);
    ck_assert_int_eq(solve(work, &work->op, CGS_LAUNCH_PLAIN, 3, tolerance, b, y), fused);
    ck_assert_msg(memcmp(x, y, bytes) == 0, "%s: other bits by 3 threads", work->words);
    struct cgs_steps steps = *work->op.steps;
    steps.direction_apply_dot = NULL;
    steps.update = NULL;
    steps.update_conclude = NULL;
    steps.advance = NULL;
    steps.finish = NULL;
    struct cgs_operator composed = work->op;
    composed.steps = &steps;
    solve_again(work, &composed, CGS_LAUNCH_PLAIN, tolerance, fused, b, x);
    if (cgs_cg_can_persist(&work->op, false))
        solve_again(work, &work->op, CGS_LAUNCH_PERSISTENT, tolerance, fused, b, x);
    free(b);
    free(x);
    free(y);
}

LOOP_TEST(fused_is_composed, pairs(NULL))
{
    static const int64_t n[] = {1, 2, 9, 24};
    enum { CUBES = CHECK_SMALL ? 3 : 4, ALL = CUBES + (CHECK_SMALL ? 2 : 4) };
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < (which < MESHES_OF_BOXES ? ALL : CUBES); s++) {
            struct work work;
            if (!begin_mesh(&work, _i, which,
                            s < CUBES ? mesh_of(which, n[s]) : mesh_at(which, SIZES + s - CUBES)))
                continue;
            check_fused(&work);
            end(&work);
        }
}

/* All that of cells of order p. The emulator, which has many threads to switch between, is spared:
 * few boxes, the large ones up to order 5. */
LOOP_TEST(orders_are_their_rows, ORDERS)
{
    const int p = _i + 2, step = CHECK_SMALL ? TILES : 1;
    const int places = CHECK_SMALL && p > 5 ? 1 : PLACES_OF_ORDER;
    struct work work;
    for (int place = 0; place < places; place += step)
        for (int single = 0; single < (CHECK_SMALL && place > 0 ? 1 : 2); single++)
            if (begin_order(&work, single ? CGS_PRECISION_F32 : CGS_PRECISION_F64, p, place,
                            NULL)) {
                check_mesh(&work);
                if (place == 0 || (place == TILES && !CHECK_SMALL))
                    check_fused(&work);
                end(&work);
            }
}

/* The same with faces of all kinds; under the emulator few solve. */
LOOP_TEST(orders_with_ends_are_their_rows, ORDERS *ENDS * 2)
{
    const int p = _i / (2 * ENDS) + 2, place = _i % (2 * ENDS);
    double nodes[LONGEST];
    struct work work;
    if (CHECK_SMALL && place >= ENDS && p != 3)
        return;
    for (int single = 0; single < (CHECK_SMALL && (p > 2 || place >= ENDS) ? 1 : 2); single++)
        if (begin_order(&work, single ? CGS_PRECISION_F32 : CGS_PRECISION_F64, p,
                        PLACES_OF_ORDER + place, nodes)) {
            check_mesh(&work);
            if (!CHECK_SMALL || (p <= 3 && place < ENDS))
                check_fused(&work);
            end(&work);
        }
}

/* Formulas of a deformed mesh are those of cubes. */
LOOP_TEST(deformed_boxes_are_refused, pairs(NULL))
{
    struct work work;
    ck_assert(!begin_mesh(&work, _i, 5, mesh_at(5, SIZES)));
    ck_assert(!begin_mesh(&work, _i, 5, mesh_at(5, SIZES + 3)));
}

/* A direction that breaks CG off is measured by the operator again: -A is not positive. */
LOOP_TEST(breakdown_is_measured, pairs(NULL))
{
    struct work work;
    ck_assert(begin(&work, _i, 0, 6));
    cgs_operator_release(&work.op);
    work.mesh.scale = -1.0;
    must(cgs_operator_create(bed.queue, bed.backend, work.kernel, work.precision, &work.matrix,
                             &work.op));
    const struct cgs_space *space = &work.op.domain;
    const struct cgs_cg_settings settings = {.tolerance = 1e-4, .max_iterations = 50};
    double b[216];
    struct cgs_cg_result result;
    struct cgs_cg *cg;
    plain_vector(216, PLAIN_RANDOM, space->number, 3, b);
    must(cgs_cg_create(bed.queue, &work.op, NULL, &settings, &cg));
    must(space->ops->put(space, b, 0, 216, cgs_cg_rhs(cg)));
    must(cgs_cg_solve(cg, &result));
    ck_assert_str_eq(cgs_outcome_name(result.outcome), "not_positive_definite");
    cgs_cg_release(cg);
    end(&work);
}

int main(void)
{
    return bed_tests("free", 300);
}
