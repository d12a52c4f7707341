/* libcgsolve through its public header: a matrix that is a function, a preconditioner that is
 * one. */
#include "tests/library/library.h"

enum { N = 200 };

/* The test, as its functions see it. */
struct caller {
    struct cgsolve *s;
    int64_t products, stop_at;
    double diagonal[N];
};

/* diag + tridiag(-1, 2, -1) */
static int multiply(void *user, int64_t length, const double *x, double *y)
{
    struct caller *caller = user;
    ck_assert_int_eq(length, N);
    for (int i = 0; i < N; i++)
        y[i] = (2.0 + caller->diagonal[i]) * x[i] - (i > 0 ? x[i - 1] : 0.0) -
               (i < N - 1 ? x[i + 1] : 0.0);
    ck_assert_int_eq(cgsolve_setup(caller->s), CGSOLVE_USAGE); /* in use */
    return ++caller->products == caller->stop_at ? 7 : 0;
}

static int divide(void *user, int64_t length, const double *x, double *y)
{
    struct caller *caller = user;
    ck_assert_int_eq(length, N);
    for (int i = 0; i < N; i++)
        y[i] = x[i] / (2.0 + caller->diagonal[i]);
    caller->products++;
    return 0;
}

static struct caller caller_open(void)
{
    struct caller caller = {.s = handle()};
    for (int i = 0; i < N; i++)
        caller.diagonal[i] = i % 7 == 0 ? 1000.0 * (i + 1) : 0.1;
    ck_assert_int_eq(cgsolve_set_real(caller.s, "tol", 1e-12), CGSOLVE_OK);
    return caller;
}

static void right_hand_side(struct caller *caller, double *known, double *b)
{
    for (int i = 0; i < N; i++)
        known[i] = some(i);
    for (int i = 0; i < N; i++)
        b[i] = (2.0 + caller->diagonal[i]) * known[i] - (i > 0 ? known[i - 1] : 0.0) -
               (i < N - 1 ? known[i + 1] : 0.0);
}

TEST(functions_for_matrix_and_preconditioner)
{
    struct caller matrix = caller_open(), precond = matrix;
    struct cgsolve *s = matrix.s;
    double known[N], b[N], x[N];
    struct cgsolve_result plain, guided;
    right_hand_side(&matrix, known, b);
    ck_assert_int_eq(cgsolve_matrix_operator(s, N, multiply, &matrix), CGSOLVE_OK);
    ck_assert_int_eq(unknowns_of(s), N);
    solved(cgsolve_solve(s, N, b, x, &plain));
    assert_near(x, known, N, 1e-7);
    ck_assert_str_eq(plain.kernel, "callback");
    double ratio = 0.0;
    int64_t row = 0;
    solved(cgsolve_worst_row(s, &ratio, &row));
    ck_assert(isnan(ratio) && row == -1); /* the rows are not known */
    ck_assert_int_ge(matrix.products, plain.iterations);
    ck_assert_int_eq(cgsolve_preconditioner(s, divide, &precond), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, b, x, &guided));
    assert_near(x, known, N, 1e-7);
    ck_assert_int_lt(guided.iterations, plain.iterations / 2);
    ck_assert_int_ge(precond.products, guided.iterations);
    solved(cgsolve_solve_from(s, N, b, x, &guided)); /* from the solution */
    ck_assert_int_le(guided.iterations, 1);
    cgsolve_destroy(&s);
}

/* The preconditioner serves every matrix, as long as it is set. */
TEST(preconditioner_of_a_matrix_in_arrays)
{
    struct caller precond = {.s = handle()};
    struct cgsolve *s = precond.s;
    struct rows a = rows_tridiagonal(N);
    double b[N], x[N];
    struct cgsolve_result guided, plain;
    for (int i = 0; i < N; i++)
        b[i] = some(i);
    hand_over(s, &a);
    ck_assert_int_eq(cgsolve_preconditioner(s, divide, &precond), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, b, x, &guided));
    ck_assert_int_ge(precond.products, guided.iterations);
    option(s, "precond", "jacobi");
    ck_assert_int_eq(cgsolve_solve(s, N, b, x, NULL), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "take one of them back"));
    option(s, "precond", NULL);
    option(s, "cg", "single-reduction");
    solved(cgsolve_solve(s, N, b, x, NULL));
    option(s, "cg", NULL);
    ck_assert_int_eq(cgsolve_preconditioner(s, NULL, NULL), CGSOLVE_OK);
    const int64_t before = precond.products;
    solved(cgsolve_solve(s, N, b, x, &plain));
    ck_assert_int_eq(precond.products, before);
    cgsolve_destroy(&s);
    rows_free(&a);
}

TEST(refusals_and_stops)
{
    struct caller matrix = caller_open();
    struct cgsolve *s = matrix.s;
    double known[N], b[N], x[N] = {0.25};
    right_hand_side(&matrix, known, b);
    ck_assert_int_eq(cgsolve_matrix_operator(s, N, NULL, NULL), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_matrix_operator(s, 0, multiply, &matrix), CGSOLVE_INPUT);
    ck_assert_int_eq(cgsolve_solve(s, N, b, x, NULL), CGSOLVE_USAGE); /* no matrix */
    ck_assert_int_eq(cgsolve_matrix_operator(s, N, multiply, &matrix), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_solve(s, N, NULL, x, NULL), CGSOLVE_USAGE);
    static const char *const wrong[][2] = {
        {"precond", "amg"}, {"precision", "single"}, {"format", "crs"}, {"kernel", "crs_row"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        option(s, wrong[i][0], wrong[i][1]);
        ck_assert_int_eq(cgsolve_solve(s, N, b, x, NULL), CGSOLVE_USAGE);
        option(s, wrong[i][0], NULL);
    }
    option(s, "max-iterations", "1");
    ck_assert_int_eq(cgsolve_solve(s, N, b, x, NULL), CGSOLVE_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "a preconditioner of yours may take fewer"));
    option(s, "max-iterations", NULL);
    x[0] = 0.25;
    /* nothing else to propose: there are no entries to store otherwise */
    option(s, "memory-limit", "1k");
    ck_assert_int_eq(cgsolve_solve(s, N, b, x, NULL), CGSOLVE_MEMORY);
    option(s, "memory-limit", NULL);
    matrix.products = 0;
    matrix.stop_at = 5;
    ck_assert_int_eq(cgsolve_solve(s, N, b, x, NULL), CGSOLVE_INTERRUPTED);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "the caller's product returned 7"));
    ck_assert(x[0] == 0.25);
    matrix.stop_at = 0;
    solved(cgsolve_solve(s, N, b, x, NULL));
    assert_near(x, known, N, 1e-7);
    cgsolve_destroy(&s);
}

int main(void)
{
    return suite_run(suite_of("library, operator", 60, NULL, NULL));
}
