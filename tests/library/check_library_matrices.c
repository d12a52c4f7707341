/* libcgsolve through its public header: where a matrix comes from, and what follows from its
 * rows. */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/library/library.h"

static double ones[512];

/* Long rows with the short ones: SELL sorts them; one long row among short ones: CRS, where SELL
 * were padded still. Nothing is measured for that. */
TEST(lengths_of_rows_choose_the_kernel)
{
    enum { N = 512, EVERY = 16 };
    double x[N];
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    for (int arrow = 0; arrow < 2; arrow++) {
        struct rows a = rows_of(N, 3 * N + 2 * (N / EVERY) * N);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (i == j)
                    rows_add(&a, i, j, N);
                else if (arrow ? i == 0 || j == 0 : i % EVERY == 0 && j % EVERY == 0)
                    rows_add(&a, i, j, 1.0);
        hand_over(s, &a);
        solved(cgsolve_solve(s, N, ones, x, &result));
        json_t *report = report_of(s), *matrix = json_object_get(report, "matrix");
        ck_assert_str_eq(result.format, arrow ? "crs" : "sell");
        if (!arrow)
            ck_assert_int_gt(json_integer_value(json_object_get(matrix, "sigma")), 1);
        ck_assert_ptr_null(json_object_get(report, "choice"));
        ck_assert_ptr_null(json_object_get(report, "spmv_seconds"));
        json_decref(report);
        rows_free(&a);
    }
    cgsolve_destroy(&s);
}

/* A Matrix Market file by its option, b by another; from the sources. */
TEST(file)
{
    const char *sources = getenv("CGS_SRCDIR");
    char path[1024];
    double x[100];
    struct cgsolve *s = handle();
    struct cgsolve_result result;
    snprintf(path, sizeof path, "%s/tests/systems/nos4.mtx", sources ? sources : ".");
    int64_t unknowns = -1;
    ck_assert_int_eq(cgsolve_matrix_file(s, path), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_unknowns(s, &unknowns), CGSOLVE_USAGE);
    ck_assert_int_eq(unknowns, -1);
    solved(cgsolve_setup(s));
    ck_assert_int_eq(unknowns_of(s), 100);
    for (int i = 0; i < 2; i++) {
        solved(cgsolve_solve(s, 100, NULL, x, &result)); /* b = A u with a random u */
        ck_assert_int_eq(result.unknowns, 100);
        ck_assert_double_lt(result.max_error, 1e-6);
        ck_assert_int_eq(unknowns_of(s), 100);
        option(s, "rhs", "random");
    }
    option(s, "rhs", NULL);
    solved(cgsolve_solve(s, 100, ones, x, &result));
    ck_assert_double_nan(result.max_error);
    cgsolve_destroy(&s);
}

/* Right-hand sides of the file that rhs names, one after the other: as if they were given. */
TEST(file_of_right_hand_sides)
{
    enum { COUNT = 2 };
    const char *sources = getenv("CGS_SRCDIR");
    char path[1024], name[] = "/tmp/cgs-rhs-XXXXXX";
    double b[COUNT * 100], x[COUNT * 100], y[COUNT * 100];
    struct cgsolve *s = handle();
    struct cgsolve_result results[COUNT];
    FILE *file = fdopen(mkstemp(name), "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%%%%MatrixMarket matrix array real general\n100 %d\n", COUNT);
    for (int i = 0; i < COUNT * 100; i++)
        fprintf(file, "%d\n", (int)(b[i] = i < 100 ? 1 : i % 7));
    fclose(file);
    snprintf(path, sizeof path, "%s/tests/systems/nos4.mtx", sources ? sources : ".");
    ck_assert_int_eq(cgsolve_matrix_file(s, path), CGSOLVE_OK);
    int64_t count = -1;
    ck_assert_int_eq(cgsolve_rhs_count(s, NULL), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_rhs_count(s, &count), CGSOLVE_USAGE); /* before the set-up */
    ck_assert_int_eq(count, -1);
    solved(cgsolve_solve_many(s, COUNT, 100, b, y, NULL));
    solved(cgsolve_rhs_count(s, &count));
    ck_assert_int_eq(count, 1);
    option(s, "rhs", name);
    solved(cgsolve_rhs_count(s, &count));
    ck_assert_int_eq(count, COUNT);
    for (int i = 0; i < 2; i++) {
        memset(x, 0, sizeof x);
        solved(cgsolve_solve_many(s, COUNT, 100, NULL, x, results));
        ck_assert_mem_eq(x, y, sizeof x);
        ck_assert_int_ne(results[0].iterations, 0);
        ck_assert_int_eq(cgsolve_solve_many(s, 1, 100, NULL, x, NULL), CGSOLVE_USAGE);
        ck_assert_msg(strstr(cgsolve_message(), "has 2 right-hand sides, and count is 1"), "%s",
                      cgsolve_message());
    }
    ck_assert_int_eq(cgsolve_solve(s, 100, NULL, x, NULL), CGSOLVE_INPUT);
    option(s, "max-iterations", "1"); /* the second is tried all the same */
    ck_assert_int_eq(cgsolve_solve_many(s, COUNT, 100, NULL, x, results), CGSOLVE_NOT_CONVERGED);
    ck_assert_int_eq(results[1].status, CGSOLVE_NOT_CONVERGED);
    unlink(name);
    ck_assert_int_eq(cgsolve_rhs_count(s, &count), CGSOLVE_INPUT);
    ck_assert_int_eq(cgsolve_rhs_count(NULL, &count), CGSOLVE_USAGE);
    cgsolve_destroy(&s);
}

/* The Laplacian of a path takes constants to 0: without b's part along them there is one x that
 * adds up to 0; by rows, and by a function, which is tested with products. */
static int path_product(void *user, int64_t length, const double *x, double *y)
{
    rows_apply(user, x, y);
    (void)length;
    return 0;
}

TEST(null_space)
{
    enum { N = 100 };
    struct rows a = rows_tridiagonal(N);
    double b[N], x[N], y[N], shift = 0.0;
    struct cgsolve_result result;
    a.values[0] = a.values[a.pointers[N] - 1] = 1.0;
    for (int i = 0; i < N; i++) {
        b[i] = some(i) + 0.25;
        shift += b[i] / N;
    }
    for (int by_function = 0; by_function < 2; by_function++) {
        struct cgsolve *s = handle();
        if (by_function)
            ck_assert_int_eq(cgsolve_matrix_operator(s, N, path_product, &a), CGSOLVE_OK);
        else
            hand_over(s, &a);
        ck_assert_int_eq(cgsolve_solve(s, N, b, x, NULL), CGSOLVE_NOT_CONVERGED);
        option(s, "nullspace", "constant");
        solved(cgsolve_solve(s, N, b, x, &result));
        double sum = 0.0, most = 0.0;
        rows_apply(&a, x, y);
        for (int i = 0; i < N; i++) {
            sum += x[i];
            most = fmax(most, fabs(x[i]));
            ck_assert_double_eq_tol(y[i], b[i] - shift, 1e-8);
        }
        ck_assert_double_le(fabs(sum), 1e-12 * N * most);
        json_t *report = report_of(s), *found = json_object_get(report, "nullspace");
        ck_assert_int_eq(json_integer_value(json_object_get(found, "dimension")), 1);
        ck_assert_double_gt(json_real_value(json_object_get(found, "rhs_outside")), 0.1);
        json_decref(report);
        cgsolve_destroy(&s);
    }
    a.values[0] = 2.0; /* constants are not taken to 0 any more */
    struct cgsolve *s = handle();
    option(s, "nullspace", "constant");
    ck_assert_int_eq(cgsolve_matrix_operator(s, N, path_product, &a), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_solve(s, N, b, x, NULL), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "A does not take vector 1 to 0"));
    cgsolve_destroy(&s);
    rows_free(&a);
}

/* values[k] of the matrix with b = 1, or of its (A + A') / 2, give these numbers. */
static void solve_values(struct cgsolve *s, const struct rows *a, const double *values, double *x)
{
    ck_assert_int_eq(cgsolve_matrix_values(s, a->pointers[a->rows], values), CGSOLVE_OK);
    solved(cgsolve_solve(s, a->rows, ones, x, NULL));
}

static bool says_rounding(struct cgsolve *s)
{
    json_t *report = report_of(s);
    char *text = json_dumps(report, 0);
    const bool says = strstr(text, "symmetric except for rounding") != NULL;
    free(text);
    json_decref(report);
    return says;
}

/* An entry without a mirror image counts as 0, which the report says. */
TEST(entry_alone)
{
    const int64_t pointers[] = {0, 2, 3};
    const int32_t columns[] = {0, 1, 1};
    const double values[] = {1.0, 1e-10, 1.0};
    double x[2];
    char *text = NULL;
    struct cgsolve *s = handle();
    ck_assert_int_eq(cgsolve_matrix_crs(s, 2, 3, pointers, columns, values), CGSOLVE_OK);
    solved(cgsolve_solve(s, 2, ones, x, NULL));
    ck_assert(x[0] == 1.0 && x[1] == 1.0);
    ck_assert_int_eq(cgsolve_report_json(s, &text), CGSOLVE_OK);
    ck_assert_ptr_nonnull(strstr(text, "its 1 entry without a mirror image as 0: a(1, 2) = "));
    cgsolve_free(text);
    cgsolve_destroy(&s);
}

/* Rows that are symmetric except for rounding are solved as (A + A') / 2, also with new values; the
 * caller's arrays stay as they are, and so does the matrix after one beyond rounding. */
TEST(symmetric_but_for_rounding)
{
    enum { N = 300, SIZE = 3 * N - 2 };
    double off[SIZE], kept[SIZE], even[SIZE], far[SIZE], x[N], wanted[N];
    struct rows a = rows_tridiagonal(N);
    struct cgsolve *s = handle();
    memcpy(even, a.values, sizeof even);
    memcpy(off, a.values, sizeof off);
    for (int i = 1; i < N; i++) { /* entry (i, i - 1) is by 2 ulp larger, and the average by one */
        off[a.pointers[i]] = -1.0 + 0x1p-52;
        even[a.pointers[i]] = even[a.pointers[i] - 1] = -1.0 + 0x1p-53;
    }
    memcpy(kept, off, sizeof kept);
    memcpy(far, off, sizeof far);
    far[a.pointers[7]] = -1.0 + 1e-9;
    hand_over(s, &a);
    solve_values(s, &a, even, wanted);
    ck_assert(!says_rounding(s));
    for (int again = 0; again < 2;
         again++) { /* a copy is made at a change of values, then it gets new ones */
        solve_values(s, &a, off, x);
        ck_assert_mem_eq(x, wanted, sizeof x);
        ck_assert_mem_eq(off, kept, sizeof off);
        ck_assert(says_rounding(s));
        solve_values(s, &a, even, x);
        ck_assert_mem_eq(x, wanted, sizeof x);
        ck_assert(!says_rounding(s));
    }
    ck_assert_int_eq(cgsolve_matrix_values(s, SIZE, far), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_solve(s, N, ones, x, NULL), CGSOLVE_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "a(7, 8) = -1 but a(8, 7) = -0.999999999"));
    solve_values(s, &a, off, x);
    ck_assert_mem_eq(x, wanted, sizeof x);
    memcpy(a.values, off, sizeof off);
    hand_over(s, &a); /* a copy is made at once */
    solved(cgsolve_solve(s, N, ones, x, NULL));
    ck_assert_mem_eq(x, wanted, sizeof x);
    ck_assert(says_rounding(s));
    cgsolve_destroy(&s);
    rows_free(&a);
}

/* The Q1 matrix of the cube by its stencil: h times 8/3, 0, -1/6, -1/12. */
static struct rows q1(int n)
{
    struct rows a = rows_of((int64_t)n * n * n, 27 * (int64_t)n * n * n);
    const double h = 1.0 / (n + 1), weight[] = {h * 8.0 / 3.0, 0.0, -h / 6.0, -h / 12.0};
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                for (int k = 0; k < 27; k++) {
                    const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
                    const int cx = x + dx, cy = y + dy, cz = z + dz;
                    if (cx >= 0 && cx < n && cy >= 0 && cy < n && cz >= 0 && cz < n)
                        rows_add(&a, (z * n + y) * n + x, (cz * n + cy) * n + cx,
                                 weight[dx * dx + dy * dy + dz * dz]);
                }
    return a;
}

/* Solves D A D x = b, D = 1 + most sin(i), through new values, and looks at rows and report.
 * Returns the iterations. */
static int64_t solve_scaled(struct cgsolve *s, const struct rows *a, double most, const char *kept)
{
    struct rows scaled = rows_of(a->rows, a->pointers[a->rows]);
    double *x = malloc((size_t)a->rows * sizeof *x), *y = malloc((size_t)a->rows * sizeof *y),
           *b = malloc((size_t)a->rows * sizeof *b);
    struct cgsolve_result result;
    for (int64_t i = 0; i < a->rows; i++) {
        b[i] = some((int)i);
        for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++)
            rows_add(&scaled, i, a->columns[e],
                     (1.0 + most * sin((double)i)) * (1.0 + most * sin((double)a->columns[e])) *
                         a->values[e]);
    }
    ck_assert_int_eq(cgsolve_matrix_values(s, a->pointers[a->rows], scaled.values), CGSOLVE_OK);
    solved(cgsolve_solve(s, a->rows, b, x, &result));
    rows_apply(&scaled, x, y);
    assert_near(y, b, (int)a->rows, 1e-7);
    json_t *report = report_of(s), *facts = json_object_get(report, "preconditioning");
    ck_assert_str_eq(json_string_value(json_object_get(facts, "reused")), kept);
    json_decref(report);
    rows_free(&scaled);
    free(b);
    free(y);
    free(x);
    return result.iterations;
}

/* The bits of a solve: x and the residuals. */
struct solved {
    double *x, residual[100];
    int64_t count;
};

static struct solved solve_bits(struct cgsolve *s, const struct rows *a)
{
    struct solved made = {.x = calloc((size_t)a->rows, sizeof(double))};
    double *b = malloc((size_t)a->rows * sizeof *b);
    const double *residuals;
    for (int64_t i = 0; i < a->rows; i++)
        b[i] = some((int)i);
    solved(cgsolve_solve(s, a->rows, b, made.x, NULL));
    solved(cgsolve_history(s, &made.count, &residuals));
    ck_assert_int_le(made.count, 100);
    memcpy(made.residual, residuals, (size_t)made.count * sizeof *residuals);
    free(b);
    return made;
}

static void assert_same_bits(struct solved *one, struct solved *other, int64_t rows)
{
    ck_assert_int_eq(one->count, other->count);
    ck_assert_mem_eq(one->residual, other->residual, (size_t)one->count * sizeof(double));
    ck_assert_mem_eq(one->x, other->x, (size_t)rows * sizeof(double));
    free(one->x);
}

/* Returns true if the last set-up transposed P, as one that keeps patterns does not. */
static bool transposes(struct cgsolve *s)
{
    json_t *report = report_of(s), *facts = json_object_get(report, "preconditioning");
    const json_t *seconds = json_object_get(json_object_get(facts, "setup_parts"), "transpose");
    const bool some = json_number_value(seconds) > 0.0;
    json_decref(report);
    return some;
}

/* With the first values, and those of D A D with powers of 2 in D, whose strong entries are the
 * same, kept patterns give the bits of a fresh set-up, with any number of threads. */
TEST(kept_patterns_give_the_bits_of_a_fresh_set_up)
{
    static const char *const threads[] = {"1", "3"};
    struct rows a = q1(20), scaled = q1(20);
    struct solved fresh[2];
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t e = a.pointers[i]; e < a.pointers[i + 1]; e++)
            scaled.values[e] *= ldexp(1.0, (int)(i % 3 + a.columns[e] % 3));
    for (int k = 0; k < 2; k++) {
        struct cgsolve *s = handle();
        option(s, "precond", "amg");
        hand_over(s, k ? &scaled : &a);
        fresh[k] = solve_bits(s, &a);
        cgsolve_destroy(&s);
    }
    for (int t = 0; t < 2; t++) {
        struct cgsolve *s = handle();
        option(s, "precond", "amg");
        option(s, "reuse", "pattern");
        option(s, "threads", threads[t]);
        hand_over(s, &a);
        for (int k = 0; k < 4; k++) {
            const struct rows *now = k % 3 ? &scaled : &a;
            if (k > 0)
                solved(cgsolve_matrix_values(s, a.pointers[a.rows], now->values));
            struct solved bits = solve_bits(s, &a);
            assert_same_bits(&bits, &fresh[k % 3 > 0], a.rows);
            ck_assert(transposes(s) == (k == 0));
        }
        cgsolve_destroy(&s);
    }
    free(fresh[0].x);
    free(fresh[1].x);
    rows_free(&scaled);
    rows_free(&a);
}

/* New values keep aggregates, or the cycle: unchanged ones take the iterations of the first solve,
 * others are solved as well; a cycle that does not suit them is made anew. */
TEST(new_values_keep_set_up)
{
    static const char *const reuse[] = {"pattern", "all"}, *const precision[] = {"single",
                                                                                 "double"};
    enum { N = 15 };
    struct rows a = q1(N);
    for (int k = 0; k < 4; k++) {
        const char *kept = reuse[k / 2];
        struct cgsolve *s = handle();
        option(s, "precond", "amg");
        option(s, "precond-precision", precision[k % 2]);
        option(s, "reuse", kept);
        hand_over(s, &a);
        ck_assert_int_eq(cgsolve_setup(s), CGSOLVE_OK);
        const int64_t first = solve_scaled(s, &a, 0.0, kept);
        ck_assert_int_eq(solve_scaled(s, &a, 0.0, kept), first);
        solve_scaled(s, &a, 0.01, kept);
        const int64_t grown = solve_scaled(s, &a, 0.8, kept);
        ck_assert_int_ge(grown, k / 2 ? 3 * first / 2 + 1 : first);
        solve_scaled(s, &a, 0.0, k / 2 ? "none" : kept);
        ck_assert_int_eq(solve_scaled(s, &a, 0.0, kept), first);
        cgsolve_destroy(&s);
    }
    struct cgsolve *s = handle();
    hand_over(s, &a);
    option(s, "reuse", "all");
    ck_assert_int_eq(cgsolve_setup(s), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "reuse=all belongs to"));
    option(s, "precond", "amg");
    ck_assert_int_eq(cgsolve_setup(s), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_setup(s), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "reuse=all is for new values"));
    cgsolve_destroy(&s);
    rows_free(&a);
}

/* New values choose the precision of the cycles anew: these do not fit single. */
TEST(new_values_choose_the_cycle)
{
    struct rows a = q1(7);
    double *x = malloc((size_t)a.rows * sizeof *x), *b = malloc((size_t)a.rows * sizeof *b);
    struct cgsolve *s = handle();
    option(s, "precond", "amg");
    hand_over(s, &a);
    for (int64_t i = 0; i < a.rows; i++)
        b[i] = some((int)i);
    solved(cgsolve_solve(s, a.rows, b, x, NULL));
    for (int64_t e = 0; e < a.pointers[a.rows]; e++)
        a.values[e] *= 1e40;
    ck_assert_int_eq(cgsolve_matrix_values(s, a.pointers[a.rows], a.values), CGSOLVE_OK);
    solved(cgsolve_solve(s, a.rows, b, x, NULL));
    free(b);
    free(x);
    cgsolve_destroy(&s);
    rows_free(&a);
}

TEST(box_is_its_own_matrix)
{
    enum { N = 9, ROWS = N * N * N };
    double x[ROWS], b[ROWS], right[ROWS];
    struct rows a = q1(N);
    struct cgsolve *box = box_handle(), *crs = handle();
    struct cgsolve_result result;
    option(box, "N", "9");
    option(box, "tol", "1e-13");
    option(crs, "tol", "1e-13");
    ck_assert_int_eq(unknowns_of(box), ROWS);
    solved(cgsolve_solve(box, ROWS, NULL, right, &result));
    ck_assert_double_gt(result.l2_error, 0.0);
    ck_assert_double_gt(result.h1_error, result.l2_error);
    rows_apply(&a, right, b); /* the problem's load */
    hand_over(crs, &a);
    solved(cgsolve_solve(crs, ROWS, b, x, NULL));
    assert_near(x, right, ROWS, 1e-10);

    for (int i = 0; i < ROWS; i++)
        b[i] = some(i);
    option(box, "precond", "fdm");
    solved(cgsolve_solve(box, ROWS, b, right, &result)); /* a right-hand side of one's own */
    ck_assert_int_le(result.iterations, 3);
    ck_assert_double_nan(result.l2_error);
    solved(cgsolve_solve(crs, ROWS, b, x, NULL));
    assert_near(x, right, ROWS, 1e-10);
    option(box, "precond-precision", "single");
    solved(cgsolve_solve(box, ROWS, b, x, &result));
    ck_assert_int_le(result.iterations, 4);
    assert_near(x, right, ROWS, 1e-10);
    option(box, "precond", "auto"); /* fdm, and amg */
    option(crs, "precond", "auto");
    solved(cgsolve_solve(box, ROWS, b, x, &result));
    ck_assert_int_le(result.iterations, 3);
    assert_near(x, right, ROWS, 1e-10);
    solved(cgsolve_solve(crs, ROWS, b, x, NULL));
    assert_near(x, right, ROWS, 1e-10);
    cgsolve_destroy(&box);
    cgsolve_destroy(&crs);
    rows_free(&a);
}

/* Solves on 6 x 5 x 6 cells; returns u in the middle. */
static double solved_middle(struct cgsolve *s, int rows)
{
    double x[7 * 6 * 7];
    ck_assert_int_eq(unknowns_of(s), rows);
    solved(cgsolve_solve(s, rows, NULL, x, NULL));
    return x[rows / 2 + 2];
}

/* Options that the program takes several times are added, in their order; NULL takes back all. -u''
 * = 0 between u = 1 and u = 3 in x through two materials in series. */
TEST(options_given_several_times)
{
    static const char *const set[][2] = {
        {"face", "x0:value=one"},   {"material", "left:kappa=2,3,0.5"},
        {"region", "left:x<half"},  {"let", "half=0.5"},
        {"face", "x1:value=three"}, {"face", "y0:flux"},
        {"let", "one=2*half"},      {"face", "y1:flux"},
        {"face", "z0:flux"},        {"let", "three=3*one"},
        {"face", "z1:flux"},        {"material", "right:kappa=1"},
        {"region", "right:x>half"}, {"source", "0"}};
    static const char *const words[] = {"--face=x0:value=one",      "--face=z1:flux",
                                        "--let=half=0.5",           "--let=three=3*one",
                                        "--material=right:kappa=1", "--region=left:x<half"};
    enum { ROWS = 5 * 6 * 7 };
    struct cgsolve *s = box_handle();
    int64_t unknowns;
    option(s, "cells", "6x5x6");
    option(s, "tol", "1e-13");
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        option(s, set[i][0], set[i][1]);
    /* Resistances of 1/4 and 1/2. */
    ck_assert_double_eq_tol(solved_middle(s, ROWS), 1.0 + 2.0 / 3.0, 1e-10);
    json_t *report = report_of(s), *arguments = json_object_get(report, "arguments");
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t at;
        json_t *word;
        int found = 0;
        json_array_foreach(arguments, at, word) found +=
            strcmp(json_string_value(word), words[w]) == 0;
        ck_assert_msg(found == 1, "%s is %d times in the report", words[w], found);
    }
    json_decref(report);
    option(s, "tol", "1e-12"); /* keeps the set-up, and writes the arguments again */
    ck_assert_double_eq_tol(solved_middle(s, ROWS), 1.0 + 2.0 / 3.0, 1e-10);
    json_decref(report_of(s));

    option(s, "face", "x0:value=one"); /* the same again is refused, as in the program */
    ck_assert_int_eq(cgsolve_setup(s), CGSOLVE_USAGE);
    ck_assert_msg(strstr(cgsolve_message(), "face=x0 appears twice") != NULL, "%s",
                  cgsolve_message());
    option(s, "face", NULL);
    option(s, "face", "x0:value=1");
    option(s, "face", "x1:value=three\ny0:wrong");
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(k ? cgsolve_setup(s) : cgsolve_unknowns(s, &unknowns), CGSOLVE_USAGE);
        ck_assert_msg(strstr(cgsolve_message(), "face=y0:wrong is not understood") != NULL, "%s",
                      cgsolve_message());
    }
    option(s, "face", NULL);
    option(s, "source", "x*foo");
    ck_assert_int_eq(cgsolve_setup(s), CGSOLVE_USAGE);
    ck_assert_msg(strstr(cgsolve_message(), "\n    x*foo\n      ^") != NULL, "%s",
                  cgsolve_message());
    option(s, "source", "0");
    option(s, "face", "z1:value=three"); /* the other five are held at 0 */
    ck_assert_int_eq(unknowns_of(s), 5 * 4 * 5);
    cgsolve_destroy(&s);
}

/* A step in time from where nothing changes any more stays there: with values, fluxes and transfer
 * on faces, graded cells, and a c that varies. */
TEST(steps_in_time)
{
    enum { ROWS = 5 * 5 * 7 };
    double b[ROWS], rest[ROWS], u[ROWS];
    struct cgsolve *s = box_handle();
    option(s, "cells", "5x6x6");
    option(s, "source", "1+x");
    option(s, "kappa", "1+y");
    option(s, "face", "x0:value=2+y");
    option(s, "face", "x1:flux=z");
    option(s, "face", "z0:h=3,ambient=5");
    option(s, "face", "z1:flux");
    option(s, "grade", "y:4");
    option(s, "tol", "1e-13");
    ck_assert_int_eq(unknowns_of(s), ROWS);
    ck_assert_int_eq(cgsolve_step_rhs(s, ROWS, u, b), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "option reaction"));
    solved(cgsolve_solve(s, ROWS, NULL, rest, NULL));
    for (int format = 0; format < 2; format++) {
        option(s, "reaction", "x<0.5 ? 7 : 1000*z");
        option(s, "format", format ? "none" : "crs");
        option(s, "precond", format ? "fdm" : "mg");
        memcpy(u, rest, sizeof u);
        for (int step = 0; step < 3; step++) {
            struct cgsolve_result result;
            solved(cgsolve_step(s, ROWS, u, &result));
            ck_assert_int_eq(result.unknowns, ROWS);
        }
        for (int i = 0; i < ROWS; i++)
            ck_assert_double_eq_tol(u[i], rest[i], 1e-9);
        option(s, "tol", "1e-12"); /* which keeps the set-up */
        solved(cgsolve_step_rhs(s, ROWS, u, b));
        option(s, "tol", "1e-13");
    }
    ck_assert_int_eq(cgsolve_step_rhs(s, ROWS - 1, u, b), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "length"));
    ck_assert_int_eq(cgsolve_step_rhs(s, ROWS, NULL, b), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "u is NULL"));
    u[3] = NAN;
    ck_assert_int_eq(cgsolve_step_rhs(s, ROWS, u, b), CGSOLVE_INPUT);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "u[3] is"));
    cgsolve_destroy(&s);
}

/* Heat that no face lets out: R 1 adds up to c times the volume, and a step keeps the sum. */
TEST(steps_keep_heat)
{
    enum { ROWS = 5 * 6 * 7 };
    double b[ROWS], u[ROWS], rest = 0.0;
    struct cgsolve *s = box_handle();
    option(s, "cells", "4x5x6");
    option(s, "face", "else:flux");
    option(s, "reaction", "8");
    option(s, "tol", "1e-13");
    for (int step = 0; step < 4; step++) {
        double sum = 0.0;
        for (int i = 0; i < ROWS && step < 2; i++)
            u[i] = step == 0 ? 1.0 : 1.0 + some(i) - some(ROWS - 1 - i);
        solved(cgsolve_step_rhs(s, ROWS, u, b));
        for (int i = 0; i < ROWS; i++)
            sum += b[i];
        if (step != 1)
            ck_assert_double_eq_tol(sum, step == 0 ? 8.0 : rest, 1e-10);
        rest = sum;
        solved(cgsolve_solve_from(s, ROWS, b, u, NULL));
    }
    cgsolve_destroy(&s);
}

/* A step is the solve with its right-hand side, where both share vectors (double) or do not, and
 * where iterations begin with u (jacobi) or with 0 (fdm). */
TEST(a_step_is_its_solve)
{
    enum { ROWS = 5 * 6 * 7 };
    static const char *const kinds[][2] = {
        {"double", "fdm"}, {"double", "jacobi"}, {"mixed", "jacobi"}};
    double b[ROWS], u[ROWS], x[ROWS];
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        struct cgsolve *s = box_handle();
        option(s, "cells", "4x5x6");
        option(s, "source", "1+x");
        option(s, "face", "else:flux");
        option(s, "reaction", "8");
        option(s, "precision", kinds[kind][0]);
        option(s, "precond", kinds[kind][1]);
        option(s, "tol", "1e-12");
        for (int i = 0; i < ROWS; i++)
            u[i] = some(i);
        for (int step = 0; step < 3; step++) {
            struct cgsolve_result result;
            solved(cgsolve_step_rhs(s, ROWS, u, b));
            solved(cgsolve_solve(s, ROWS, b, x, NULL));
            solved(cgsolve_step(s, ROWS, u, &result));
            ck_assert(strcmp(kinds[kind][1], "fdm") != 0 || result.iterations <= 2);
            for (int i = 0; i < ROWS; i++)
                ck_assert_double_eq_tol(u[i], x[i], 1e-10);
        }
        cgsolve_destroy(&s);
    }
}

/* Several right-hand sides of a box have the bits of each by itself; their rows are bounded instead
 * of looked at. */
TEST(several_of_a_box)
{
    enum { ROWS = 5 * 6 * 7, COUNT = 3 };
    double b[COUNT * ROWS], x[COUNT * ROWS], alone[ROWS], ratio, bound;
    int64_t row;
    struct cgsolve *s = box_handle();
    option(s, "cells", "6x7x8");
    option(s, "source", "1");
    option(s, "precond", "fdm");
    option(s, "tol", "1e-10");
    for (int i = 0; i < COUNT * ROWS; i++)
        b[i] = some(i);
    solved(cgsolve_solve_many(s, COUNT, ROWS, b, x, NULL));
    solved(cgsolve_worst_row(s, &bound, &row));
    ck_assert_int_eq(row, -1);
    for (int k = 0; k < COUNT; k++) {
        solved(cgsolve_solve(s, ROWS, b + k * ROWS, alone, NULL));
        ck_assert_int_eq(memcmp(alone, x + k * ROWS, sizeof alone), 0);
    }
    solved(cgsolve_worst_row(s, &ratio, &row));
    ck_assert_int_ge(row, 0);
    ck_assert(ratio <= bound && bound < 1e-2);
    solved(cgsolve_solve_many(s, 1, ROWS, b, x, NULL));
    solved(cgsolve_worst_row(s, &ratio, &row));
    ck_assert_int_ge(row, 0);
    cgsolve_destroy(&s);
}

/* Free and periodic faces have unknowns, which are counted before the set-up. */
TEST(faces_have_unknowns)
{
    static const struct {
        const char *faces;
        int rows;
    } boxes[] = {{"x1:h=k", 6 * 4 * 5},
                 {"x0:flux\nx1:flux\ny0:periodic", 7 * 5 * 5},
                 {"z1:periodic", 5 * 4 * 6}};
    enum { MOST = 7 * 5 * 6 };
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        double x[MOST + 1];
        const int rows = boxes[i].rows;
        struct cgsolve *s = box_handle();
        x[rows] = 7.0;
        option(s, "cells", "6x5x6");
        option(s, "let", "k=2");
        option(s, "source", "x");
        option(s, "face", boxes[i].faces);
        ck_assert_int_eq(unknowns_of(s), rows);
        ck_assert_int_eq(cgsolve_solve(s, rows - 1, NULL, x, NULL), CGSOLVE_USAGE);
        solved(cgsolve_solve(s, rows, NULL, x, NULL));
        ck_assert_int_eq(unknowns_of(s), rows);
        ck_assert(x[rows] == 7.0);
        cgsolve_destroy(&s);
    }
}

int main(void)
{
    for (int i = 0; i < (int)(sizeof ones / sizeof *ones); i++)
        ones[i] = 1.0;
    return suite_run(suite_of("library_matrices", 60, NULL, NULL));
}
