/* libcgsolve through its public header: what goes wrong is said, and the handle stays usable. */
#include <pthread.h>
#include <stdio.h>

#include "tests/library/library.h"

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

/* The message of a call that failed, as expected. */
static void said(enum cgsolve_status status, enum cgsolve_status expected, const char *says)
{
    ck_assert_msg(status == expected, "%s, not %s: %s", cgsolve_status_text(status),
                  cgsolve_status_text(expected), cgsolve_message());
    ck_assert_msg(strstr(cgsolve_message(), says) != NULL, "%s", cgsolve_message());
}

/* A matrix that is refused leaves none: neither the one before nor the box, whose 64^3 rows b
 * and x have no room for. */
LOOP_TEST(arrays_that_are_no_matrix, sizeof wrongs / sizeof *wrongs)
{
    const struct wrong *w = &wrongs[_i];
    const double b[] = {3.0, 3.0};
    const struct wrong right = {2, {0, 2, 4}, {0, 1, 0, 1}, {2, 1, 1, 2}, NULL};
    double x[] = {7.0, 7.0};
    int64_t unknowns = -1;
    struct cgsolve *s = handle();
    said(cgsolve_solve(s, 2, b, x, NULL), CGSOLVE_USAGE, "no matrix: expected cgsolve_matrix_crs");
    ck_assert_int_eq(cgsolve_matrix_crs(s, 2, 4, right.pointers, right.columns, right.values),
                     CGSOLVE_OK);
    said(cgsolve_matrix_crs(s, w->rows, 4, w->pointers, w->columns, w->values), CGSOLVE_INPUT,
         w->says);
    said(cgsolve_solve(s, 2, b, x, NULL), CGSOLVE_USAGE, "no matrix");
    ck_assert_msg(strstr(cgsolve_message(), w->says) != NULL, "%s", cgsolve_message());
    said(cgsolve_setup(s), CGSOLVE_USAGE, w->says);
    said(cgsolve_unknowns(s, &unknowns), CGSOLVE_USAGE, w->says);
    ck_assert(unknowns == -1 && x[0] == 7.0 && x[1] == 7.0);
    ck_assert_int_eq(cgsolve_matrix_crs(s, 2, 4, right.pointers, right.columns, right.values),
                     CGSOLVE_OK);
    solved(cgsolve_solve(s, 2, b, x, NULL));
    ck_assert_double_eq_tol(x[0], 1.0, 1e-12);
    cgsolve_destroy(&s);
}

TEST(matrices_that_cg_cannot_take)
{
    const int64_t pointers[] = {0, 2, 4};
    const int32_t columns[] = {0, 1, 0, 1};
    const double asymmetric[] = {2, 1, 1.5, 2}, negative[] = {1, 0, 0, -1},
                 indefinite[] = {1, 2, 2, 1};
    const double b[] = {1.0, -2.0};
    double x[] = {7.0, 7.0};
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    cgsolve_matrix_crs(s, 2, 4, pointers, columns, asymmetric);
    said(cgsolve_solve(s, 2, b, x, &result), CGSOLVE_BREAKDOWN, "a(1, 2)");
    ck_assert_str_eq(result.outcome, "");
    cgsolve_matrix_crs(s, 2, 4, pointers, columns, negative);
    said(cgsolve_solve(s, 2, b, x, NULL), CGSOLVE_BREAKDOWN, "a(2, 2)");
    cgsolve_matrix_crs(s, 2, 4, pointers, columns, indefinite);
    said(cgsolve_solve(s, 2, b, x, &result), CGSOLVE_BREAKDOWN,
         "a(1, 1) a(2, 2) < a(1, 2)^2 (1 x 1, 2 squared");
    ck_assert_int_eq(result.status, CGSOLVE_BREAKDOWN);
    ck_assert(x[0] == 7.0 && x[1] == 7.0);
    ck_assert_int_eq(cgsolve_matrix_crs(s, 2, 4, NULL, columns, negative), CGSOLVE_USAGE);
    cgsolve_destroy(&s);
}

TEST(options_by_name)
{
    struct cgsolve *s = handle();
    said(cgsolve_set(s, "tolerance", "1"), CGSOLVE_USAGE, "unknown option 'tolerance'");
    said(cgsolve_set(s, "precon", "mg"), CGSOLVE_USAGE, "did you mean 'precond'?");
    said(cgsolve_set(s, "precond", "jacoby"), CGSOLVE_USAGE, "did you mean 'jacobi'?");
    said(cgsolve_set(s, "tol", "2"), CGSOLVE_USAGE, "out of range: expected 0 < TOL < 1");
    said(cgsolve_set(s, "N", "1.5"), CGSOLVE_USAGE, "not a whole number");
    said(cgsolve_set(s, "json", "x.json"), CGSOLVE_USAGE, "cgsolve_report_json");
    said(cgsolve_set(s, "verbose", "yes"), CGSOLVE_USAGE, "belongs to the program");
    said(cgsolve_set(s, "random", "9,0.1"), CGSOLVE_USAGE, "belongs to the program");
    said(cgsolve_set(s, "line", "0,0,0:1,1,1:5,u.csv"), CGSOLVE_USAGE, "leave out ',u.csv'");
    said(cgsolve_set(s, "reproducible", "no"), CGSOLVE_USAGE, "expected yes");
    said(cgsolve_set(s, "kernel", "./mine.c"), CGSOLVE_USAGE, "is a file");
    said(cgsolve_set(s, NULL, "1"), CGSOLVE_USAGE, "NULL");
    said(cgsolve_set(s, "matrix", "x.mtx"), CGSOLVE_USAGE, "cgsolve_matrix_file");
    said(cgsolve_set(s, "matrix", NULL), CGSOLVE_USAGE, "cgsolve_matrix_file");
    option(s, "N", "5");
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    ck_assert_int_eq(unknowns_of(s), 125);
    option(s, "N", NULL);
    ck_assert_int_eq(unknowns_of(s), 64 * 64 * 64);
    cgsolve_destroy(&s);
}

TEST(calls_that_make_no_sense)
{
    double b[125] = {1.0}, x[125] = {0.0};
    struct rows a = rows_tridiagonal(125);
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    char *json = (char *)s;
    said(cgsolve_report_json(s, &json), CGSOLVE_USAGE, "no report: cgsolve_solve makes one");
    ck_assert_ptr_null(json);
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    option(s, "N", "5");
    option(s, "rhs", "ones");
    said(cgsolve_solve(s, 125, NULL, x, &result), CGSOLVE_USAGE, "rhs=ones belongs to matrix");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "b is given");
    option(s, "rhs", NULL);
    said(cgsolve_solve_from(s, 125, b, NULL, NULL), CGSOLVE_USAGE, "x is NULL");
    option(s, "problem", "course");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "problem = course");
    option(s, "problem", NULL);
    option(s, "guess", "fmg");
    said(cgsolve_solve_from(s, 125, NULL, x, NULL), CGSOLVE_USAGE, "x is a start vector");
    solved(
        cgsolve_solve(s, 125, b, x, NULL)); /* the first solve: there is no solution to compare */
    solved(cgsolve_solve(s, 125, NULL, x, NULL));
    option(s, "guess", NULL);
    option(s, "stop", "discretization");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "stop = discretization");
    option(s, "stop", NULL);
    option(s, "line", "0,0,0:1,1,1:3");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "line says what u is in the box");
    solved(cgsolve_solve(s, 125, NULL, x, NULL));
    option(s, "line", NULL);
    option(s, "probe", "0.5,0.5,0.5");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "probe says what u is in the box");
    option(s, "probe", NULL);
    hand_over(s, &a);
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "N belongs to the box");
    option(s, "N", NULL);
    said(cgsolve_solve(s, 125, NULL, x, NULL), CGSOLVE_USAGE, "b is NULL");
    option(s, "precond", "mg");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "precond=amg");
    option(s, "precond", "fdm");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "precond=amg");
    option(s, "precond", NULL);
    said(cgsolve_matrix_file(s, ""), CGSOLVE_USAGE, "path is empty");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_USAGE, "path is empty");
    ck_assert_int_eq(cgsolve_matrix_file(s, "x.mtx"), CGSOLVE_OK);
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_INPUT, "x.mtx");
    hand_over(s, &a);
    option(s, "rhs", "random");
    solved(cgsolve_solve(s, 125, NULL, x, &result));
    ck_assert_double_lt(result.max_error, 1e-4);
    option(s, "rhs", NULL);
    b[7] = NAN;
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_INPUT, "b[7] is nan");
    b[7] = 1e60;
    option(s, "precision", "single");
    said(cgsolve_solve(s, 125, b, x, NULL), CGSOLVE_INPUT, "does not fit single precision");
    b[7] = 1.0;
    double tiny[125];
    for (int i = 0; i < 125; i++)
        tiny[i] = 1e-60;
    said(cgsolve_solve(s, 125, tiny, x, NULL), CGSOLVE_BREAKDOWN,
         "nothing is left of it in single precision");
    x[3] = -INFINITY;
    said(cgsolve_solve_from(s, 125, b, x, NULL), CGSOLVE_INPUT, "x[3] is -inf");
    option(s, "tol", "1e-3");
    solved(cgsolve_solve(s, 125, b, x, NULL));
    cgsolve_destroy(&s);
    rows_free(&a);
}

static int stop_at_once(void *calls, int64_t iteration, double relative_residual)
{
    ck_assert_int_ge(iteration, 0);
    ck_assert(relative_residual >= 0.0);
    ++*(int *)calls;
    return 0;
}

TEST(ends_before_it_converges)
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
    said(cgsolve_solve(s, 500, b, x, &result), CGSOLVE_NOT_CONVERGED, "limit of 3 iterations");
    ck_assert_str_eq(result.outcome, "iteration_limit");
    ck_assert_int_eq(result.iterations, 3);
    ck_assert(isfinite(x[0]));
    option(s, "max-iterations", NULL);
    option(s, "check-every", "2");
    cgsolve_watch(s, stop_at_once, &calls);
    said(cgsolve_solve(s, 500, b, x, &result), CGSOLVE_INTERRUPTED, "stopped by the caller");
    ck_assert_int_eq(calls, 1);
    ck_assert_str_eq(result.outcome, "interrupted");
    cgsolve_watch(s, NULL, NULL);
    solved(cgsolve_solve(s, 500, b, x, NULL));
    option(s, "memory-limit", "1K");
    said(cgsolve_solve(s, 500, b, x, NULL), CGSOLVE_MEMORY, "memory_limit allows");
    cgsolve_destroy(&s);
    rows_free(&a);
}

TEST(no_handle)
{
    double x = 0.0;
    int64_t unknowns = 7;
    char *json = (char *)&x;
    struct cgsolve *s = NULL;
    struct cgsolve_result result;
    const char *says = "the handle is NULL";
    said(cgsolve_create(NULL), CGSOLVE_USAGE, "cgsolve_create: solver is NULL");
    ck_assert_int_eq(cgsolve_destroy(NULL), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
    ck_assert_str_ne(cgsolve_message(), ""); /* of cgsolve_create still */
    said(cgsolve_watch(NULL, NULL, NULL), CGSOLVE_USAGE, says);
    said(cgsolve_watch_solution(NULL, NULL, NULL), CGSOLVE_USAGE, says);
    said(cgsolve_set(NULL, "N", "9"), CGSOLVE_USAGE, says);
    said(cgsolve_matrix_crs(NULL, 1, 1, NULL, NULL, NULL), CGSOLVE_USAGE, says);
    said(cgsolve_matrix_box(NULL), CGSOLVE_USAGE, says);
    said(cgsolve_matrix_file(NULL, NULL), CGSOLVE_USAGE, says);
    said(cgsolve_measure(NULL, 1), CGSOLVE_USAGE, says);
    said(cgsolve_setup(NULL), CGSOLVE_USAGE, says);
    said(cgsolve_solve(NULL, 1, &x, &x, &result), CGSOLVE_USAGE, says);
    ck_assert_int_eq(result.status, CGSOLVE_USAGE);
    ck_assert_str_eq(result.kernel, "");
    ck_assert_double_nan(result.true_relative_residual);
    said(cgsolve_solve_from(NULL, 1, &x, &x, NULL), CGSOLVE_USAGE, "cgsolve_solve_from: ");
    said(cgsolve_unknowns(NULL, &unknowns), CGSOLVE_USAGE, says);
    ck_assert_int_eq(unknowns, 7);
    said(cgsolve_report_json(NULL, &json), CGSOLVE_USAGE, says);
    ck_assert_ptr_null(json);
    cgsolve_free(NULL);
    ck_assert_int_eq(cgsolve_create(&s), CGSOLVE_OK);
    said(cgsolve_unknowns(s, NULL), CGSOLVE_USAGE, "unknowns is NULL");
    said(cgsolve_report_json(s, NULL), CGSOLVE_USAGE, "json is NULL");
    said(cgsolve_matrix_file(s, NULL), CGSOLVE_USAGE, "path is NULL");
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
    ck_assert_ptr_null(s);
    said(cgsolve_setup(s), CGSOLVE_USAGE, says); /* after destroy: NULL again */
    ck_assert_str_eq(cgsolve_status_text(CGSOLVE_MEMORY), "not enough memory");
    ck_assert_str_eq(cgsolve_status_text((enum cgsolve_status)99), "no status of cgsolve");
    char header[64];
    snprintf(header, sizeof header, "%d.%d.%d", CGSOLVE_VERSION_MAJOR, CGSOLVE_VERSION_MINOR,
             CGSOLVE_VERSION_PATCH);
    ck_assert_str_eq(cgsolve_version(), header);
}

/* Lengths that are not the matrix's, arrays of another length than the pointers say, arrays that
 * change after they were checked: refused, and nothing is written. */
TEST(lengths)
{
    struct rows a = rows_tridiagonal(9);
    const int64_t nonzeros = a.pointers[9];
    const char *sources = getenv("CGS_SRCDIR");
    char path[1024];
    double b[9] = {1.0}, x[9] = {7.0};
    struct cgsolve *s = handle();
    hand_over(s, &a);
    said(cgsolve_solve(s, 8, b, x, NULL), CGSOLVE_USAGE, "length 8, but the matrix has 9 rows");
    said(cgsolve_solve(s, 10, b, NULL, NULL), CGSOLVE_USAGE, "length 10");
    said(cgsolve_solve_from(s, -9, b, x, NULL), CGSOLVE_USAGE, "length -9");
    ck_assert(x[0] == 7.0);
    solved(cgsolve_solve(s, 9, b, NULL, NULL));
    said(cgsolve_solve(s, 0, b, x, NULL), CGSOLVE_USAGE, "length 0"); /* set up already */
    said(cgsolve_matrix_crs(s, 9, nonzeros - 1, a.pointers, a.columns, a.values), CGSOLVE_INPUT,
         "pointers[9] = 25: expected 24");
    said(cgsolve_matrix_crs(s, nonzeros, 9, a.pointers, a.columns, a.values), CGSOLVE_INPUT,
         "25 rows and 9 entries"); /* one for the other: nothing is read */
    snprintf(path, sizeof path, "%s/tests/systems/nos4.mtx", sources ? sources : ".");
    ck_assert_int_eq(cgsolve_matrix_file(s, path), CGSOLVE_OK);
    said(cgsolve_solve(s, 9, b, x, NULL), CGSOLVE_USAGE, "length 9, but the matrix has 100 rows");
    solved(cgsolve_solve(s, 0, NULL, NULL, NULL)); /* no vectors, no length */
    ck_assert(x[0] == 7.0);
    hand_over(s, &a);
    a.columns[nonzeros - 1] = 9;
    said(cgsolve_solve(s, 9, b, x, NULL), CGSOLVE_INPUT, "have changed since they were given");
    a.columns[nonzeros - 1] = 8;
    a.pointers[9] = nonzeros + 1;
    said(cgsolve_setup(s), CGSOLVE_INPUT, "pointers[9] = 26");
    a.pointers[9] = nonzeros;
    solved(cgsolve_solve(s, 9, b, b, NULL)); /* x may be b */
    cgsolve_destroy(&s);
    rows_free(&a);
}

/* Every call with a handle in use, from whichever thread. */
static void *use(void *handle)
{
    struct cgsolve *s = handle, *same = s;
    const int64_t pointers[] = {0, 1};
    const int32_t columns[] = {0};
    double number[] = {1.0};
    int64_t unknowns;
    char *json;
    struct cgsolve_result result;
    const char *says = "the handle is in use";
    said(cgsolve_set(s, "tol", "1e-3"), CGSOLVE_USAGE, says);
    said(cgsolve_matrix_crs(s, 1, 1, pointers, columns, number), CGSOLVE_USAGE, says);
    said(cgsolve_matrix_box(s), CGSOLVE_USAGE, says);
    said(cgsolve_matrix_file(s, "x.mtx"), CGSOLVE_USAGE, says);
    said(cgsolve_unknowns(s, &unknowns), CGSOLVE_USAGE, says);
    said(cgsolve_setup(s), CGSOLVE_USAGE, says);
    said(cgsolve_solve(s, 1, number, number, &result), CGSOLVE_USAGE, says);
    ck_assert_int_eq(result.status, CGSOLVE_USAGE);
    said(cgsolve_solve_from(s, 1, number, number, NULL), CGSOLVE_USAGE, says);
    said(cgsolve_watch(s, NULL, NULL), CGSOLVE_USAGE, says);
    said(cgsolve_measure(s, 1), CGSOLVE_USAGE, says);
    said(cgsolve_report_json(s, &json), CGSOLVE_USAGE, says);
    said(cgsolve_destroy(&same), CGSOLVE_USAGE, says);
    ck_assert_ptr_eq(same, s);
    return NULL;
}

static int use_meanwhile(void *handle, int64_t iteration, double relative_residual)
{
    pthread_t thread;
    (void)iteration, (void)relative_residual;
    use(handle);
    ck_assert_int_eq(pthread_create(&thread, NULL, use, handle), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    return 1;
}

TEST(one_call_at_a_time)
{
    double b[50], x[50];
    struct rows a = rows_tridiagonal(50);
    struct cgsolve *s = handle();
    for (int i = 0; i < 50; i++)
        b[i] = 1.0;
    option(s, "check-every", "10");
    hand_over(s, &a);
    ck_assert_int_eq(cgsolve_watch(s, use_meanwhile, s), CGSOLVE_OK);
    solved(cgsolve_solve(s, 50, b, x, NULL));
    ck_assert_double_eq_tol(x[0], 25.0, 1e-6);
    ck_assert_int_eq(unknowns_of(s), 50);
    ck_assert_int_eq(cgsolve_destroy(&s), CGSOLVE_OK);
    rows_free(&a);
}

/* A b of the caller's outside the range of a box that no face holds keeps its mean with amg, too,
 * and the residual is not taken for one that rounding has spoiled. */
TEST(load_that_no_face_takes_up)
{
    enum { CELLS = 8, ROWS = (CELLS + 1) * (CELLS + 1) * (CELLS + 1) };
    static const char *const faces[] = {"x0:flux", "x1:flux", "y0:flux",
                                        "y1:flux", "z0:flux", "z1:flux"};
    static double b[ROWS], x[ROWS];
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    double mean = 0.0;
    option(s, "cells", "8");
    option(s, "source", "0");
    option(s, "precond", "amg");
    option(s, "tol", "1e-8");
    for (int f = 0; f < 6; f++)
        option(s, "face", faces[f]);
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    for (int i = 0; i < ROWS; i++) {
        b[i] = 1.0 + some(i);
        mean += b[i] / ROWS;
    }
    ck_assert_int_ne(cgsolve_solve(s, ROWS, b, x, &result), CGSOLVE_OK);
    ck_assert_str_ne(result.outcome, "residual_gap"); /* how CG ends is up to rounding */
    for (int i = 0; i < ROWS; i++)
        b[i] -= mean;
    solved(cgsolve_solve(s, ROWS, b, x, NULL));
    cgsolve_destroy(&s);
}

int main(void)
{
    return suite_run(suite_of("library_errors", 60, NULL, NULL));
}
