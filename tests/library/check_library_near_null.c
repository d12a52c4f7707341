/* libcgsolve with near-null vectors of --precond=amg: elasticity with its rigid-body modes in few
 * iterations that hardly grow, by every door, with the same bits for any number of threads; and
 * vectors that do not fit. */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/library/elastic.h"
#include "tests/support/support.h"

#ifdef CGS_TEST_EMULATED
static const bool one_thread = true; /* as check_library_device.c */
#else
static const bool one_thread = false;
#endif

static struct cgsolve *device_handle(void)
{
    struct cgsolve *s = handle();
    option(s, "backend", CHECK_DEVICE == CGS_CUDA ? "cuda" : "cpu");
    if (one_thread)
        option(s, "threads", "1");
    option(s, "tol", "1e-8");
    return s;
}

static struct cgsolve *amg_handle(const struct rows *a)
{
    struct cgsolve *s = device_handle();
    option(s, "precond", "amg");
    hand_over(s, a);
    return s;
}

static void give(struct cgsolve *s, int count, int64_t length, const double *vectors)
{
    ck_assert_msg(cgsolve_near_null(s, count, length, vectors) == CGSOLVE_OK, "%s",
                  cgsolve_message());
}

/* Solves for b of numbers that look random. Returns the iterations; x: rows numbers, NULL: not
 * wanted. */
static int64_t iterations(struct cgsolve *s, int64_t rows, double *x)
{
    double *b = calloc((size_t)rows, sizeof *b), *y = calloc((size_t)rows, sizeof *y);
    struct cgsolve_result result;
    for (int64_t i = 0; i < rows; i++)
        b[i] = some((int)i);
    solved(cgsolve_solve(s, rows, b, y, &result));
    ck_assert_double_le(result.true_relative_residual, 1e-8);
    if (x)
        memcpy(x, y, (size_t)rows * sizeof *x);
    free(b);
    free(y);
    return result.iterations;
}

/* Returns a fact of the preconditioner of the last solve. */
static int64_t fact(struct cgsolve *s, const char *key)
{
    json_t *report = report_of(s);
    const int64_t number =
        json_integer_value(json_object_get(json_object_get(report, "preconditioning"), key));
    json_decref(report);
    return number;
}

/* Returns the bytes of the second matrix of the last solve's cycle for each of its entries. */
static double coarse_bytes(struct cgsolve *s)
{
    json_t *report = report_of(s);
    const json_t *levels = json_object_get(json_object_get(report, "preconditioning"), "levels");
    const json_t *level = json_array_get(levels, 1);
    const double bytes = json_number_value(json_object_get(level, "matrix_bytes")),
                 entries = json_number_value(json_object_get(level, "grid_nonzeros"));
    json_decref(report);
    return bytes / entries;
}

/* ---- elasticity ---- */

TEST(iterations_are_few_and_hardly_grow)
{
    static const int bricks[] = {5, 10, 20};
    int64_t before = 0;
    for (int i = 0; i < (CHECK_SMALL ? 2 : 3); i++) {
        struct elastic e = elastic_make(bricks[i]);
        struct cgsolve *s = amg_handle(&e.a);
        const int64_t without = iterations(s, e.a.rows, NULL);
        ck_assert_int_eq(fact(s, "near_null_vectors"), 0);
        give(s, ELASTIC_MODES, e.a.rows, e.modes);
        const int64_t count = iterations(s, e.a.rows, NULL);
        printf("%lld unknowns: %lld iterations, %lld without modes\n", (long long)e.a.rows,
               (long long)count, (long long)without);
        ck_assert_int_eq(fact(s, "near_null_vectors"), ELASTIC_MODES);
        ck_assert_int_eq(fact(s, "block"), 3);
        if (CHECK_DEVICE == CGS_CPU) /* single: 4 a number, 4 / 9 of an index */
            ck_assert_double_lt(coarse_bytes(s), 5.0);
        ck_assert_int_le(count, 25);
        ck_assert_int_lt(2 * count, without);
        if (before > 0)
            ck_assert_double_le((double)count, 1.2 * (double)before + 1.0);
        before = count;
        cgsolve_destroy(&s);
        elastic_free(&e);
    }
}

/* Opens a file of rows x columns numbers, in Matrix Market's order, column by column. */
static void write_columns(char *name, int64_t rows, int columns, const double *numbers,
                          int64_t along, int64_t across)
{
    FILE *file = fdopen(mkstemp(name), "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%lld %d\n", (long long)rows,
            columns);
    for (int k = 0; k < columns; k++)
        for (int64_t i = 0; i < rows; i++)
            fprintf(file, "%.17g\n", numbers[k * across + i * along]);
    fclose(file);
}

/* The option near-null has the bits of cgsolve_near_null, with any number of threads; coordinates
 * have the same space, and thus as many iterations. */
TEST(files_and_threads)
{
    char vectors[] = "/tmp/cgs-modes-XXXXXX", points[] = "/tmp/cgs-points-XXXXXX";
    struct elastic e = elastic_make(6);
    const int64_t rows = e.a.rows;
    const size_t bytes = (size_t)rows * sizeof(double);
    double *x = malloc(bytes), *y = malloc(bytes);
    write_columns(vectors, rows, ELASTIC_MODES, e.modes, 1, rows);
    write_columns(points, e.nodes, 3, e.x, 3, 1);
    struct cgsolve *s = amg_handle(&e.a);
    option(s, "threads", "1");
    give(s, ELASTIC_MODES, rows, e.modes);
    const int64_t count = iterations(s, rows, x);
    option(s, "threads", one_thread ? "1" : "3");
    ck_assert_int_eq(iterations(s, rows, y), count);
    ck_assert_mem_eq(x, y, bytes);
    give(s, 0, 0, NULL);
    option(s, "near-null", vectors);
    ck_assert_int_eq(iterations(s, rows, y), count);
    ck_assert_mem_eq(x, y, bytes);
    option(s, "near-null", NULL);
    option(s, "coordinates", points);
    ck_assert_int_le(llabs(iterations(s, rows, y) - count), 1);
    ck_assert_int_eq(fact(s, "near_null_vectors"), ELASTIC_MODES);
    remove(vectors);
    remove(points);
    free(x);
    free(y);
    cgsolve_destroy(&s);
    elastic_free(&e);
}

static void refused(struct cgsolve *s, int64_t rows, enum cgsolve_status status, const char *why)
{
    double *b = calloc((size_t)rows, sizeof *b), *x = calloc((size_t)rows, sizeof *x);
    ck_assert_int_eq(cgsolve_solve(s, rows, b, x, NULL), status);
    ck_assert_msg(strstr(cgsolve_message(), why) != NULL, "%s: not '%s'", cgsolve_message(), why);
    free(b);
    free(x);
}

/* Vectors that set-up finds do less than modes, and more than none; new values have new ones. */
TEST(adaptive)
{
    struct elastic e = elastic_make(8);
    struct cgsolve *s = amg_handle(&e.a);
    const int64_t entries = e.a.pointers[e.a.rows], without = iterations(s, e.a.rows, NULL);
    option(s, "adaptive", "6");
    option(s, "block", "3");
    const int64_t with = iterations(s, e.a.rows, NULL);
    ck_assert_int_eq(fact(s, "near_null_vectors"), ELASTIC_MODES);
    ck_assert_int_eq(fact(s, "block"), 3);
    ck_assert_int_le(3 * with, 2 * without);
    for (int64_t k = 0; k < entries; k++)
        e.a.values[k] *= 4.0;
    ck_assert_int_eq(cgsolve_matrix_values(s, entries, e.a.values), CGSOLVE_OK);
    ck_assert_int_eq(iterations(s, e.a.rows, NULL), with);
    give(s, ELASTIC_MODES, e.a.rows, e.modes);
    refused(s, e.a.rows, CGSOLVE_USAGE, "the option adaptive both bring near-null vectors");
    give(s, 0, 0, NULL);
    option(s, "block", NULL);
    option(s, "precond", "jacobi");
    refused(s, e.a.rows, CGSOLVE_USAGE, "adaptive belongs to ");
    cgsolve_destroy(&s);
    elastic_free(&e);
}

/* New values keep the vectors, whatever else they keep, and look at them again. */
TEST(new_values)
{
    static const char *const reuse[] = {"none", "pattern", "all"};
    struct elastic e = elastic_make(5);
    const int64_t rows = e.a.rows, nonzeros = e.a.pointers[rows];
    for (int k = 0; k < 3; k++) {
        struct cgsolve *s = amg_handle(&e.a);
        option(s, "reuse", reuse[k]);
        give(s, ELASTIC_MODES, rows, e.modes);
        const int64_t count = iterations(s, rows, NULL);
        for (int64_t i = 0; i < nonzeros; i++)
            e.a.values[i] *= 4.0;
        ck_assert_int_eq(cgsolve_matrix_values(s, nonzeros, e.a.values), CGSOLVE_OK);
        ck_assert_int_eq(iterations(s, rows, NULL), count);
        ck_assert_int_eq(fact(s, "near_null_vectors"), ELASTIC_MODES);
        json_t *report = report_of(s), *facts = json_object_get(report, "preconditioning");
        const char *kept_facts = json_string_value(json_object_get(facts, "reused"));
        ck_assert_str_eq(kept_facts ? kept_facts : "none", reuse[k]);
        json_decref(report);
        const double kept = e.modes[7];
        e.modes[7] = NAN;
        ck_assert_int_eq(cgsolve_matrix_values(s, nonzeros, e.a.values), CGSOLVE_OK);
        refused(s, rows, CGSOLVE_INPUT, "vectors[7] is nan");
        e.modes[7] = kept;
        ck_assert_int_eq(iterations(s, rows, NULL), count);
        cgsolve_destroy(&s);
    }
    elastic_free(&e);
}

/* A fixed body of n^3 bricks and one brick that nothing holds, with six modes of all nodes. */
static struct elastic with_free_brick(int n)
{
    static double element[ELASTIC_ELEMENT][ELASTIC_ELEMENT];
    struct elastic fixed = elastic_make(n);
    const int64_t held = fixed.a.rows, rows = held + ELASTIC_ELEMENT,
                  entries = fixed.a.pointers[held];
    struct elastic e = {.a = rows_of(rows, entries + ELASTIC_ELEMENT * ELASTIC_ELEMENT),
                        .nodes = fixed.nodes + ELASTIC_CORNERS,
                        .x = calloc((size_t)rows, sizeof *e.x),
                        .modes = calloc((size_t)(ELASTIC_MODES * rows), sizeof *e.modes)};
    memcpy(e.a.pointers, fixed.a.pointers, (size_t)(held + 1) * sizeof *e.a.pointers);
    memcpy(e.a.columns, fixed.a.columns, (size_t)entries * sizeof *e.a.columns);
    memcpy(e.a.values, fixed.a.values, (size_t)entries * sizeof *e.a.values);
    memcpy(e.x, fixed.x, (size_t)held * sizeof *e.x);
    make_element(element);
    for (int i = 0; i < ELASTIC_ELEMENT; i++) {
        e.x[held + i] = 2.0 + (double)corner(i / 3, i % 3) / n;
        for (int j = 0; j < ELASTIC_ELEMENT; j++)
            rows_add(&e.a, held + i, (int32_t)(held + j), element[i][j] / n);
    }
    for (int64_t node = 0; node < e.nodes; node++)
        for (int i = 0; i < 3; i++) {
            const int next = (i + 1) % 3, after = (i + 2) % 3;
            double *turn = e.modes + (3 + i) * rows + 3 * node;
            e.modes[i * rows + 3 * node + i] = 1.0;
            turn[next] = -e.x[3 * node + after];
            turn[after] = e.x[3 * node + next];
        }
    elastic_free(&fixed);
    return e;
}

/* The six modes of the free brick are in one coarse node, whose rows are 0 to rounding. */
TEST(a_body_that_nothing_holds)
{
    struct elastic e = with_free_brick(8);
    const int64_t rows = e.a.rows;
    double *u = calloc((size_t)rows, sizeof *u), *b = calloc((size_t)rows, sizeof *b);
    struct cgsolve_result result;
    struct cgsolve *s = amg_handle(&e.a);
    for (int64_t i = 0; i < rows; i++)
        u[i] = some((int)i);
    rows_apply(&e.a, u, b);
    give(s, ELASTIC_MODES, rows, e.modes);
    solved(cgsolve_solve(s, rows, b, u, &result));
    ck_assert_double_le(result.true_relative_residual, 1e-8);
    ck_assert_int_le(result.iterations, 25);
    json_t *report = report_of(s);
    const json_t *facts = json_object_get(report, "preconditioning");
    ck_assert_int_eq(json_integer_value(json_object_get(facts, "near_null_vectors")),
                     ELASTIC_MODES);
    ck_assert_ptr_null(json_object_get(facts, "begun_again_because"));
    json_decref(report);
    free(u);
    free(b);
    cgsolve_destroy(&s);
    elastic_free(&e);
}

/* ---- one vector of ones ---- */

/* The five-point Laplacian on n x n points. */
static struct rows five_point(int n)
{
    struct rows a = rows_of(n * n, 5 * n * n);
    for (int i = 0; i < n * n; i++) {
        const int x = i % n, y = i / n;
        if (y > 0)
            rows_add(&a, i, i - n, -1.0);
        if (x > 0)
            rows_add(&a, i, i - 1, -1.0);
        rows_add(&a, i, i, 4.0);
        if (x < n - 1)
            rows_add(&a, i, i + 1, -1.0);
        if (y < n - 1)
            rows_add(&a, i, i + n, -1.0);
    }
    return a;
}

TEST(ones_make_the_usual_grids)
{
    enum { N = 70 };
    struct rows a = five_point(N);
    double *ones = calloc((size_t)a.rows, sizeof *ones);
    for (int64_t i = 0; i < a.rows; i++)
        ones[i] = 1.0;
    struct cgsolve *s = amg_handle(&a);
    option(s, "strength", "0"); /* as with vectors, P takes all entries */
    const int64_t usual = iterations(s, a.rows, NULL);
    json_t *reports[2] = {report_of(s), NULL};
    give(s, 1, a.rows, ones);
    ck_assert_int_le(llabs(iterations(s, a.rows, NULL) - usual), 1);
    reports[1] = report_of(s);
    json_t *levels[2];
    for (int i = 0; i < 2; i++)
        levels[i] = json_object_get(json_object_get(reports[i], "preconditioning"), "levels");
    ck_assert_int_gt(json_array_size(levels[0]), 2);
    ck_assert_int_eq(json_array_size(levels[0]), json_array_size(levels[1]));
    for (size_t l = 0; l < 2; l++) /* coarser ones: numbers equal to rounding */
        ck_assert(json_equal(json_object_get(json_array_get(levels[0], l), "grid_nonzeros"),
                             json_object_get(json_array_get(levels[1], l), "grid_nonzeros")));
    for (int i = 0; i < 2; i++)
        json_decref(reports[i]);
    cgsolve_destroy(&s);
    free(ones);
    rows_free(&a);
}

/* ---- wrong vectors ---- */

/* The kernel of nodes takes as many steps as others and fewer bytes; other matrices it refuses. */
TEST(kernel_of_nodes)
{
    static const char *const kernels[] = {"crs_row", "crs_nodes"};
    struct elastic e = elastic_make(5);
    struct rows other = five_point(6);
    int64_t count[2], bytes[2];
    struct cgsolve *s = device_handle();
    option(s, "backend", "cpu");
    hand_over(s, &e.a);
    for (int k = 0; k < 2; k++) {
        option(s, "kernel", kernels[k]);
        count[k] = iterations(s, e.a.rows, NULL);
        json_t *report = report_of(s);
        bytes[k] = json_integer_value(json_object_get(json_object_get(report, "matrix"), "bytes"));
        json_decref(report);
    }
    ck_assert_int_le(llabs(count[0] - count[1]), 1);
    ck_assert_int_lt(4 * bytes[1], 3 * bytes[0]);
    hand_over(s, &other);
    ck_assert_int_eq(cgsolve_solve(s, other.rows, e.x, e.modes, NULL), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "do not fill dense blocks: of 3 x 3 row"));
    cgsolve_destroy(&s);
    rows_free(&other);
    elastic_free(&e);
}

/* Replaces A by T A T', T having a random lower triangle of ones for each node. */
static void skew_nodes(struct rows *a)
{
    for (int64_t i = 0; i < a->rows; i += 3)
        for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e += 3) {
            double *row[3], t[2][3][3], b[3][3];
            const int64_t node[2] = {i, a->columns[e]};
            for (int r = 0; r < 3; r++)
                row[r] = a->values + a->pointers[i + r] + (e - a->pointers[i]);
            for (int s = 0; s < 2; s++)
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++)
                        t[s][r][c] = c < r ? 3.0 * some((int)(3 * node[s] + r + c)) : r == c;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    b[r][c] = 0.0;
                    for (int k = 0; k < 3; k++)
                        for (int l = 0; l < 3; l++)
                            b[r][c] += t[0][r][k] * row[k][l] * t[1][c][l];
                }
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    row[r][c] = b[r][c];
        }
}

static int64_t by_jacobi(const struct rows *a, const char *block)
{
    struct cgsolve *s = device_handle();
    option(s, "precond", "jacobi");
    option(s, "block", block);
    hand_over(s, a);
    const int64_t count = iterations(s, a->rows, NULL);
    ck_assert_int_eq(fact(s, "block"), block ? atoi(block) : 0);
    cgsolve_destroy(&s);
    return count;
}

/* Blocks make up for any basis of a node's unknowns, the diagonal does not. Each size of block has
 * its kernel. */
TEST(jacobi_by_blocks)
{
    struct elastic e = elastic_make(4);
    const int64_t straight = by_jacobi(&e.a, "3");
    skew_nodes(&e.a);
    const int64_t skewed = by_jacobi(&e.a, "3"), diagonal = by_jacobi(&e.a, NULL);
    printf("jacobi by blocks %lld, of a skew basis %lld, without blocks %lld iterations\n",
           (long long)straight, (long long)skewed, (long long)diagonal);
    ck_assert_int_le(skewed, straight + straight / 5);
    ck_assert_int_lt(3 * skewed, 2 * diagonal);
    ck_assert_int_lt(by_jacobi(&e.a, "6"), diagonal);
    ck_assert_int_lt(by_jacobi(&e.a, "5"), diagonal);
    elastic_free(&e);
}

/* A block of a part that nothing holds is singular to rounding, below or above 0. */
TEST(jacobi_takes_singular_blocks)
{
    for (int k = 0; k < 100; k++) {
        const double w[3] = {2.0 + some(3 * k), 2.0 + some(3 * k + 1), 2.0 + some(3 * k + 2)};
        struct rows a = rows_of(6, 36);
        for (int i = 0; i < 6; i++)
            for (int j = i / 3 * 3; j < i / 3 * 3 + 3; j++)
                rows_add(&a, i, j,
                         i != j ? -w[3 - i % 3 - j % 3]
                                : w[(i + 1) % 3] + w[(i + 2) % 3] + (i >= 3 ? 1.0 : 0.0));
        struct cgsolve *s = device_handle();
        double u[6] = {1.0, -2.0, 3.0, 0.5, 1.0, 2.0}, b[6], x[6];
        struct cgsolve_result result;
        rows_apply(&a, u, b);
        option(s, "precond", "jacobi");
        option(s, "block", "3");
        option(s, "tol", "1e-10");
        hand_over(s, &a);
        solved(cgsolve_solve(s, 6, b, x, &result));
        ck_assert_double_le(result.true_relative_residual, 1e-9);
        cgsolve_destroy(&s);
        rows_free(&a);
    }
}

TEST(jacobi_refuses_blocks)
{
    struct rows a = rows_of(4, 16);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (i / 2 == j / 2)
                rows_add(&a, i, j, i == j ? 1.0 : i < 2 ? 0.5 : 2.0);
    struct cgsolve *s = device_handle();
    double b[4] = {1.0, 2.0, 3.0, 4.0}, x[4];
    option(s, "precond", "jacobi");
    option(s, "block", "2");
    hand_over(s, &a);
    ck_assert_int_eq(cgsolve_solve(s, 4, b, x, NULL), CGSOLVE_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "diagonal block of rows 3 ... 4 (counting from "
                                                    "1) is not positive definite"));
    option(s, "block", "3");
    ck_assert_int_eq(cgsolve_solve(s, 4, b, x, NULL), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "block=3 does not divide the 4 rows"));
    option(s, "precond", "none");
    ck_assert_int_eq(cgsolve_solve(s, 4, b, x, NULL), CGSOLVE_USAGE);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "precond=jacobi"));
    cgsolve_destroy(&s);
    rows_free(&a);
}

TEST(wrong_vectors)
{
    struct elastic e = elastic_make(2);
    const int64_t rows = e.a.rows;
    char file[] = "/tmp/cgs-modes-XXXXXX";
    write_columns(file, rows, ELASTIC_MODES, e.modes, 1, rows);
    struct cgsolve *s = amg_handle(&e.a);
    ck_assert_int_eq(cgsolve_near_null(s, 7, rows, e.modes), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_near_null(s, -1, rows, e.modes), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_near_null(s, 1, 0, e.modes), CGSOLVE_USAGE);
    ck_assert_int_eq(cgsolve_near_null(s, 1, INT64_C(1) << 60, e.modes), CGSOLVE_USAGE);
    option(s, "block", "3");
    refused(s, rows, CGSOLVE_USAGE, "block needs near-null vectors");
    give(s, 2, rows - 1, e.modes);
    refused(s, rows, CGSOLVE_USAGE, "near-null vectors of length 53, but the matrix has 54 rows");
    give(s, ELASTIC_MODES, rows, e.modes);
    option(s, "block", "4");
    refused(s, rows, CGSOLVE_USAGE, "block=4 does not divide the 54 rows");
    option(s, "block", NULL);
    option(s, "near-null", file);
    refused(s, rows, CGSOLVE_USAGE, "both bring near-null vectors");
    option(s, "near-null", NULL);
    option(s, "precond", "jacobi");
    refused(s, rows, CGSOLVE_USAGE, "but here is another preconditioner");
    option(s, "precond", "amg");
    e.modes[rows + 4] = NAN;
    refused(s, rows, CGSOLVE_INPUT, "vectors[58] is nan");
    memset(e.modes + rows, 0, (size_t)rows * sizeof *e.modes);
    refused(s, rows, CGSOLVE_USAGE, "near-null vector 2 of the caller is 0 in all rows");
    give(s, 0, 0, NULL);
    option(s, "coordinates", file);
    refused(s, rows, CGSOLVE_INPUT, "");
    remove(file);
    cgsolve_destroy(&s);
    elastic_free(&e);
}

int main(void)
{
    return bed_run(suite_of("library_near_null", 120, NULL, NULL));
}
