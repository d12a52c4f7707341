/* Kernels without entries (--format=none): every one of the registry, in every precision, is the
 * matrix that the assembler makes of the same mesh, gives the same bits by any number of threads,
 * and its fused steps are those that CG and smoothers compose. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fem/assembly.h"
#include "solver/cg.h"
#include "tests/rows.h"
#include "tests/support.h"

static const int64_t sizes[] = {1, 2, 3, 5, 8, 17, 33};
enum { SIZES = sizeof sizes / sizeof *sizes, MESHES = 8 };

/* Gauss, blended and the course's scale; coefficients; deformed; both. */
static struct cgs_mesh mesh_of(int which, int64_t n)
{
    const double cells = (double)(n + 1);
    struct cgs_mesh mesh = cgs_mesh_cube(n, which == 1 || which == 6 ? CGS_BLENDED : CGS_GAUSS,
                                         which == 2 ? cells * cells * cells : 1.0);
    if (which == 3 || which == 6 || which == 7)
        mesh.kappa = (struct cgs_kappa){CGS_KAPPA_SMOOTH, 1.0};
    if (which == 4)
        mesh.kappa = (struct cgs_kappa){CGS_KAPPA_JUMP, 1000.0};
    if (which == 5 || which == 6)
        mesh.deform = 0.1;
    if (which == 7)
        mesh.deform = -0.08;
    return mesh;
}

static int pairs(const struct cgs_kernel_entry **found)
{
    int all, count = 0;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    for (int i = 0; i < all; i++)
        if (entries[i].device == CHECK_DEVICE && entries[i].format == CGS_NONE) {
            if (found)
                found[count] = &entries[i];
            count++;
        }
    return count * CGS_PRECISIONS;
}

/* A kernel at work on a mesh, beside the rows that the assembler makes of it. */
struct work {
    const struct cgs_kernel_entry *entry;
    const struct cgs_kernel *kernel;
    enum cgs_precision precision;
    struct cgs_mesh mesh;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    int64_t count;
    char words[100];
};

/* False where the kernel refuses the mesh; then with a reason. */
static bool begin(struct work *work, int pair, int which, int64_t n)
{
    const struct cgs_kernel_entry *found[32];
    ck_assert_int_lt(pair, pairs(found));
    const struct cgs_kernel_entry *entry = found[pair / CGS_PRECISIONS];
    *work = (struct work){.entry = entry,
                          .precision = (enum cgs_precision)(pair % CGS_PRECISIONS),
                          .kernel = entry->tables[pair % CGS_PRECISIONS],
                          .mesh = mesh_of(which, n),
                          .count = n * n * n};
    snprintf(work->words, sizeof work->words, "%s %s, mesh %d, N = %lld", entry->name,
             cgs_precision_name(work->precision), which, (long long)n);
    must(
        cgs_assembler_create(&bed.context, &work->mesh, cgs_gather_of(&work->mesh), &work->source));
    must(cgs_matrix_create(&bed.context, &work->source, CGS_NONE, 1, 1, &work->matrix));
    if (cgs_operator_create(bed.queue, bed.backend, work->kernel, work->precision, &work->matrix,
                            &work->op) == CGS_OK)
        return true;
    ck_assert(!cgs_mesh_plain(&work->mesh));
    ck_assert(bed.context.message[0] != '\0');
    bed_forgive();
    cgs_matrix_release(&bed.context, &work->matrix);
    cgs_assembler_release(&bed.context, &work->source);
    return false;
}

static void end(struct work *work)
{
    cgs_operator_release(&work->op);
    cgs_matrix_release(&bed.context, &work->matrix);
    cgs_assembler_release(&bed.context, &work->source);
}

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
 * |x_j|, since its entries come about by cancellation. */
static void compare(const struct work *work, const double *x, const double *y)
{
    struct rows rows = rows_gather(&work->source, 64);
    const double eps = work->op.domain.number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    for (int64_t i = 0; i < rows.count; i++) {
        long double right = 0.0L, sum = 0.0L, all = 0.0L, most = 0.0L;
        for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
            const long double a = rows.values[k], b = x[rows.columns[k]];
            right += a * b;
            sum += fabsl(a * b);
            all += fabsl(b);
            most = fmaxl(most, fabsl(a));
        }
        const long double bound =
            work->kernel->entryless ? 32 * eps * most * all : (rows.length[i] + 3) * eps * sum;
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
        ck_assert_msg(memcmp(y[0], y[1], bytes) == 0, "%s: other bits by %d threads", work->words,
                      threads[t]);
        ck_assert_msg(t == 0 || dot[1] == first, "%s: another sum by %d threads", work->words,
                      threads[t]);
        first = dot[1];
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

START_TEST(product_is_the_assembled_matrix)
{
    int ran = 0;
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < SIZES; s++) {
            struct work work;
            if (!begin(&work, _i, which, sizes[s]))
                continue;
            check_mesh(&work);
            if (!work.kernel->entryless)
                check_columns(&work);
            end(&work);
            ran++;
        }
    ck_assert_int_ge(ran, 3 * SIZES);
}
END_TEST

/* The four numbers are the very bits of the assembled rows. */
START_TEST(stencil_numbers_are_the_entries)
{
    for (int which = 0; which < 3; which++)
        for (int s = 2; s < SIZES; s++) {
            const int64_t n = sizes[s], middle = (n / 2 * n + n / 2) * n + n / 2;
            const struct cgs_mesh mesh = mesh_of(which, n);
            struct cgs_row_source source;
            double number[4], values[27];
            int32_t columns[27];
            must(cgs_assembler_create(&bed.context, &mesh, CGS_GATHER_SHARED, &source));
            source.fill(&source, middle, middle + 1, columns, values);
            cgs_mesh_stencil(&mesh, number);
            for (int k = 0; k < 27; k++) {
                const int away = (k % 3 != 1) + (k / 3 % 3 != 1) + (k / 9 != 1);
                ck_assert(memcmp(&values[k], &number[away], sizeof values[k]) == 0);
            }
            cgs_assembler_release(&bed.context, &source);
        }
}
END_TEST

/* Solves A x = b by `threads` threads. */
static int64_t solve(const struct work *work, const struct cgs_operator *op, int threads,
                     double tolerance, const double *b, double *x)
{
    const struct cgs_space *space = &op->domain;
    const struct cgs_cg_settings settings = {
        .tolerance = tolerance, .max_iterations = 3000, .restart = true};
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

/* CG with the kernel's own steps, with composed ones, and by another number of threads. */
START_TEST(fused_is_composed)
{
    static const int64_t n[] = {1, 2, 9, 24};
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < 4; s++) {
            struct work work;
            if (!begin(&work, _i, which, n[s]))
                continue;
            const bool single = work.op.domain.number == CGS_F32;
            const double tolerance = single ? 1e-4 : 1e-10;
            const size_t bytes = (size_t)work.count * sizeof(double);
            double *b = must_have(bytes), *x = must_have(bytes), *y = must_have(bytes);
            plain_vector(work.count, PLAIN_RANDOM, work.op.domain.number, 3, b);
            const int64_t fused = solve(&work, &work.op, 2, tolerance, b, x);
            ck_assert_int_eq(solve(&work, &work.op, 3, tolerance, b, y), fused);
            ck_assert_msg(memcmp(x, y, bytes) == 0, "%s: other bits by 3 threads", work.words);
            struct cgs_steps steps = *work.op.steps;
            steps.direction_apply_dot = NULL;
            steps.update = NULL;
            steps.update_conclude = NULL;
            steps.advance = NULL;
            steps.finish = NULL;
            struct cgs_operator composed = work.op;
            composed.steps = &steps;
            const int64_t plain = solve(&work, &composed, 2, tolerance, b, y);
            ck_assert_msg(llabs(plain - fused) <= (single ? 3 : 1), "%s: %lld, not %lld iterations",
                          work.words, (long long)fused, (long long)plain);
            double most = 0.0, difference = 0.0;
            for (int64_t i = 0; i < work.count; i++) {
                most = fmax(most, fabs(y[i]));
                difference = fmax(difference, fabs(x[i] - y[i]));
            }
            ck_assert_msg(difference <= 1e3 * tolerance * most, "%s: x differs by %.2g of %.2g",
                          work.words, difference, most);
            free(b);
            free(x);
            free(y);
            end(&work);
        }
}
END_TEST

/* A direction that breaks CG off is measured by the operator again: -A is not positive. */
START_TEST(breakdown_is_measured)
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
END_TEST

/* The bound of the norm bounds the norm of the rows, and by little. */
START_TEST(norm_without_rows)
{
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < SIZES; s++) {
            const struct cgs_mesh mesh = mesh_of(which, sizes[s]);
            const double bound = cgs_mesh_norm(&mesh);
            struct cgs_row_source source;
            must(cgs_assembler_create(&bed.context, &mesh, cgs_gather_of(&mesh), &source));
            struct rows rows = rows_gather(&source, 1000);
            double norm = 0.0;
            for (int64_t i = 0; i < rows.count; i++) {
                double sum = 0.0;
                for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++)
                    sum += fabs(rows.values[k]);
                norm = fmax(norm, sum);
            }
            ck_assert_double_ge(bound, 0.98 * norm);
            if (sizes[s] > 5)
                ck_assert_double_le(bound, 2.5 * norm);
            rows_free(&rows);
            cgs_assembler_release(&bed.context, &source);
        }
}
END_TEST

/* ---- steps of smoothers ---- */

/* A step's vectors, and what it makes of y. */
struct smoothing {
    double *x, *y, *d, *b, *made;
};

static struct smoothing begin_smoothing(const struct work *work)
{
    const size_t bytes = (size_t)work->count * sizeof(double);
    struct smoothing s = {must_have(bytes), must_have(bytes), must_have(bytes), must_have(bytes),
                          must_have(bytes)};
    double *vectors[4] = {s.x, s.y, s.d, s.b};
    for (int k = 0; k < 4; k++)
        plain_vector(work->count, PLAIN_RANDOM, work->op.domain.number, 11 + (unsigned)k,
                     vectors[k]);
    return s;
}

static void end_smoothing(struct smoothing *s)
{
    free(s->x);
    free(s->y);
    free(s->d);
    free(s->b);
    free(s->made);
}

/* y = on_x x + on_y y + c d (b - A x) by the operator's own step, or by product and space. Bit 0 of
 * `how`: with y, which else is NaN; bit 1: with d; bit 2: b is x, the same vector. */
static void relax_by(const struct work *work, bool fused, int how, int threads,
                     const struct cgs_cg_state *state, struct smoothing *s)
{
    const struct cgs_space *space = &work->op.domain;
    void *x = bed_vector(space, s->x), *y = bed_vector(space, how & 1 ? s->y : NULL);
    void *d = bed_vector(space, s->d), *b = bed_vector(space, s->b), *q = bed_vector(space, NULL);
    const struct cgs_relaxation step = {.on_x = 1.25,
                                        .on_y = how & 1 ? -0.25 : 0.0,
                                        .c = 0.75,
                                        .d = how & 2 ? d : NULL,
                                        .b = how & 4 ? x : b,
                                        .x = x,
                                        .y = y};
    bed.context.threads = threads;
    if (fused) {
        must(work->op.steps->relax(work->op.self, bed.queue, state, &step));
    } else {
        must(cgs_operator_apply(&work->op, bed.queue, state, x, q));
        must(space->ops->relax(space, bed.queue, state, &step, q));
    }
    must(space->ops->wait(bed.queue));
    bed.context.threads = 2;
    bed_get(space, y, s->made);
    void *all[] = {x, y, d, b, q};
    for (int k = 0; k < 5; k++)
        space->ops->free(space, all[k]);
}

static void residual_by(const struct work *work, bool fused, int threads, struct smoothing *s)
{
    const struct cgs_space *space = &work->op.domain;
    void *x = bed_vector(space, s->x), *b = bed_vector(space, s->b), *r = bed_vector(space, NULL);
    bed.context.threads = threads;
    if (fused) {
        must(work->op.steps->residual(work->op.self, bed.queue, NULL, b, x, r));
    } else {
        must(cgs_operator_apply(&work->op, bed.queue, NULL, x, r));
        must(space->ops->xpby(space, bed.queue, NULL, b, cgs_constant(-1.0), r));
    }
    must(space->ops->wait(bed.queue));
    bed.context.threads = 2;
    bed_get(space, r, s->made);
    space->ops->free(space, x);
    space->ops->free(space, b);
    space->ops->free(space, r);
}

/* Numbers up to 1 in all vectors, rows of magnitude `norm`: both ways are right to some roundings
 * of the largest term. */
static void alike(const struct work *work, const char *what, const double *right,
                  const double *made)
{
    const double eps = work->op.domain.number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const double bound = 32.0 * eps * (4.0 + cgs_mesh_norm(&work->mesh));
    for (int64_t i = 0; i < work->count; i++)
        if (!(fabs(made[i] - right[i]) <= bound))
            ck_abort_msg("%s: %s: number %lld is %.17g, composed %.17g", work->words, what,
                         (long long)i, made[i], right[i]);
}

static void check_smoothing(const struct work *work)
{
    const size_t bytes = (size_t)work->count * sizeof(double);
    struct smoothing composed = begin_smoothing(work), fused = begin_smoothing(work);
    struct smoothing other = begin_smoothing(work);
    for (int how = 0; work->op.steps->relax && how < 8; how++) {
        relax_by(work, false, how, 2, NULL, &composed);
        relax_by(work, true, how, 2, NULL, &fused);
        alike(work, "relax", composed.made, fused.made);
        relax_by(work, true, how, 3, NULL, &other);
        ck_assert(memcmp(fused.made, other.made, bytes) == 0);
    }
    if (work->op.steps->residual) {
        residual_by(work, false, 2, &composed);
        residual_by(work, true, 2, &fused);
        alike(work, "residual", composed.made, fused.made);
        residual_by(work, true, 1, &other);
        ck_assert(memcmp(fused.made, other.made, bytes) == 0);
    }
    end_smoothing(&composed);
    end_smoothing(&fused);
    end_smoothing(&other);
}

START_TEST(smoothing_is_composed)
{
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < SIZES; s++) {
            struct work work;
            if (!begin(&work, _i, which, sizes[s]))
                continue;
            check_smoothing(&work);
            end(&work);
        }
}
END_TEST

/* Once there is a reason to stop, y stays. */
START_TEST(smoothing_stops)
{
    struct work work;
    ck_assert(begin(&work, _i, 0, 5));
    if (work.op.steps->relax) {
        struct smoothing s = begin_smoothing(&work);
        const struct cgs_space *space = &work.op.domain;
        const struct cgs_cg_state stopped = {.reason = CGS_CONVERGED};
        struct cgs_cg_state *state;
        must(space->ops->state_create(space, &stopped, &state));
        relax_by(&work, true, 3, 2, state, &s);
        ck_assert(memcmp(s.made, s.y, (size_t)work.count * sizeof(double)) == 0);
        space->ops->state_free(space, state);
        end_smoothing(&s);
    }
    end(&work);
}
END_TEST

/* The diagonal is that of the rows: to the bit where the mesh is not deformed, to rounding else,
 * the same by any number of threads. */
START_TEST(diagonal_without_rows)
{
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < SIZES; s++) {
            const struct cgs_mesh mesh = mesh_of(which, sizes[s]);
            struct cgs_row_source source;
            must(cgs_assembler_create(&bed.context, &mesh, cgs_gather_of(&mesh), &source));
            struct rows rows = rows_gather(&source, 1000);
            const size_t bytes = (size_t)rows.count * sizeof(double);
            double *diagonal = must_have(bytes), *other = must_have(bytes);
            must(cgs_mesh_diagonal(&bed.context, &mesh, diagonal));
            bed.context.threads = 3;
            must(cgs_matrix_diagonal(&bed.context, &source, other));
            bed.context.threads = 2;
            ck_assert(memcmp(diagonal, other, bytes) == 0);
            for (int64_t i = 0; i < rows.count; i++)
                for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++)
                    if (rows.columns[k] == i)
                        ck_assert_double_le(
                            fabs(diagonal[i] - rows.values[k]),
                            mesh.deform == 0.0 ? 0.0 : 16.0 * DBL_EPSILON * rows.values[k]);
            free(diagonal);
            free(other);
            rows_free(&rows);
            cgs_assembler_release(&bed.context, &source);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("free");
    TCase *tcase = bed_case(suite, "matrix-free", 300);
    tcase_add_loop_test(tcase, product_is_the_assembled_matrix, 0, pairs(NULL));
    tcase_add_test(tcase, stencil_numbers_are_the_entries);
    tcase_add_loop_test(tcase, fused_is_composed, 0, pairs(NULL));
    tcase_add_loop_test(tcase, breakdown_is_measured, 0, pairs(NULL));
    tcase_add_loop_test(tcase, smoothing_is_composed, 0, pairs(NULL));
    tcase_add_loop_test(tcase, smoothing_stops, 0, pairs(NULL));
    tcase_add_test(tcase, norm_without_rows);
    tcase_add_test(tcase, diagonal_without_rows);
    return bed_run(suite);
}
