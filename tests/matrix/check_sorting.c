/* matrix/: SELL with sigma > 1, against windows sorted by the C library; and how many entries it
 * takes on the box, before it exists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/setup/assemble.h"
#include "core/setup/sell_box.h"
#include "core/setup/spec.h"
#include "fem/assembly.h"
#include "fem/element/lobatto.h"
#include "matrix/fill.h"
#include "matrix/layout.h"
#include "tests/support/layout.h"

static void make(const struct cgs_row_source *source, int32_t chunk, int32_t sigma,
                 struct cgs_matrix *matrix)
{
    must(cgs_matrix_create(&bed.context, source, CGS_SELL, chunk, sigma, matrix));
}

static void check_case(const struct plain *plain, int32_t chunk, int32_t sigma, int threads)
{
    const struct cgs_row_source source = plain_source(plain);
    const int64_t before = bed.context.host_bytes;
    struct cgs_matrix matrix;
    struct cgs_plan plan = {0};
    bed.context.threads = threads;
    make(&source, chunk, sigma, &matrix);
    cgs_matrix_plan(&plan, CGS_SELL, plain->rows, chunk, sigma);
    ck_assert_int_eq(bed.context.host_bytes - before, plan.total[CGS_HOST]);
    ck_assert_int_eq(matrix.sigma, sigma);
    layout_check(plain, &matrix, threads == 1 ? CGS_F32 : CGS_F64);
    cgs_matrix_release(&bed.context, &matrix);
}

/* Every chunk up to 64 of a small matrix. */
LOOP_TEST(layouts, plain_cases())
{
    static const int32_t some[] = {1, 2, 7, 8, 32, 33, 64, 100, 1024};
    struct plain *plain = plain_make(_i, PLAIN_RANDOM);
    const int32_t n = (int32_t)plain->rows;
    const bool all = n <= 260 && !CHECK_SMALL;
    const int count = all ? 64 : (int)(sizeof some / sizeof *some);
    for (int c = 0; c < count; c += CHECK_SMALL ? 2 : 1) {
        const int32_t chunk = all ? c + 1 : some[c];
        const int32_t sigmas[] = {2, 3, 7, 50, chunk, chunk + 1, n - 1, n, n + 1, INT32_MAX};
        for (size_t s = 0; s < sizeof sigmas / sizeof *sigmas; s++)
            for (int threads = 1; threads <= 3 && sigmas[s] > 1; threads += 2)
                check_case(plain, chunk, sigmas[s], threads);
    }
    plain_free(plain);
}

/* ---- the order alone: lengths from a hash ---- */

/* Row i has hash(i) % *self entries, 0 ... *self - 1, which nobody draws. */
static int32_t hashed_length(const int32_t *self, int64_t i)
{
    return (int32_t)(cgs_splitmix64((uint64_t)i) % (uint64_t)*self);
}

static void hashed_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                           int32_t *lengths)
{
    for (int64_t i = first; i < last; i++)
        lengths[i - first] = hashed_length(source->self, i);
}

/* Windows of few rows, of many, of those that a team sorts; lengths of one byte up to four. */
TEST(order)
{
    static const int32_t ranges[] = {1, 2, 3, 200, 257, 5000, 1 << 17, 1 << 25, INT32_MAX};
    static const int32_t sigmas[] = {2, 47, 48, 49, 50, 1000, 4095, 4096, 7000, 20011, 20012};
    enum { ROWS = 20011 };
    static int32_t lengths[ROWS];
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        const struct cgs_row_source source = {
            .rows = ROWS, .columns = INT32_MAX, .self = &ranges[r], .lengths = hashed_lengths};
        hashed_lengths(&source, 0, ROWS, lengths);
        for (size_t s = 0; s < sizeof sigmas / sizeof *sigmas; s++) {
            int32_t *right = layout_order(ROWS, sigmas[s], lengths);
            for (int threads = 1; threads <= 5; threads += 2) {
                struct cgs_matrix matrix;
                bed.context.threads = threads;
                make(&source, 32, sigmas[s], &matrix);
                ck_assert_msg(memcmp(matrix.permutation, right, sizeof lengths) == 0,
                              "lengths below %d, sigma = %d, %d threads", ranges[r], sigmas[s],
                              threads);
                ck_assert_int_le(matrix.nonzeros, matrix.stored);
                cgs_matrix_release(&bed.context, &matrix);
            }
            free(right);
        }
    }
}

TEST(no_rows)
{
    static const int32_t range = 5;
    const struct cgs_row_source source = {
        .rows = 0, .columns = 3, .self = &range, .lengths = hashed_lengths};
    struct cgs_matrix matrix;
    make(&source, 8, 4, &matrix);
    ck_assert_int_eq(matrix.stored, 0);
    ck_assert_int_eq(matrix.units, 0);
    cgs_matrix_release(&bed.context, &matrix);
}

TEST(refusals)
{
    static const int32_t range = 5;
    struct cgs_row_source source = {
        .rows = INT64_C(1) << 31, .columns = 100, .self = &range, .lengths = hashed_lengths};
    struct cgs_matrix matrix = {0};
    ck_assert_int_eq(cgs_matrix_create(&bed.context, &source, CGS_SELL, 8, 2, &matrix), CGS_USAGE);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "2147483647 rows"));
    bed_forgive();
    source.rows = 100;
    source.columns = 3; /* rows of 4 entries then are too long */
    ck_assert_int_eq(cgs_matrix_create(&bed.context, &source, CGS_SELL, 8, 10, &matrix), CGS_FILE);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "4 entries announced, where 0 ... 3"));
    ck_assert_ptr_null(matrix.pointers);
    bed_forgive();
}

/* A column that is wrong is said with its own row, wherever that stands. */
TEST(wrong_column)
{
    struct plain *plain = plain_make(5, PLAIN_RANDOM); /* scattered 257 */
    const int64_t row = 100;
    char words[64];
    ck_assert_int_gt(plain->start[row + 1] - plain->start[row], 2);
    plain->column[plain->start[row]] = -1;
    snprintf(words, sizeof words, "row %d (counting from 1): column 0 is outside", (int)row + 1);
    const struct cgs_row_source source = plain_source(plain);
    for (int32_t chunk = 1; chunk <= 64; chunk *= 4) {
        struct cgs_matrix matrix;
        make(&source, chunk, 1000, &matrix);
        int32_t *columns = must_have((size_t)matrix.stored * sizeof *columns);
        double *values = must_have((size_t)matrix.stored * sizeof *values);
        ck_assert_int_eq(
            cgs_matrix_fill(&bed.context, &matrix, 0, matrix.units, CGS_F64, columns, values),
            CGS_FILE);
        ck_assert_msg(strstr(bed.context.message, words) != NULL, "'%s' lacks '%s'",
                      bed.context.message, words);
        bed_forgive();
        free(columns);
        free(values);
        cgs_matrix_release(&bed.context, &matrix);
    }
    plain_free(plain);
}

/* ---- the box, before it exists ---- */

enum { CUBES = 14, BOXES = 12 };

static const int64_t boxes[][3] = {
    {1, 1, 1},    {2, 2, 2},    {3, 3, 3},  {4, 4, 4},    {5, 5, 5},    {6, 6, 6},
    {7, 7, 7},    {8, 8, 8},    {9, 9, 9},  {12, 12, 12}, {16, 16, 16}, {17, 17, 17},
    {31, 31, 31}, {32, 32, 32}, {1, 1, 7},  {1, 7, 1},    {7, 1, 1},    {1, 5, 9},
    {9, 1, 5},    {5, 9, 1},    {2, 1, 3},  {2, 3, 4},    {4, 2, 3},    {3, 4, 2},
    {19, 35, 49}, {40, 2, 3},   {2, 40, 3}, {2, 3, 40},   {33, 17, 16}, {64, 5, 1},
};
enum { SIZES_OF_BOX = sizeof boxes / sizeof *boxes };

/* Compares entries forecast with those of layouts of the source's rows. */
static void check_forecast(const struct cgs_row_source *source, const int32_t *chunks,
                           size_t chunk_count, const int32_t *sigmas, size_t sigma_count)
{
    const struct cgs_mesh *mesh = source->mesh;
    for (size_t c = 0; c < chunk_count; c++)
        for (size_t s = 0; s < sigma_count; s++) {
            struct cgs_matrix matrix;
            const int64_t stored = cgs_box_stored(mesh, chunks[c], sigmas[s]);
            make(source, chunks[c], sigmas[s], &matrix);
            ck_assert_msg(stored == matrix.stored,
                          "order %d, %d x %d x %d, C = %d, sigma = %d: %lld forecast, %lld stored",
                          mesh->order, (int)mesh->n[0], (int)mesh->n[1], (int)mesh->n[2], chunks[c],
                          sigmas[s], (long long)stored, (long long)matrix.stored);
            ck_assert_int_eq(matrix.unsorted, cgs_box_stored(mesh, chunks[c], 1));
            cgs_matrix_release(&bed.context, &matrix);
        }
}
#define FORECAST(source, chunks, sigmas)                                                           \
    check_forecast(source, chunks, sizeof(chunks) / sizeof *(chunks), sigmas,                      \
                   sizeof(sigmas) / sizeof *(sigmas))

LOOP_TEST(box, CUBES + BOXES)
{
    static const int32_t chunks[] = {1, 2, 3, 4, 5, 8, 13, 31, 32, 33, 64, 100, 1000, 1024};
    const int64_t *n = boxes[_i];
    const int32_t x = (int32_t)n[0], plane = x * (int32_t)n[1], all = plane * (int32_t)n[2];
    const int32_t sigmas[] = {1, 2,     3,     4,         7,    8,   32,      33,       100,
                              x, x + 1, plane, plane + 1, 4096, all, all + 1, INT32_MAX};
    const struct cgs_mesh mesh = cgs_mesh_box(n, (const double[3]){1.0, 2.0, 0.5}, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    must(cgs_assembler_create(&bed.context, &mesh, CGS_GATHER_SHARED, &source));
    FORECAST(&source, chunks, sigmas);
    cgs_assembler_release(&bed.context, &source);
}

/* Boxes of order p: cells, faces, deformed or not, the rule. */
LOOP_TEST(box_of_order, CGS_ORDER_MOST - 1)
{
    static const struct {
        int64_t cells[3];
        int open[3], deformed, gauss;
    } cases[] = {{{1, 1, 1}, {0, 0, 0}, 0, 0},
                 {{1, 4, 1}, {0, 0, 0}, 0, 0},
                 {{9, 5, 6}, {0, 0, 0}, 0, 0},
                 {{5, 3, 7}, {1, CGS_PERIODIC, 2}, 0, 0},
                 {{3, 2, 8}, {3, 0, CGS_PERIODIC}, 0, 0},
                 {{5, 5, 5}, {0, 0, 0}, 1, 0},
                 {{7, 2, 3}, {0, 0, 0}, 0, 1},
                 {{4, 4, 4}, {0, 0, 0}, 1, 1}};
    static const int32_t chunks[] = {1, 4, 32, 1000}, sigmas[] = {1, 32, 100, 4096, INT32_MAX};
    const int p = _i + 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *open = cases[i].open;
        int64_t n[3];
        for (int k = 0; k < 3; k++) {
            const int64_t cells = p > 4 && cases[i].cells[k] > 4 ? 4 : cases[i].cells[k];
            n[k] = p * cells - 1 + (open[k] == CGS_PERIODIC ? 1 : (open[k] & 1) + open[k] / 2);
        }
        struct cgs_mesh mesh = cgs_mesh_box(n, (const double[3]){1.0, 1.0, 1.0}, CGS_GAUSS, 1.0);
        memcpy(mesh.open, open, sizeof mesh.open);
        cgs_mesh_resize(&mesh, n);
        mesh.order = p;
        mesh.deform = 0.1 * cases[i].deformed;
        mesh.gauss = cases[i].gauss;
        struct cgs_row_source source;
        must(cgs_assemble_rows(&bed.context, &mesh, &source));
        FORECAST(&source, chunks, sigmas);
        cgs_assemble_rows_release(&bed.context, &source);
    }
}

int main(void)
{
    return bed_tests("sorting", 300);
}
