/* libcgsolve through its public header: matrices in arrays of other kinds, new values, what a
 * new option keeps, many right-hand sides, the history. */
#include <sys/mman.h>

#include "tests/library/library.h"

enum { N = 60 };

/* b = A x of the tridiagonal matrix with these diagonal and neighbours. */
static void apply(double diagonal, double beside, const double *x, double *b)
{
    for (int i = 0; i < N; i++)
        b[i] = diagonal * x[i] + beside * ((i > 0 ? x[i - 1] : 0.0) + (i < N - 1 ? x[i + 1] : 0.0));
}

static void fill(double *x)
{
    for (int i = 0; i < N; i++)
        x[i] = some(i);
}

static struct cgsolve *precise(void)
{
    struct cgsolve *s = handle();
    ck_assert_int_eq(cgsolve_set_real(s, "tol", 1e-13), CGSOLVE_OK);
    return s;
}

/* Solves for a known vector. */
static void solves(struct cgsolve *s, double diagonal, double beside)
{
    double known[N], b[N], x[N] = {0};
    fill(known);
    apply(diagonal, beside, known, b);
    solved(cgsolve_solve(s, N, b, x, NULL));
    assert_near(x, known, N, 1e-9);
}

static void taken(struct cgsolve *s, const struct cgsolve_arrays *arrays)
{
    ck_assert_msg(cgsolve_matrix_arrays(s, arrays) == CGSOLVE_OK, "%s", cgsolve_message());
}

/* Entries of one triangle, or of both, backwards: rows from the last, columns descending. */
static int64_t backwards(enum cgsolve_triangle stored, int32_t *row, int32_t *column, double *value)
{
    int64_t k = 0;
    for (int i = N - 1; i >= 0; i--)
        for (int j = i + 1; j >= i - 1; j--)
            if (j >= 0 && j < N && !(stored == CGSOLVE_LOWER && j > i) &&
                !(stored == CGSOLVE_UPPER && j < i)) {
                row[k] = i;
                column[k] = j;
                value[k++] = i == j ? 2.0 : -1.0;
            }
    return k;
}

TEST(entries_in_any_order)
{
    const enum cgsolve_triangle all[] = {CGSOLVE_FULL, CGSOLVE_LOWER, CGSOLVE_UPPER};
    for (int t = 0; t < 3; t++) {
        int32_t row[3 * N], column[3 * N];
        double value[3 * N];
        struct cgsolve *s = precise();
        int64_t count = backwards(all[t], row, column, value);
        row[count] = column[count] = 7; /* added to the diagonal twice: 2 + 1 - 1 */
        row[count + 1] = column[count + 1] = 7;
        value[count++] = 1.0;
        value[count++] = -1.0;
        taken(s, &(struct cgsolve_arrays){.rows = N,
                                          .nonzeros = count,
                                          .row = row,
                                          .columns = column,
                                          .values = value,
                                          .stored = all[t]});
        memset(row, -1, sizeof row); /* they were copied */
        solves(s, 2.0, -1.0);
        for (int64_t k = 0; k < count; k++)
            value[k] = row[0] == -1 && value[k] == 2.0 ? 3.0 : value[k];
        option(s, "precond", t ? "amg" : "none");
        solves(s, 2.0, -1.0);
        ck_assert_int_eq(cgsolve_matrix_values(s, count, value), CGSOLVE_OK);
        solves(s, 3.0, -1.0);
        ck_assert_int_eq(cgsolve_matrix_values(s, count - 1, value), CGSOLVE_USAGE);
        value[5] = NAN;
        ck_assert_int_eq(cgsolve_matrix_values(s, count, value), CGSOLVE_INPUT);
        ck_assert_str_eq(cgsolve_message(), "values[5] is nan: expected finite numbers");
        solves(s, 3.0, -1.0); /* as before */
        cgsolve_destroy(&s);
    }
}

TEST(rows_of_one_triangle_and_narrow_pointers)
{
    int32_t narrow[N + 1] = {0}, column[2 * N];
    int64_t wide[N + 1] = {0};
    double value[2 * N];
    struct rows full = rows_tridiagonal(N);
    int32_t pointers[N + 1];
    int32_t k = 0;
    for (int i = 0; i < N; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i; j++) {
            column[k] = j;
            value[k++] = i == j ? 2.0 : -1.0;
        }
        wide[i + 1] = narrow[i + 1] = k;
    }
    for (int i = 0; i <= N; i++)
        pointers[i] = (int32_t)full.pointers[i];
    struct cgsolve *s = precise();
    struct cgsolve_arrays a = {.rows = N,
                               .nonzeros = k,
                               .pointers = narrow,
                               .pointer_bits = 32,
                               .columns = column,
                               .values = value,
                               .stored = CGSOLVE_LOWER};
    taken(s, &a);
    solves(s, 2.0, -1.0);
    a.pointers = wide;
    a.pointer_bits = 64;
    taken(s, &a);
    solves(s, 2.0, -1.0);
    a.stored = CGSOLVE_UPPER;
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_INPUT);
    ck_assert_str_eq(
        cgsolve_message(),
        "entry 1 (row 1, column 0) is in the other triangle: expected the upper one alone");
    a = (struct cgsolve_arrays){.rows = N,
                                .nonzeros = full.pointers[N],
                                .pointers = pointers,
                                .pointer_bits = 32,
                                .columns = full.columns,
                                .values = full.values};
    taken(s, &a);
    memset(pointers, -1, sizeof pointers); /* they were copied */
    solves(s, 2.0, -1.0);
    cgsolve_destroy(&s);
    rows_free(&full);
}

TEST(wrong_arrays_are_refused)
{
    int32_t row[] = {0, 1, 2}, column[] = {0, 1, 2}, pointers[] = {0, 1, 2, 3};
    double value[] = {1.0, 1.0, 1.0};
    struct cgsolve *s = handle();
    struct cgsolve_arrays a = {.rows = 3, .nonzeros = 3, .columns = column, .values = value};
    ck_assert_int_eq(cgsolve_matrix_arrays(s, NULL), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_USAGE);
    ck_assert_str_eq(cgsolve_message(), "pointers is NULL: expected an array");
    a.row = row;
    a.pointers = pointers;
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_USAGE);
    a.row = NULL;
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_USAGE);
    ck_assert_str_eq(cgsolve_message(), "pointer_bits = 0: expected 64 or 32");
    a.pointer_bits = 32;
    a.stored = CGSOLVE_LOWER;
    pointers[1] = 9;
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_INPUT);
    a.stored = (enum cgsolve_triangle)7;
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_USAGE);
    a = (struct cgsolve_arrays){
        .rows = 3, .nonzeros = 3, .row = row, .columns = column, .values = value};
    row[2] = 3;
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_INPUT);
    ck_assert_str_eq(cgsolve_message(), "row[2] = 3 is out of range: expected 0 ... 2");
    row[2] = 2;
    a.rows = INT32_MAX; /* some row is empty, so that nothing of that length is made */
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_INPUT);
    ck_assert_ptr_nonnull(
        strstr(cgsolve_message(), "of 2147483647 rows and 3 entries: expected one"));
    a.rows = (int64_t)1 << 40;
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_INPUT);
    ck_assert_int_eq(cgsolve_matrix_values(s, 3, value), CGSOLVE_USAGE); /* there is no matrix */
    cgsolve_destroy(&s);
}

/* AMG's set-up is seconds of a large matrix: a new tol keeps it, and the report has that tol. */
TEST(tolerance_keeps_the_setup)
{
    struct rows a = rows_tridiagonal(N);
    struct cgsolve *s = handle();
    struct cgsolve_result first, second;
    double b[N], x[N];
    fill(b);
    hand_over(s, &a);
    option(s, "precond", "amg");
    ck_assert_int_eq(cgsolve_set_real(s, "tol", 1e-2), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, b, x, &first));
    json_t *before = report_of(s);
    ck_assert_int_eq(cgsolve_set_real(s, "tol", 1e-12), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, b, x, &second));
    json_t *after = report_of(s);
    ck_assert_int_gt(second.iterations, first.iterations);
    const char *const set_up[] = {"preconditioning", "setup_seconds"};
    json_t *was = before, *is = after;
    for (int i = 0; i < 2; i++) {
        was = json_object_get(was, set_up[i]);
        is = json_object_get(is, set_up[i]);
    }
    ck_assert_ptr_nonnull(was);
    ck_assert(json_real_value(was) == json_real_value(is)); /* measured once */
    json_decref(before);
    json_decref(after);
    ck_assert_int_eq(cgsolve_set_integer(s, "max-iterations", 1), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_solve(s, N, b, x, &second), CGSOLVE_NOT_CONVERGED);
    ck_assert_int_eq(second.iterations, 1);
    ck_assert_int_eq(cgsolve_set_integer(s, "reproducible", 1), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_set_integer(s, "reproducible", 0), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_set_integer(s, "max-iterations", 500), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, b, x, &second));
    cgsolve_destroy(&s);
    rows_free(&a);
}

TEST(many_right_hand_sides_and_the_history)
{
    enum { COUNT = 3 };
    double known[COUNT * N], b[COUNT * N], x[COUNT * N];
    struct cgsolve_result results[COUNT];
    struct rows a = rows_tridiagonal(N);
    struct cgsolve *s = precise();
    const double *residuals = NULL;
    int64_t count = -1;
    double ratio = 7.0;
    int64_t row = 7;
    ck_assert_int_eq(cgsolve_history(s, &count, &residuals), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_worst_row(s, &ratio, &row), CGSOLVE_USAGE);
    ck_assert(count == -1 && ratio == 7.0 && row == 7);
    hand_over(s, &a);
    for (int c = 0; c < COUNT; c++) {
        for (int i = 0; i < N; i++)
            known[c * N + i] = some(c * N + i);
        apply(2.0, -1.0, known + c * N, b + c * N);
    }
    solved(cgsolve_solve_many(s, COUNT, N, b, x, results));
    assert_near(x, known, (int64_t)COUNT * N, 1e-9);
    for (int c = 0; c < COUNT; c++)
        ck_assert_int_gt(results[c].iterations, 1);
    solved(cgsolve_history(s, &count, &residuals));
    ck_assert_int_eq(count, results[COUNT - 1].iterations + 1);
    ck_assert(residuals[0] == 1.0 && residuals[count - 1] <= 1e-13);
    solved(cgsolve_worst_row(s, &ratio, &row));
    ck_assert(ratio >= 0.0 && ratio < 1e-11 && row >= 0 && row < N);
    ck_assert_int_eq(cgsolve_worst_row(s, &ratio, NULL), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_worst_row(s, NULL, &row), CGSOLVE_USAGE);
    b[N + 3] = INFINITY; /* the second cannot be solved, the third is */
    memset(x, 0, sizeof x);
    ck_assert_int_eq(cgsolve_solve_many(s, COUNT, N, b, x, results), CGSOLVE_INPUT);
    ck_assert_str_eq(cgsolve_message(),
                     "b[3] is inf: expected finite numbers (right-hand side 1 of 0 ... 2)");
    ck_assert_int_eq(results[1].status, CGSOLVE_INPUT);
    ck_assert_int_eq(results[2].status, CGSOLVE_OK);
    assert_near(x + 2 * N, known + 2 * N, N, 1e-9);
    ck_assert(x[N] == 0.0);
    ck_assert_int_eq(cgsolve_solve_many(s, 0, N, b, x, NULL), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_solve_many(s, 2, N - 1, b, x, results), CGSOLVE_USAGE);
    cgsolve_destroy(&s);
    rows_free(&a);
}

static void said(const char *words)
{
    ck_assert_msg(strstr(cgsolve_message(), words) != NULL, "'%s' has no '%s'", cgsolve_message(),
                  words);
}

/* ---- the solution after each iteration ---- */

/* Conjugate gradients as a textbook has them, on tridiag(-1, 2, -1), from x on: a step with each
 * call, whose x is the library's. */
struct textbook {
    double x[N], r[N], p[N], rr;
    int64_t calls, stop_at; /* stop_at 0: nowhere */
    double scale;           /* of the library's b and x beside these */
    double bound;           /* on the difference, relative to the largest number of x */
};

static void textbook_start(struct textbook *t, const double *b, const double *x, double scale,
                           double bound)
{
    double ax[N];
    *t = (struct textbook){.scale = scale, .bound = bound};
    for (int i = 0; i < N; i++)
        t->x[i] = x ? x[i] / scale : 0.0;
    apply(2.0, -1.0, t->x, ax);
    for (int i = 0; i < N; i++) {
        t->p[i] = t->r[i] = b[i] / scale - ax[i];
        t->rr += t->r[i] * t->r[i];
    }
}

static int textbook_step(void *user, int64_t iteration, double relative_residual, int64_t length,
                         const double *x)
{
    struct textbook *t = user;
    double q[N], pq = 0.0, before = t->rr, most = 0.0;
    ck_assert_int_eq(iteration, ++t->calls);
    ck_assert_int_eq(length, N);
    ck_assert(relative_residual >= 0.0);
    apply(2.0, -1.0, t->p, q);
    for (int i = 0; i < N; i++)
        pq += t->p[i] * q[i];
    t->rr = 0.0;
    for (int i = 0; i < N; i++) {
        t->x[i] += before / pq * t->p[i];
        t->r[i] -= before / pq * q[i];
        t->rr += t->r[i] * t->r[i];
        most = fmax(most, fabs(t->x[i]));
    }
    for (int i = 0; i < N; i++) {
        t->p[i] = t->r[i] + t->rr / before * t->p[i];
        ck_assert_msg(fabs(x[i] / t->scale - t->x[i]) <= t->bound * most,
                      "x[%d] of iteration %d: %g, not %g", i, (int)iteration, x[i] / t->scale,
                      t->x[i]);
    }
    return iteration != t->stop_at;
}

static const struct {
    const char *option, *value;
    double scale, bound;
} watched[] = {{"format", "crs", 1.0, 1e-9},
               {"format", "sell", 1e-200, 1e-9},
               {"cg", "single-reduction", 1.0, 1e-7},
               {"precision", "mixed", 1.0, 1e-4},
               {"precision", "single", 1.0, 1e-3}};

LOOP_TEST(solution_after_each_iteration, sizeof watched / sizeof *watched)
{
    static struct textbook t;
    struct cgsolve *s = handle();
    struct rows a = rows_tridiagonal(N);
    struct cgsolve_result result, again;
    double b[N], x[N], same[N], start[N];
    for (int i = 0; i < N; i++) {
        b[i] = some(i) * watched[_i].scale;
        start[i] = some(i + 5) * watched[_i].scale;
    }
    option(s, watched[_i].option, watched[_i].value);
    option(s, "tol", "1e-5");
    hand_over(s, &a);
    solved(cgsolve_solve(s, N, b, same, &again));
    textbook_start(&t, b, NULL, watched[_i].scale, watched[_i].bound);
    ck_assert_int_eq(cgsolve_watch_solution(s, textbook_step, &t), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, b, x, &result)); /* as without */
    ck_assert_int_eq(result.iterations, again.iterations);
    ck_assert_int_eq(t.calls, result.iterations);
    if (strcmp(result.backend, "cpu") == 0)
        ck_assert_mem_eq(x, same, sizeof x);
    memcpy(x, start, sizeof x);
    textbook_start(&t, b, start, watched[_i].scale, watched[_i].bound);
    t.stop_at = 3;
    ck_assert_int_eq(cgsolve_solve_from(s, N, b, x, &result), CGSOLVE_INTERRUPTED);
    said("stopped by the caller after 3 iterations");
    ck_assert(result.iterations == 3 && t.calls == 3);
    ck_assert_int_eq(cgsolve_watch_solution(s, NULL, NULL), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, b, x, &result));
    ck_assert_int_eq(result.iterations, again.iterations);
    ck_assert_int_eq(t.calls, 3);
    cgsolve_destroy(&s);
    rows_free(&a);
}

/* A box has no arrays; its x is shown all the same. */
static int remember(void *user, int64_t iteration, double relative_residual, int64_t length,
                    const double *x)
{
    (void)iteration, (void)relative_residual;
    ck_assert_int_eq(length, 343);
    memcpy(user, x, 343 * sizeof *x);
    return 1;
}

TEST(solution_of_a_box)
{
    static double x[343], seen[343];
    struct cgsolve *s = handle();
    option(s, "N", "7");
    option(s, "precond", "mg");
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    solved(cgsolve_solve(s, 343, NULL, x, NULL));
    ck_assert_int_eq(cgsolve_watch_solution(s, remember, seen), CGSOLVE_OK);
    solved(cgsolve_solve(s, 343, NULL, x, NULL));
    ck_assert_mem_eq(seen, x, sizeof x);
    cgsolve_destroy(&s);
}

/* Addresses that are not the host's to read, as a device's are not: refused, instead of a
 * signal. */
TEST(arrays_in_other_memory)
{
    struct cgsolve *s = precise();
    struct rows a = rows_tridiagonal(N);
    double b[N], x[N] = {0};
    void *elsewhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(elsewhere != MAP_FAILED);
    fill(b);
    hand_over(s, &a);
    ck_assert_int_eq(cgsolve_solve(s, N, elsewhere, x, NULL), CGSOLVE_USAGE);
    said("b is not in memory that the host can read");
    ck_assert_int_eq(cgsolve_solve(s, N, b, elsewhere, NULL), CGSOLVE_USAGE);
    said("x is not in memory that the host can read");
    ck_assert_int_eq(cgsolve_matrix_values(s, a.pointers[N], elsewhere), CGSOLVE_USAGE);
    said("values is not in memory that the host can read");
    solves(s, 2.0, -1.0); /* nothing was changed */
    ck_assert_int_eq(cgsolve_matrix_crs(s, N, a.pointers[N], a.pointers, elsewhere, a.values),
                     CGSOLVE_USAGE);
    said("columns is not in memory that the host can read");
    munmap(elsewhere, 4096);
    cgsolve_destroy(&s);
    rows_free(&a);
}

TEST(sums_that_overflow)
{
    const int32_t row[] = {0, 1, 1}, columns[] = {0, 1, 1};
    double values[] = {1.0, 1.0, 1.0}, b[] = {2.0, 4.0}, x[2];
    struct cgsolve *s = precise();
    taken(s, &(struct cgsolve_arrays){
                 .rows = 2, .nonzeros = 3, .row = row, .columns = columns, .values = values});
    values[1] = values[2] = 1e308;
    ck_assert_int_eq(cgsolve_matrix_values(s, 3, values), CGSOLVE_INPUT);
    said("values[1] and others at the same place add up to more");
    solved(cgsolve_solve(s, 2, b, x, NULL)); /* with the values of before */
    ck_assert(fabs(x[0] - 2.0) < 1e-9 && fabs(x[1] - 2.0) < 1e-9);
    cgsolve_destroy(&s);
}

TEST(overlapping_vectors)
{
    double both[3 * N];
    struct cgsolve *s = precise();
    struct rows a = rows_tridiagonal(N);
    hand_over(s, &a);
    for (int i = 0; i < 3 * N; i++)
        both[i] = some(i);
    ck_assert_int_eq(cgsolve_solve_many(s, 2, N, both, both + N, NULL), CGSOLVE_USAGE);
    said("b and x overlap");
    ck_assert_int_eq(cgsolve_solve_many(s, 2, N, both + 1, both, NULL), CGSOLVE_USAGE);
    solved(cgsolve_solve_many(s, 2, N, both, both, NULL));
    cgsolve_destroy(&s);
    rows_free(&a);
}

int main(void)
{
    return suite_run(suite_of("library, arrays", 60, NULL, NULL));
}
