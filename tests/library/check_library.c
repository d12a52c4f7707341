/* libcgsolve through its public header: right answers. */
#include <pthread.h>

#include "tests/library/library.h"

static double ones[4096];

TEST(one_by_one)
{
    const int64_t pointers[] = {0, 1};
    const int32_t columns[] = {0};
    const double values[] = {4.0}, b[] = {2.0};
    double x[] = {-1.0};
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    ck_assert_int_eq(cgsolve_matrix_crs(s, 1, 1, pointers, columns, values), CGSOLVE_OK);
    ck_assert_int_eq(unknowns_of(s), 1);
    solved(cgsolve_solve(s, 1, b, x, &result));
    ck_assert_double_eq_tol(x[0], 0.5, 1e-15);
    ck_assert_int_eq(result.status, CGSOLVE_OK);
    ck_assert_str_eq(result.outcome, "converged");
    ck_assert_str_eq(result.backend, "cpu");
    ck_assert_int_eq(result.unknowns, 1);
    ck_assert_int_le(result.iterations, 1);
    ck_assert_double_nan(result.l2_error);
    cgsolve_destroy(&s);
}

TEST(two_by_two)
{
    const int64_t pointers[] = {0, 2, 4};
    const int32_t columns[] = {0, 1, 0, 1};
    const double values[] = {2.0, 1.0, 1.0, 3.0}, b[] = {1.0, -2.0}, right[] = {1.0, -1.0};
    double x[2];
    struct cgsolve *s = handle();
    ck_assert_int_eq(cgsolve_matrix_crs(s, 2, 4, pointers, columns, values), CGSOLVE_OK);
    solved(cgsolve_solve(s, 2, b, x, NULL));
    assert_near(x, right, 2, 1e-14);
    cgsolve_destroy(&s);
}

/* A = B'B + I, dense, and its solution by elimination without pivots (A is positive definite). */
TEST(dense_oracle)
{
    enum { N = 40 };
    static double a[N][N], left[N][N];
    double right[N], b[N], x[N];
    struct rows rows = rows_of(N, N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i == j;
            for (int k = 0; k < N; k++)
                a[i][j] += some(N * k + i) * some(N * k + j);
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            left[i][j] = a[i > j ? i : j][i > j ? j : i]; /* symmetric to the bit */
            rows_add(&rows, i, j, left[i][j]);
        }
    for (int i = 0; i < N; i++)
        right[i] = b[i] = some(i);
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            const double f = left[i][k] / left[k][k];
            for (int j = k; j < N; j++)
                left[i][j] -= f * left[k][j];
            right[i] -= f * right[k];
        }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++)
            right[i] -= left[i][j] * right[j];
        right[i] /= left[i][i];
    }
    struct cgsolve *s = handle();
    option(s, "tol", "1e-14");
    hand_over(s, &rows);
    solved(cgsolve_solve(s, N, b, x, NULL));
    assert_near(x, right, N, 1e-10);
    cgsolve_destroy(&s);
    rows_free(&rows);
}

/* Formats, precisions and preconditioners, by their options' names. */
static const struct way {
    const char *name, *value, *format; /* expected */
    double bound;
} ways[] = {
    {"precond", "none", "sell", 1e-4},      {"precond", "jacobi", "sell", 1e-4},
    {"precond", "chebyshev", "sell", 1e-4}, {"precond", "amg", "sell", 1e-4},
    {"format", "crs", "crs", 1e-4},         {"format", "sellc", "sellc", 1e-4},
    {"kernel", "crs_row", "crs", 1e-4},     {"precision", "mixed", "sell", 1e-4},
    {"sigma", "64", "sell", 1e-4},          {"threads", "1", "sell", 1e-4},
    {"solves", "3", "sell", 1e-4},          {"profile", "yes", "sell", 1e-4},
    {"reproducible", "yes", "sell", 1e-4},
};

LOOP_TEST(tridiagonal, sizeof ways / sizeof *ways)
{
    enum { N = 1000 };
    const struct way *way = &ways[_i];
    double right[N], x[N];
    struct rows a = rows_tridiagonal(N);
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    for (int i = 0; i < N; i++)
        right[i] = 0.5 * (i + 1.0) * (N - i);
    option(s, "tol", "1e-10");
    option(s, way->name, way->value);
    hand_over(s, &a);
    for (int again = 0; again < 2; again++) {
        solved(cgsolve_solve(s, N, ones, x, &result));
        assert_near(x, right, N, way->bound);
        ck_assert_str_eq(result.format, way->format);
        ck_assert_double_le(result.true_relative_residual, 2e-10);
        ck_assert_int_eq(result.unknowns, N);
    }
    cgsolve_destroy(&s);
    rows_free(&a);
}

/* The set-up of the first solve serves the others, whatever became of the arrays; each solve is
 * as if it were the first one. */
TEST(solving_again)
{
    enum { N = 300 };
    double b[N], x[N], first[N], other[N];
    struct rows a = rows_tridiagonal(N);
    struct cgsolve *s = handle(), *fresh = handle();
    struct cgsolve_result result;
    for (int i = 0; i < N; i++)
        b[i] = some(i);
    hand_over(fresh, &a);
    solved(cgsolve_solve(fresh, N, b, other, NULL));
    hand_over(s, &a);
    solved(cgsolve_solve(s, N, ones, first, NULL));
    a.values[0] = NAN;
    solved(cgsolve_solve(s, N, b, x, NULL));
    ck_assert_mem_eq(x, other, sizeof x);
    solved(cgsolve_solve(s, N, ones, x, &result));
    ck_assert_mem_eq(x, first, sizeof x);
    const int64_t cold = result.iterations;
    ck_assert_int_gt(cold, 10);

    solved(cgsolve_solve_from(s, N, ones, x, &result)); /* from the solution */
    ck_assert_int_le(result.iterations, 1);
    solved(cgsolve_solve(s, N, ones, x, &result)); /* and again from zero */
    ck_assert_int_eq(result.iterations, cold);
    a.values[0] = 2.0;
    option(s, "precond", "amg"); /* sets up anew */
    solved(cgsolve_solve(s, N, ones, x, &result));
    ck_assert_int_lt(result.iterations, cold);
    assert_near(x, first, N, 1e-4);
    cgsolve_destroy(&s);
    cgsolve_destroy(&fresh);
    rows_free(&a);
}

static void *solve_often(void *number)
{
    enum { N = 200, TIMES = 5 };
    const double scale = *(const int *)number + 1.0;
    double x[N], b[N];
    struct rows a = rows_tridiagonal(N);
    for (int i = 0; i < N; i++)
        b[i] = scale;
    for (int t = 0; t < TIMES; t++) {
        struct cgsolve *s = handle();
        option(s, "threads", "2");
        hand_over(s, &a);
        solved(cgsolve_solve(s, N, b, x, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_double_eq_tol(x[i], scale * 0.5 * (i + 1.0) * (N - i), 1e-5 * scale);
        cgsolve_destroy(&s);
    }
    rows_free(&a);
    return NULL;
}

TEST(handles_of_several_threads)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, solve_often, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
    for (int i = 0; i < (int)(sizeof ones / sizeof *ones); i++)
        ones[i] = 1.0;
    return suite_run(suite_of("library", 60, NULL, NULL));
}
