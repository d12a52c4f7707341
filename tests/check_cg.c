/* CG on both devices: facts that hold whatever the device is.
 *
 * Two programs from this source: check_cg (CPU) and check_cg_cuda (CHECK_DEVICE=CGS_CUDA), which
 * ends with 77 where there is no usable device. CK_NOFORK: neither OpenMP nor CUDA survives a fork.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "fem/assembly.h"
#include "fem/problem.h"
#include "solver/cg.h"
#include "solver/lanczos.h"

#ifndef CHECK_DEVICE
#define CHECK_DEVICE CGS_CPU
#endif

static struct cgs_context context;
static struct cgs_queue *queue;

static void open_queue(void)
{
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_backend(CHECK_DEVICE)->open(&context, 0, &queue), CGS_OK);
}

static void close_queue(void)
{
    cgs_backend(CHECK_DEVICE)->close(queue);
    ck_assert_int_eq(context.host_bytes, 0);
}

/* ---- small matrices as row sources: a dense array of n x n, zeros left out ---- */

struct dense {
    int n;
    const double *a;
};

static void dense_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                          int32_t *lengths)
{
    const struct dense *d = source->self;
    for (int64_t i = first; i < last; i++) {
        lengths[i - first] = 0;
        for (int j = 0; j < d->n; j++)
            lengths[i - first] += d->a[i * d->n + j] != 0.0;
    }
}

static void dense_fill(const struct cgs_row_source *source, int64_t first, int64_t last,
                       int32_t *columns, double *values)
{
    const struct dense *d = source->self;
    for (int64_t i = first; i < last; i++)
        for (int j = 0; j < d->n; j++)
            if (d->a[i * d->n + j] != 0.0) {
                *columns++ = j;
                *values++ = d->a[i * d->n + j];
            }
}

static struct cgs_row_source dense_source(const struct dense *d)
{
    double norm = 0.0;
    for (int i = 0; i < d->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < d->n; j++)
            sum += fabs(d->a[i * d->n + j]);
        norm = fmax(norm, sum);
    }
    return (struct cgs_row_source){.rows = d->n, .columns = d->n, .norm = norm, .self = d,
                                   .lengths = dense_lengths, .fill = dense_fill};
}

/* ---- one solve ---- */

struct solve {
    enum cgs_format format;
    enum cgs_precision precision;
    const char *kernel;
    bool jacobi;
    struct cgs_cg_settings settings;
};

static struct solve usual(void)
{
    return (struct solve){
        .format = CGS_SELL,
        .kernel = "auto",
        .settings = {.tolerance = 1e-10, .max_iterations = 1000, .restart = true}};
}

/* Solves A x = b from x = 0 (x out); history, if wanted, takes up to max_iterations + 1 numbers. */
static struct cgs_cg_result solve(const struct solve *how, const struct cgs_row_source *source,
                                  const double *b, double *x, double *history)
{
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    const struct cgs_kernel_entry *entry;
    struct cgs_matrix matrix;
    struct cgs_operator op, jacobi = {0};
    struct cgs_cg *cg;
    struct cgs_cg_result result;

    ck_assert_int_eq(cgs_matrix_create(&context, source, how->format, 32, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, how->kernel, CHECK_DEVICE, how->format, &entry), CGS_OK);
    ck_assert_int_eq(cgs_operator_create(queue, backend, entry->tables[how->precision],
                                         how->precision, &matrix, &op), CGS_OK);
    if (how->jacobi)
        ck_assert_int_eq(cgs_jacobi_create(queue, &op, source, &jacobi), CGS_OK);
    ck_assert_int_eq(cgs_cg_create(queue, &op, how->jacobi ? &jacobi : NULL, &how->settings, &cg), CGS_OK);
    const struct cgs_space *space = &op.domain;
    ck_assert_int_eq(space->ops->put(space, b, 0, space->size, cgs_cg_rhs(cg)), CGS_OK);
    ck_assert_int_eq(cgs_cg_solve(cg, &result), CGS_OK);
    ck_assert_int_eq(space->ops->get(space, cgs_cg_solution(cg), 0, space->size, x), CGS_OK);
    if (history)
        memcpy(history, result.history, (size_t)(result.iterations + 1) * sizeof *history);
    cgs_cg_release(cg);
    cgs_operator_release(&jacobi);
    cgs_operator_release(&op);
    cgs_matrix_release(&context, &matrix);
    result.history = NULL;
    return result;
}

/* ---- tests: small systems ---- */

START_TEST(one_by_one)
{
    const double a = 4.0, b = 3.0;
    const struct dense d = {1, &a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    double x = NAN;
    const struct cgs_cg_result r = solve(&how, &source, &b, &x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 1);
    ck_assert_double_eq(x, 0.75);
    ck_assert_double_eq_tol(r.lambda_max, 4.0, 1e-5);
}
END_TEST

START_TEST(diagonal_takes_as_many_steps_as_eigenvalues)
{
    double a[49] = {0}, b[7], x[7];
    for (int i = 0; i < 7; i++) {
        a[8 * i] = 1 + i % 3; /* eigenvalues 1, 2, 3 */
        b[i] = 1 + i;
    }
    const struct dense d = {7, a};
    const struct cgs_row_source source = dense_source(&d);
    struct solve how = usual();
    how.settings.tolerance = 1e-13;
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 3);
    for (int i = 0; i < 7; i++)
        ck_assert_double_eq_tol(x[i], b[i] / a[8 * i], 1e-12);
    ck_assert_double_eq_tol(r.lambda_min, 1.0, 1e-4);
    ck_assert_double_eq_tol(r.lambda_max, 3.0, 1e-4);
    ck_assert_double_eq_tol(r.condition_estimate, 3.0, 1e-3);
}
END_TEST

START_TEST(jacobi_solves_a_diagonal_in_one_step)
{
    double a[25] = {0}, b[5], x[5];
    for (int i = 0; i < 5; i++) {
        a[6 * i] = pow(10.0, i);
        b[i] = i - 2;
    }
    const struct dense d = {5, a};
    const struct cgs_row_source source = dense_source(&d);
    struct solve how = usual();
    how.jacobi = true;
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 1);
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq_tol(x[i] * a[6 * i], b[i], 1e-12);
}
END_TEST

START_TEST(jacobi_refuses_a_diagonal_that_is_not_positive)
{
    const double a[4] = {1, 0.5, 0.5, -2};
    const struct dense d = {2, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct cgs_kernel_entry *entry;
    struct cgs_matrix matrix;
    struct cgs_operator op, jacobi;
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_CRS, 1, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_CRS, &entry), CGS_OK);
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), entry->tables[0],
                                         CGS_PRECISION_F64, &matrix, &op), CGS_OK);
    ck_assert_int_eq(cgs_jacobi_create(queue, &op, &source, &jacobi), CGS_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(context.message, "row 2"));
    cgs_operator_release(&op);
    cgs_matrix_release(&context, &matrix);
}
END_TEST

START_TEST(zero_right_hand_side_is_solved_by_zero)
{
    const double a[4] = {2, 1, 1, 2}, b[2] = {0, 0};
    const struct dense d = {2, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    double x[2] = {NAN, NAN};
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 0);
    ck_assert_double_eq(x[0], 0.0);
    ck_assert_double_eq(x[1], 0.0);
    ck_assert_double_eq(r.true_relative_residual, 0.0);
}
END_TEST

START_TEST(indefinite_is_named_with_its_iteration)
{
    /* p0 = b = (1, 1): p'Ap = 1 > 0; the second direction meets the negative eigenvalue. */
    const double a[4] = {2, 0, 0, -1}, b[2] = {1, 1};
    const struct dense d = {2, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    double x[2];
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_POSITIVE);
    ck_assert_int_eq(r.iterations, 1);
    ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_BREAKDOWN);
    ck_assert(isfinite(x[0]) && isfinite(x[1]));
    const double negative[1] = {-3};
    const struct dense one = {1, negative};
    const struct cgs_row_source worse = dense_source(&one);
    ck_assert_int_eq(solve(&how, &worse, b, x, NULL).outcome, CGS_OUTCOME_NOT_POSITIVE);
}
END_TEST

START_TEST(singular_consistent_is_solved)
{
    /* The graph Laplacian of a path of 5: kernel (1, ..., 1); b with sum 0. */
    double a[25] = {0}, x[5], ax;
    const double b[5] = {1, 2, -4, 3, -2};
    for (int i = 0; i < 4; i++) {
        a[6 * i] += 1;
        a[6 * i + 6] += 1;
        a[5 * i + i + 1] = a[5 * (i + 1) + i] = -1;
    }
    const struct dense d = {5, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_le(r.iterations, 4);
    for (int i = 0; i < 5; i++) {
        ax = 0;
        for (int j = 0; j < 5; j++)
            ax += a[5 * i + j] * x[j];
        ck_assert_double_eq_tol(ax, b[i], 1e-9);
    }
}
END_TEST

START_TEST(nan_is_named_and_nothing_claimed)
{
    const double a[4] = {2, 1, 1, 2}, b[2] = {1, NAN};
    const struct dense d = {2, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    double x[2];
    struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_FINITE);
    ck_assert_int_eq(r.iterations, 0);
    const double inf[4] = {2, 1, 1, INFINITY}, ones[2] = {1, 1};
    const struct dense e = {2, inf};
    const struct cgs_row_source bad = dense_source(&e);
    r = solve(&how, &bad, ones, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_FINITE);
    ck_assert_int_eq(r.iterations, 0);
}
END_TEST

START_TEST(iteration_limit_is_exact)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(9, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double b[729], x[729];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < 729; i++)
        b[i] = cgs_random((uint64_t)i);
    struct solve how = usual();
    const int checks[] = {1, 3, 8};
    for (int limit = 0; limit <= 7; limit++) {
        for (int c = 0; c < 3; c++) {
            how.settings.max_iterations = limit;
            how.settings.check_every = checks[c];
            const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_ITERATION_LIMIT);
            ck_assert_int_eq(r.iterations, limit);
            ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_NOT_CONVERGED);
        }
    }
    cgs_assembler_release(&context, &source);
}
END_TEST

START_TEST(stagnation_is_seen)
{
    /* The residual norm of this indefinite-like, badly scaled system rises before it falls: with
     * a window of 1 CG gives up there. */
    double a[36] = {0}, b[6], x[6];
    for (int i = 0; i < 6; i++) {
        a[7 * i] = pow(1e3, i);
        b[i] = pow(10.0, -i);
        for (int j = 0; j < i; j++)
            a[6 * i + j] = a[6 * j + i] = 0.4 * sqrt(a[7 * i] * a[7 * j]);
    }
    const struct dense d = {6, a};
    const struct cgs_row_source source = dense_source(&d);
    struct solve how = usual();
    how.settings.stagnation_window = 1;
    how.settings.tolerance = 1e-14;
    double history[1001];
    const struct cgs_cg_result r = solve(&how, &source, b, x, history);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_STAGNATION);
    ck_assert_int_ge(r.iterations, 2);
    double best = INFINITY;
    for (int64_t k = 0; k <= r.iterations - 2; k++)
        best = fmin(best, history[k]);
    ck_assert_double_ge(history[r.iterations], best);
    ck_assert_double_ge(history[r.iterations - 1], best);
}
END_TEST

/* ---- tests: the Q1 matrix ---- */

/* The eigenvector sin(i pi x) sin(j pi y) sin(k pi z) at the nodes. */
static void eigenvector(int n, int i, int j, int k, double *v)
{
    const double h = 1.0 / (n + 1);
    for (int z = 1; z <= n; z++)
        for (int y = 1; y <= n; y++)
            for (int x = 1; x <= n; x++)
                *v++ = sin(i * M_PI * x * h) * sin(j * M_PI * y * h) * sin(k * M_PI * z * h);
}

/* Its eigenvalue (gauss): (2/3) h (4 - ci cj - cj ck - ci ck - ci cj ck), ci = cos(i pi h). */
static double eigenvalue(int n, int i, int j, int k)
{
    const double h = 1.0 / (n + 1);
    const double ci = cos(i * M_PI * h), cj = cos(j * M_PI * h), ck = cos(k * M_PI * h);
    return 2.0 / 3.0 * h * (4.0 - ci * cj - cj * ck - ci * ck - ci * cj * ck);
}

START_TEST(sums_of_sines_are_solved_exactly)
{
    enum { N = 12 };
    const int modes[3][3] = {{1, 1, 1}, {2, 5, 1}, {7, 3, 11}};
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double v[N * N * N], b[N * N * N], u[N * N * N], x[N * N * N];
    memset(b, 0, sizeof b);
    memset(u, 0, sizeof u);
    for (int m = 0; m < 3; m++) {
        eigenvector(N, modes[m][0], modes[m][1], modes[m][2], v);
        for (int i = 0; i < N * N * N; i++) {
            u[i] += (m + 1) * v[i];
            b[i] += (m + 1) * v[i] * eigenvalue(N, modes[m][0], modes[m][1], modes[m][2]);
        }
    }
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    struct solve how = usual();
    how.settings.tolerance = 1e-13;
    const enum cgs_format formats[] = {CGS_CRS, CGS_SELL};
    for (int f = 0; f < 2; f++) {
        how.format = formats[f];
        const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_eq(r.iterations, 3); /* three eigenvalues in b */
        for (int i = 0; i < N * N * N; i++)
            ck_assert_double_eq_tol(x[i], u[i], 1e-11);
    }
    cgs_assembler_release(&context, &source);
}
END_TEST

/* Every kernel, plain and graph, jacobi or not: the same iterations (+-1) and solution. */
START_TEST(every_kernel_and_launch_agrees)
{
    enum { N = 17, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    const struct cgs_problem *smooth = cgs_problem_find("smooth");
    struct cgs_row_source source;
    static double b[ROWS], x[ROWS], reference[ROWS];
    int count, tried = 0;
    int64_t iterations = 0;
    const struct cgs_kernel_entry *kernels = cgs_kernels(&count);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    ck_assert_int_eq(cgs_problem_load(&context, smooth, &mesh, 0, ROWS, b), CGS_OK);
    for (int k = 0; k < count; k++) {
        if (kernels[k].device != CHECK_DEVICE)
            continue;
        const struct cgs_kernel *table = kernels[k].tables[CGS_PRECISION_F64];
        const bool graphs = table->capturable && CHECK_DEVICE == CGS_CUDA;
        for (int variant = 0; variant < (graphs ? 4 : 2); variant++) {
            struct solve how = usual();
            how.format = kernels[k].format;
            how.kernel = kernels[k].name;
            how.jacobi = variant % 2;
            how.settings.launch = variant / 2 ? CGS_LAUNCH_GRAPH : CGS_LAUNCH_PLAIN;
            const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
            if (tried++ == 0) {
                iterations = r.iterations;
                memcpy(reference, x, sizeof x);
            }
            ck_assert_int_le(llabs(r.iterations - iterations), 1);
            double most = 0.0, size = 0.0;
            for (int i = 0; i < ROWS; i++) {
                most = fmax(most, fabs(x[i] - reference[i]));
                size = fmax(size, fabs(reference[i]));
            }
            ck_assert_double_le(most, 1e-8 * size);
        }
    }
    ck_assert_int_ge(tried, 4);
    cgs_assembler_release(&context, &source);
}
END_TEST

START_TEST(two_runs_give_the_same_bits)
{
    enum { N = 21, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double b[ROWS], x[2][ROWS], history[2][1001];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
    const enum cgs_precision precisions[] = {CGS_PRECISION_F64, CGS_PRECISION_F32, CGS_PRECISION_F64V32};
    for (int p = 0; p < 3; p++) {
        struct solve how = usual();
        how.precision = precisions[p];
        if (precisions[p] == CGS_PRECISION_F32)
            how.settings.tolerance = 1e-5;
        const struct cgs_cg_result r = solve(&how, &source, b, x[0], history[0]);
        ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_OK);
        context.threads = 3 - context.threads % 2; /* another number of threads, too */
        how.settings.check_every = 5;
        const struct cgs_cg_result s = solve(&how, &source, b, x[1], history[1]);
        ck_assert_int_eq(r.iterations, s.iterations);
        ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
        ck_assert_mem_eq(history[0], history[1], (size_t)(r.iterations + 1) * sizeof(double));
    }
    cgs_assembler_release(&context, &source);
}
END_TEST

START_TEST(single_precision_never_claims_too_much)
{
    enum { N = 40, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    const struct cgs_problem *smooth = cgs_problem_find("smooth");
    struct cgs_row_source source;
    static double b[ROWS], x[ROWS], row_values[27];
    static int32_t row_columns[27];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    ck_assert_int_eq(cgs_problem_load(&context, smooth, &mesh, 0, ROWS, b), CGS_OK);
    struct solve how = usual();
    how.precision = CGS_PRECISION_F32;
    const double tolerances[] = {1e-3, 1e-5, 1e-8};
    for (int t = 0; t < 3; t++) {
        how.settings.tolerance = tolerances[t];
        const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
        double rr = 0.0, bb = 0.0;
        for (int i = 0; i < ROWS; i++) {
            int32_t length;
            double residual = b[i];
            source.lengths(&source, i, i + 1, &length);
            source.fill(&source, i, i + 1, row_columns, row_values);
            for (int k = 0; k < length; k++)
                residual -= row_values[k] * x[row_columns[k]];
            rr += residual * residual;
            bb += b[i] * b[i];
        }
        const double relative = sqrt(rr / bb);
        /* What is reported is the truth, up to the rounding of the report's own product. */
        ck_assert_double_le(fabs(relative - r.true_relative_residual), r.floor);
        if (r.outcome == CGS_OUTCOME_CONVERGED)
            ck_assert_double_le(relative, 2 * tolerances[t] + r.floor);
        else
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
        if (tolerances[t] == 1e-8)
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
    }
    cgs_assembler_release(&context, &source);
}
END_TEST

/* Residuals that never get small: progress is shown, and false stops. */
static bool stop_at_ten(void *user, const struct cgs_progress *progress)
{
    int *looks = user;
    *looks += 1;
    return progress->iteration < 10;
}

START_TEST(a_caller_can_stop)
{
    enum { N = 20, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double b[ROWS], x[ROWS];
    int looks = 0;
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
    struct solve how = usual();
    how.settings.progress = stop_at_ten;
    how.settings.user = &looks;
    how.settings.check_every = 2;
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_INTERRUPTED);
    ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_INTERRUPTED);
    ck_assert_int_ge(looks, 5);
    ck_assert_int_ge(r.iterations, 10);
    ck_assert_int_le(r.iterations, 16);
    cgs_assembler_release(&context, &source);
}
END_TEST

/* ---- tests: fused steps of an operator are used, and equal the composed ones ---- */

/* An operator that offers direction_apply_dot and update, made from a plain one. */
struct fused {
    const struct cgs_operator *plain;
    int directions, updates, finishes;
};

static enum cgs_status fused_apply(const void *self, struct cgs_queue *on,
                                   const struct cgs_cg_state *state, const void *x, void *y)
{
    return cgs_operator_apply(((const struct fused *)self)->plain, on, state, x, y);
}

/* p = z + beta p with the beta of the iteration concluded before: state->beta, read by a look. */
static enum cgs_status fused_direction(const void *self, struct cgs_queue *on,
                                       struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    struct fused *f = (struct fused *)self;
    const struct cgs_space *space = &f->plain->domain;
    struct cgs_cg_state seen;
    f->directions += 1;
    CGS_TRY(space->ops->look_start(space, on, state, 0));
    CGS_TRY(space->ops->look_finish(space, on, 0, &seen));
    if (seen.iteration > 0) /* p is z at the start */
        CGS_TRY(space->ops->xpby(space, on, state, v->z, cgs_constant(seen.beta), v->p));
    return cgs_operator_apply_dot(f->plain, on, state, v->p, v->q, CGS_SUM_PQ);
}

static enum cgs_status fused_update(const void *self, struct cgs_queue *on,
                                    struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    struct fused *f = (struct fused *)self;
    const struct cgs_space *space = &f->plain->domain;
    f->updates += 1;
    CGS_TRY(space->ops->axpy(space, on, state, cgs_scalar(CGS_ALPHA), v->p, v->x));
    CGS_TRY(space->ops->axpy(space, on, state, cgs_scalar(CGS_MINUS_ALPHA), v->q, v->r));
    return space->ops->dot(space, on, state, v->r, v->r, CGS_SUM_RR);
}

static enum cgs_status fused_finish(const void *self, struct cgs_queue *on,
                                    struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    (void)on, (void)state, (void)v;
    ((struct fused *)self)->finishes += 1;
    return CGS_OK;
}

static void fused_release(void *self)
{
    (void)self;
}

START_TEST(fused_steps_of_an_operator_are_used)
{
    enum { N = 8, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    const struct cgs_kernel_entry *entry;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_operator plain;
    static double b[ROWS], x[2][ROWS];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_SELL, 32, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_SELL, &entry), CGS_OK);
    ck_assert_int_eq(cgs_operator_create(queue, backend, entry->tables[CGS_PRECISION_F64],
                                         CGS_PRECISION_F64, &matrix, &plain), CGS_OK);
    const struct cgs_steps steps = {.apply = fused_apply, .direction_apply_dot = fused_direction,
                                    .update = fused_update, .finish = fused_finish,
                                    .release = fused_release};
    struct fused self = {.plain = &plain};
    struct cgs_operator fused = plain;
    fused.steps = &steps;
    fused.self = &self;
    const struct cgs_operator *ops[2] = {&plain, &fused};
    int64_t iterations[2];
    for (int k = 0; k < 2; k++) {
        const struct cgs_cg_settings settings = {.tolerance = 1e-11, .max_iterations = 500,
                                                 .check_every = 1};
        struct cgs_cg *cg;
        struct cgs_cg_result result;
        ck_assert_int_eq(cgs_cg_create(queue, ops[k], NULL, &settings, &cg), CGS_OK);
        ck_assert_int_eq(plain.domain.ops->put(&plain.domain, b, 0, ROWS, cgs_cg_rhs(cg)), CGS_OK);
        ck_assert_int_eq(cgs_cg_solve(cg, &result), CGS_OK);
        ck_assert_int_eq(result.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_eq(plain.domain.ops->get(&plain.domain, cgs_cg_solution(cg), 0, ROWS, x[k]), CGS_OK);
        iterations[k] = result.iterations;
        cgs_cg_release(cg);
    }
    ck_assert_int_eq(iterations[0], iterations[1]);
    ck_assert_int_ge(self.directions, (int)iterations[1]);
    ck_assert_int_eq(self.directions, self.updates);
    ck_assert_int_eq(self.finishes, 1);
    for (int i = 0; i < ROWS; i++)
        ck_assert_double_eq_tol(x[0][i], x[1][i], 1e-11);
    cgs_operator_release(&plain);
    cgs_matrix_release(&context, &matrix);
    cgs_assembler_release(&context, &source);
}
END_TEST

START_TEST(graph_where_there_is_none_is_a_usage_error)
{
    const double a = 1.0;
    const struct dense d = {1, &a};
    const struct cgs_row_source source = dense_source(&d);
    const struct cgs_kernel_entry *entry;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    struct cgs_cg *cg = NULL;
    const struct cgs_cg_settings settings = {
        .tolerance = 1e-10, .max_iterations = 1, .launch = CGS_LAUNCH_GRAPH};
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_CRS, 1, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_CRS, &entry), CGS_OK);
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), entry->tables[0],
                                         CGS_PRECISION_F64, &matrix, &op), CGS_OK);
    op.capturable = false;
    ck_assert_int_eq(cgs_cg_create(queue, &op, NULL, &settings, &cg), CGS_USAGE);
    ck_assert_ptr_null(cg);
    ck_assert_ptr_nonnull(strstr(context.message, "plain"));
    cgs_operator_release(&op);
    cgs_matrix_release(&context, &matrix);
}
END_TEST

START_TEST(eigenvalue_estimates_lie_inside)
{
    enum { N = 14, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double b[ROWS], x[ROWS];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
    const struct solve how = usual();
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    double low = INFINITY, high = 0.0;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            for (int k = 1; k <= N; k++) {
                low = fmin(low, eigenvalue(N, i, j, k));
                high = fmax(high, eigenvalue(N, i, j, k));
            }
    ck_assert_double_ge(r.lambda_min, low * (1 - 1e-5));
    ck_assert_double_le(r.lambda_max, high * (1 + 1e-5));
    ck_assert_double_le(r.lambda_min, low * 1.01);
    ck_assert_double_ge(r.lambda_max, high * 0.99);
    cgs_assembler_release(&context, &source);
}
END_TEST

int main(void)
{
    struct cgs_queue *probe;
    cgs_context_init(&context);
    if (!cgs_backend(CHECK_DEVICE) ||
        cgs_backend(CHECK_DEVICE)->open(&context, 0, &probe) != CGS_OK) {
        const char *why = context.message[0] ? context.message : cgs_backend_reason(CHECK_DEVICE);
        printf("SKIP: %s\n", why);
        return 77;
    }
    cgs_backend(CHECK_DEVICE)->close(probe);

    Suite *suite = suite_create("CG");
    TCase *tests = tcase_create("CG");
    tcase_add_checked_fixture(tests, open_queue, close_queue);
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, one_by_one);
    tcase_add_test(tests, diagonal_takes_as_many_steps_as_eigenvalues);
    tcase_add_test(tests, jacobi_solves_a_diagonal_in_one_step);
    tcase_add_test(tests, jacobi_refuses_a_diagonal_that_is_not_positive);
    tcase_add_test(tests, zero_right_hand_side_is_solved_by_zero);
    tcase_add_test(tests, indefinite_is_named_with_its_iteration);
    tcase_add_test(tests, singular_consistent_is_solved);
    tcase_add_test(tests, nan_is_named_and_nothing_claimed);
    tcase_add_test(tests, iteration_limit_is_exact);
    tcase_add_test(tests, stagnation_is_seen);
    tcase_add_test(tests, sums_of_sines_are_solved_exactly);
    tcase_add_test(tests, every_kernel_and_launch_agrees);
    tcase_add_test(tests, two_runs_give_the_same_bits);
    tcase_add_test(tests, single_precision_never_claims_too_much);
    tcase_add_test(tests, a_caller_can_stop);
    tcase_add_test(tests, fused_steps_of_an_operator_are_used);
    tcase_add_test(tests, graph_where_there_is_none_is_a_usage_error);
    tcase_add_test(tests, eigenvalue_estimates_lie_inside);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
