/* libcgsolve through its public header: what goes wrong is said, and the handle stays usable. */
#include "tests/library.h"

/* Matrices of two rows (or as many as said) that are none; what the message says. */
static const struct wrong {
    int64_t rows, pointers[3];
    int32_t columns[4];
    double values[4];
    const char *says;
} wrongs[] = {
    {0, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}, "0 rows"},
    {-3, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}, "-3 rows"},
    {INT64_C(3000000000), {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}, "at most 2147483647"},
    {2, {1, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}, "pointers[0] = 1"},
    {2, {0, 2, 1}, {0, 1, 0, 1}, {2, 1, 1, 2}, "row 1: pointers[2] = 1 follows 2"},
    {2, {0, -1, 2}, {0, 1, 0, 1}, {2, 1, 1, 2}, "row 0: pointers[1] = -1 follows 0"},
    {2, {0, 3, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}, "row 0 has 3 entries"},
    {2,
     {0, 2, 4},
     {0, 1, 0, 2},
     {2, 1, 1, 2},
     "row 1: columns[3] = 2 is out of range: expected 0 ... 1"},
    {2, {0, 2, 4}, {-1, 1, 0, 1}, {2, 1, 1, 2}, "row 0: columns[0] = -1"},
    {2, {0, 2, 4}, {0, 1, 1, 0}, {2, 1, 1, 2}, "row 1: columns[3] = 0 follows 1"},
    {2, {0, 2, 4}, {0, 0, 0, 1}, {2, 1, 1, 2}, "row 0: columns[1] = 0 follows 0"},
    {2, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, INFINITY}, "row 1: values[3] = inf in column 1"},
};

START_TEST(arrays_that_are_no_matrix)
{
    const struct wrong *w = &wrongs[_i];
    const double b[] = {3.0, 3.0};
    const struct wrong right = {2, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}, NULL};
    double x[2];
    struct cgsolve *s = handle();
    ck_assert_int_eq(cgsolve_matrix_crs(s, 2, right.pointers, right.columns, right.values),
                     CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_matrix_crs(s, w->rows, w->pointers, w->columns, w->values),
                     CGSOLVE_INPUT);
    ck_assert_msg(strstr(cgsolve_message(s), w->says) != NULL, "%s", cgsolve_message(s));
    solved(s, cgsolve_solve(s, b, x, NULL)); /* with the matrix that it had */
    ck_assert_double_eq_tol(x[0], 1.0, 1e-12);
    cgsolve_destroy(s);
}
END_TEST

/* The message of a call that failed, as expected. */
static void said(const struct cgsolve *s, enum cgsolve_status status, enum cgsolve_status expected,
                 const char *says)
{
    ck_assert_msg(status == expected, "%s, not %s: %s", cgsolve_status_text(status),
                  cgsolve_status_text(expected), cgsolve_message(s));
    ck_assert_msg(strstr(cgsolve_message(s), says) != NULL, "%s", cgsolve_message(s));
}

START_TEST(matrices_that_cg_cannot_take)
{
    const int64_t pointers[] = {0, 2, 4};
    const int32_t columns[] = {0, 1, 0, 1};
    const double asymmetric[] = {2, 1, 1.5, 2}, negative[] = {1, 0, 0, -1},
                 indefinite[] = {1, 2, 2, 1};
    const double b[] = {1.0, -2.0};
    double x[] = {7.0, 7.0};
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    cgsolve_matrix_crs(s, 2, pointers, columns, asymmetric);
    said(s, cgsolve_solve(s, b, x, &result), CGSOLVE_BREAKDOWN, "a(1, 2)");
    ck_assert_str_eq(result.outcome, "");
    cgsolve_matrix_crs(s, 2, pointers, columns, negative);
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_BREAKDOWN, "a(2, 2)");
    cgsolve_matrix_crs(s, 2, pointers, columns, indefinite);
    said(s, cgsolve_solve(s, b, x, &result), CGSOLVE_BREAKDOWN, "not symmetric positive definite");
    ck_assert_int_eq(result.status, CGSOLVE_BREAKDOWN);
    ck_assert(x[0] == 7.0 && x[1] == 7.0);
    ck_assert_int_eq(cgsolve_matrix_crs(s, 2, NULL, columns, negative), CGSOLVE_USAGE);
    cgsolve_destroy(s);
}
END_TEST

START_TEST(options_by_name)
{
    struct cgsolve *s = handle();
    said(s, cgsolve_set(s, "tolerance", "1"), CGSOLVE_USAGE, "unknown option 'tolerance'");
    said(s, cgsolve_set(s, "precon", "mg"), CGSOLVE_USAGE, "did you mean 'precond'?");
    said(s, cgsolve_set(s, "precond", "jacoby"), CGSOLVE_USAGE, "did you mean 'jacobi'?");
    said(s, cgsolve_set(s, "tol", "2"), CGSOLVE_USAGE, "out of range: expected 0 < TOL < 1");
    said(s, cgsolve_set(s, "N", "1.5"), CGSOLVE_USAGE, "not a whole number");
    said(s, cgsolve_set(s, "json", "x.json"), CGSOLVE_USAGE, "cgsolve_report_json");
    said(s, cgsolve_set(s, "verbose", "yes"), CGSOLVE_USAGE, "belongs to the program");
    said(s, cgsolve_set(s, "random", "9,0.1"), CGSOLVE_USAGE, "belongs to the program");
    said(s, cgsolve_set(s, "reproducible", "no"), CGSOLVE_USAGE, "expected yes");
    said(s, cgsolve_set(s, "kernel", "./mine.c"), CGSOLVE_USAGE, "is a file");
    said(s, cgsolve_set(s, NULL, "1"), CGSOLVE_USAGE, "NULL");
    option(s, "N", "5");
    ck_assert_int_eq(cgsolve_unknowns(s), 125);
    option(s, "N", NULL);
    ck_assert_int_eq(cgsolve_unknowns(s), 64 * 64 * 64);
    option(s, "matrix", "x.mtx");
    ck_assert_int_eq(cgsolve_unknowns(s), 0);
    cgsolve_destroy(s);
}
END_TEST

START_TEST(calls_that_make_no_sense)
{
    double b[125] = {1.0}, x[125] = {0.0};
    struct rows a = rows_tridiagonal(125);
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    ck_assert_ptr_null(cgsolve_report_json(s));
    ck_assert_ptr_nonnull(strstr(cgsolve_message(s), "no report: cgsolve_solve makes one"));
    option(s, "N", "5");
    option(s, "rhs", "ones");
    said(s, cgsolve_solve(s, NULL, x, &result), CGSOLVE_USAGE, "--rhs=ones belongs to --matrix");
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_USAGE, "b is given");
    option(s, "rhs", NULL);
    said(s, cgsolve_solve_from(s, b, NULL, NULL), CGSOLVE_USAGE, "x is NULL");
    option(s, "problem", "course");
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_USAGE, "problem = course");
    option(s, "problem", NULL);
    option(s, "guess", "fmg");
    said(s, cgsolve_solve_from(s, NULL, x, NULL), CGSOLVE_USAGE, "x is a start vector");
    solved(s, cgsolve_solve(s, b, x, NULL)); /* the first solve: there is no solution to compare */
    solved(s, cgsolve_solve(s, NULL, x, NULL));
    option(s, "guess", NULL);
    option(s, "stop", "discretization");
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_USAGE, "stop = discretization");
    option(s, "stop", NULL);
    hand_over(s, &a);
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_USAGE, "--N belongs to the box");
    option(s, "N", NULL);
    said(s, cgsolve_solve(s, NULL, x, NULL), CGSOLVE_USAGE, "b is NULL");
    option(s, "precond", "mg");
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_USAGE, "--precond=amg");
    option(s, "precond", NULL);
    option(s, "matrix", "x.mtx");
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_USAGE, "leave one of them out");
    ck_assert_int_eq(cgsolve_matrix_options(s), CGSOLVE_OK);
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_INPUT, "x.mtx");
    option(s, "matrix", NULL);
    hand_over(s, &a);
    option(s, "rhs", "random");
    solved(s, cgsolve_solve(s, NULL, x, &result));
    ck_assert_double_lt(result.max_error, 1e-4);
    option(s, "rhs", NULL);
    b[7] = NAN;
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_INPUT, "b[7] is nan");
    b[7] = 1e60;
    option(s, "precision", "single");
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_INPUT, "does not fit single precision");
    b[7] = 1.0;
    x[3] = -INFINITY;
    said(s, cgsolve_solve_from(s, b, x, NULL), CGSOLVE_INPUT, "x[3] is -inf");
    option(s, "tol", "1e-3");
    solved(s, cgsolve_solve(s, b, x, NULL));
    cgsolve_destroy(s);
    rows_free(&a);
}
END_TEST

static int stop_at_once(void *calls, int64_t iteration, double relative_residual)
{
    ck_assert_int_ge(iteration, 0);
    ck_assert(relative_residual >= 0.0);
    ++*(int *)calls;
    return 0;
}

START_TEST(ends_before_it_converges)
{
    double b[500], x[500];
    int calls = 0;
    struct rows a = rows_tridiagonal(500);
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    for (int i = 0; i < 500; i++)
        b[i] = 1.0;
    hand_over(s, &a);
    option(s, "max-iterations", "3");
    x[0] = NAN;
    said(s, cgsolve_solve(s, b, x, &result), CGSOLVE_NOT_CONVERGED, "limit of 3 iterations");
    ck_assert_str_eq(result.outcome, "iteration_limit");
    ck_assert_int_eq(result.iterations, 3);
    ck_assert(isfinite(x[0]));
    option(s, "max-iterations", NULL);
    option(s, "check-every", "2");
    cgsolve_watch(s, stop_at_once, &calls);
    said(s, cgsolve_solve(s, b, x, &result), CGSOLVE_INTERRUPTED, "stopped by the caller");
    ck_assert_int_eq(calls, 1);
    ck_assert_str_eq(result.outcome, "interrupted");
    cgsolve_watch(s, NULL, NULL);
    solved(s, cgsolve_solve(s, b, x, NULL));
    option(s, "memory-limit", "1K");
    said(s, cgsolve_solve(s, b, x, NULL), CGSOLVE_MEMORY, "--memory-limit");
    cgsolve_destroy(s);
    rows_free(&a);
}
END_TEST

START_TEST(nothing_to_destroy)
{
    double x = 0.0;
    cgsolve_destroy(NULL);
    cgsolve_watch(NULL, NULL, NULL);
    ck_assert_int_eq(cgsolve_set(NULL, "N", "9"), CGSOLVE_MEMORY);
    ck_assert_int_eq(cgsolve_matrix_crs(NULL, 1, NULL, NULL, NULL), CGSOLVE_MEMORY);
    ck_assert_int_eq(cgsolve_matrix_options(NULL), CGSOLVE_MEMORY);
    ck_assert_int_eq(cgsolve_measure(NULL, 1), CGSOLVE_MEMORY);
    ck_assert_int_eq(cgsolve_solve(NULL, &x, &x, NULL), CGSOLVE_MEMORY);
    ck_assert_int_eq(cgsolve_unknowns(NULL), 0);
    ck_assert_ptr_null(cgsolve_report_json(NULL));
    ck_assert_str_eq(cgsolve_message(NULL), "no memory for a handle");
    cgsolve_free(NULL);
    ck_assert_str_eq(cgsolve_status_text(CGSOLVE_MEMORY), "not enough memory");
    ck_assert_str_eq(cgsolve_status_text((enum cgsolve_status)99), "no status of cgsolve");
    ck_assert_ptr_nonnull(strchr(cgsolve_version(), '.'));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {arrays_that_are_no_matrix, matrices_that_cg_cannot_take,
                                  options_by_name,           calls_that_make_no_sense,
                                  ends_before_it_converges,  nothing_to_destroy};
    return library_suite("library_errors", tests, sizeof tests / sizeof *tests,
                         (int)(sizeof wrongs / sizeof *wrongs));
}
