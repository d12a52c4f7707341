/* libcgsolve with --precond=amg on random matrices: graphs of one and more parts with weights of
 * up to 1e8, B'B + shift, bad scalings. Each x is right by its true residual, computed here. Where
 * cycles in single end a solve, those in double begin from the x of then, and the report says so.
 */
#include "base/random.h"
#include "tests/library/library.h"

enum { MATRICES = 64, MOST = 150 };

/* The k-th random number of matrix `seed`, in [0, 1). */
static double chance(int seed, int k)
{
    return 0.5 + 0.5 * cgs_random(((uint64_t)seed << 32) + (uint64_t)k);
}

/* Joins i and j by a weight between 1 and 1e8. */
static void join(double *a, int n, int seed, int i, int j)
{
    const double weight = pow(1e8, chance(seed, 1000 + i * n + j));
    if (i == j)
        return;
    a[i * n + j] -= weight;
    a[j * n + i] -= weight;
    a[i * n + i] += weight;
    a[j * n + j] += weight;
}

/* Stars, trees, trees with more edges, two trees; held at row 0 where `held`. */
static void make_graph(double *a, int n, int seed, bool held)
{
    for (int i = 1; i < n; i++) {
        const int from = (int)(chance(seed, i) * i);
        if (seed % 4 == 3 && i == n / 2)
            continue; /* begins a second part */
        join(a, n, seed, i,
             seed % 4 == 0                ? 0
             : seed % 4 == 3 && i > n / 2 ? n / 2 + from % (i - n / 2)
             : seed % 4 == 3              ? from % (n / 2)
                                          : from);
        if (seed % 4 == 2)
            join(a, n, seed, i, (int)(chance(seed, 500 + i) * i));
    }
    if (held)
        a[0] += 1.0;
    if (held && seed % 4 == 3)
        a[(n / 2) * (n + 1)] += 1.0;
}

/* B'B + shift with some three entries in a row of B, and, where `scaled`, D (B'B + shift) D. */
static void make_product(double *a, int n, int seed, bool scaled)
{
    const double shift = pow(10.0, -9.0 + 4.0 * chance(seed, 1));
    for (int row = 0; row < n; row++) {
        int column[3];
        double value[3];
        for (int k = 0; k < 3; k++) {
            column[k] = (int)(chance(seed, 10 + 6 * row + k) * n);
            value[k] = 2.0 * chance(seed, 13 + 6 * row + k) - 1.0;
        }
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                a[column[k] * n + column[l]] += value[k] * value[l];
    }
    for (int i = 0; i < n; i++)
        a[i * (n + 1)] += shift;
    for (int i = 0; i < n * n && scaled; i++)
        a[i] *= pow(10.0, 4.0 * (chance(seed, 2000 + i / n) + chance(seed, 2000 + i % n)) - 4.0);
}

static struct rows make(int seed)
{
    const int n = 3 + (int)(chance(seed, 0) * (MOST - 3));
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    struct rows a = rows_of(n, (int64_t)n * n);
    ck_assert_ptr_nonnull(dense);
    if (seed % 8 < 4)
        make_graph(dense, n, seed, seed % 16 < 8);
    else
        make_product(dense, n, seed, seed % 2);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (dense[i * n + j] != 0.0)
                rows_add(&a, i, j, dense[i <= j ? i * n + j : j * n + i]);
    free(dense);
    return a;
}

/* Returns ||b - A x|| / ||b||. */
static double residual(const struct rows *a, const double *b, const double *x)
{
    double product[MOST], rr = 0.0, bb = 0.0;
    rows_apply(a, x, product);
    for (int64_t i = 0; i < a->rows; i++) {
        rr += (b[i] - product[i]) * (b[i] - product[i]);
        bb += b[i] * b[i];
    }
    return sqrt(rr / bb);
}

static struct cgsolve *start(const struct rows *a, const char *precision)
{
    struct cgsolve *s = handle();
    option(s, "precond", "amg");
    option(s, "precond-precision", precision);
    option(s, "tol", "1e-8");
    option(s, "max-iterations", "5000");
    hand_over(s, a);
    return s;
}

/* Returns the facts of the preconditioner. *report: to be given back. */
static const json_t *facts_of(struct cgsolve *s, json_t **report)
{
    *report = report_of(s);
    return json_object_get(*report, "preconditioning");
}

/* Checks a solve that began again: the next one has cycles in double from the start, and with
 * cycles in single asked for it ends as it did. */
static void check_again(struct cgsolve *s, const struct rows *a, const double *b, double *x)
{
    struct cgsolve_result result;
    json_t *report;
    const json_t *facts = facts_of(s, &report);
    ck_assert_str_eq(json_string_value(json_object_get(facts, "cycle_precision")), "double");
    json_decref(report);
    solved(cgsolve_solve(s, a->rows, b, x, &result));
    ck_assert(residual(a, b, x) <= 2e-8);
    facts = facts_of(s, &report);
    ck_assert_ptr_null(json_object_get(facts, "begun_again_because"));
    ck_assert_str_eq(json_string_value(json_object_get(facts, "cycle_precision")), "double");
    json_decref(report);
    struct cgsolve *single = start(a, "single");
    ck_assert_int_ne(cgsolve_solve(single, a->rows, b, x, &result), CGSOLVE_OK);
    cgsolve_destroy(&single);
}

/* Checks that with reuse=all the cycle in double that a solve began again with stays for new
 * values, however few iterations that solve took from there. */
static void check_reuse(const struct rows *a, const double *b, double *x)
{
    struct cgsolve *s = start(a, "auto");
    json_t *report;
    option(s, "reuse", "all");
    for (int i = 0; i < 3; i++) {
        solved(cgsolve_solve(s, a->rows, b, x, NULL));
        ck_assert(residual(a, b, x) <= 2e-8);
        const json_t *facts = facts_of(s, &report);
        const char *reused = json_string_value(json_object_get(facts, "reused"));
        ck_assert_str_eq(json_string_value(json_object_get(facts, "cycle_precision")), "double");
        ck_assert((json_object_get(facts, "begun_again_because") == NULL) == (i > 0));
        ck_assert_str_eq(reused ? reused : "none", i > 0 ? "all" : "none");
        json_decref(report);
        ck_assert_int_eq(cgsolve_matrix_values(s, a->pointers[a->rows], a->values), CGSOLVE_OK);
    }
    cgsolve_destroy(&s);
}

TEST(random_matrices)
{
    int again = 0;
    for (int seed = 0; seed < MATRICES; seed++) {
        struct rows a = make(seed);
        struct cgsolve *s = start(&a, "auto");
        struct cgsolve_result result;
        double u[MOST], b[MOST], x[MOST];
        json_t *report;
        for (int i = 0; i < a.rows; i++)
            u[i] = 2.0 * chance(seed, 9000000 + i) - 1.0;
        rows_apply(&a, u, b);
        const enum cgsolve_status status = cgsolve_solve(s, a.rows, b, x, &result);
        ck_assert_msg(status == CGSOLVE_OK, "matrix %d: %s", seed, cgsolve_message());
        ck_assert_msg(residual(&a, b, x) <= 2e-8, "matrix %d: %g", seed, residual(&a, b, x));
        const json_t *facts = facts_of(s, &report);
        const bool begun = json_object_get(facts, "begun_again_because") != NULL;
        json_decref(report);
        again += begun;
        if (begun) {
            check_again(s, &a, b, x);
            check_reuse(&a, b, x);
        }
        cgsolve_destroy(&s);
        rows_free(&a);
    }
    ck_assert_int_gt(again, 0);
}

int main(void)
{
    return run_tests("library, random matrices", 120, NULL, NULL);
}
