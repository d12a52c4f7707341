/* matrix/: layouts against their definition, and sizes past 2^31. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/crs.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "matrix/share.h"
#include "matrix/walk.h"
#include "tests/support/layout.h"

static void make(const struct cgs_row_source *source, enum cgs_format format, int32_t chunk,
                 int32_t sigma, struct cgs_matrix *matrix)
{
    must(cgs_matrix_create(&bed.context, source, format, chunk, sigma, matrix));
}

/* ---- the picture in matrix.h ---- */

TEST(picture)
{
    static int64_t start[] = {0, 2, 4, 5, 8};
    static int32_t column[] = {1, 2, 0, 3, 2, 0, 2, 3};
    static double value[] = {3, 1, 4, 7, 6, 9, 5, 3};
    static const int64_t chunks[] = {0, 4, 10};
    static const int32_t sell_column[] = {1, 0, 2, 3, 2, 0, 2, 2, 2, 3};
    static const double sell_value[] = {3, 4, 1, 7, 6, 9, 0, 5, 0, 3};
    static const int32_t permutation[] = {3, 0, 1, 2};
    static const int64_t sorted_chunks[] = {0, 6, 10};
    static const int32_t sorted_column[] = {0, 1, 2, 2, 3, 1, 0, 2, 3, 2};
    static const double sorted_value[] = {9, 3, 5, 1, 3, 0, 4, 6, 7, 0};
    const struct plain plain = {4, 4, start, column, value};
    const struct cgs_row_source source = plain_source(&plain);
    struct cgs_matrix matrix;
    make(&source, CGS_CRS, 1, 1, &matrix);
    layout_is(&matrix, start, column, value);
    cgs_matrix_release(&bed.context, &matrix);
    make(&source, CGS_SELL, 2, 1, &matrix);
    layout_is(&matrix, chunks, sell_column, sell_value);
    ck_assert_int_eq(matrix.stored, 10);
    ck_assert_int_eq(matrix.nonzeros, 8);
    cgs_matrix_release(&bed.context, &matrix);
    make(&source, CGS_SELL, 2, 4, &matrix);
    ck_assert_mem_eq(matrix.permutation, permutation, sizeof permutation);
    layout_is(&matrix, sorted_chunks, sorted_column, sorted_value);
    cgs_matrix_release(&bed.context, &matrix);
}

/* ---- every case, against the definition ---- */

static void check_statistics(const struct plain *plain, const struct cgs_row_statistics *said)
{
    const double n = (double)plain->rows, mean = (double)plain->start[plain->rows] / n;
    int64_t shortest = INT64_MAX, longest = 0, empty = 0, rounded[CGS_ROUNDINGS] = {0};
    double squares = 0.0;
    for (int64_t i = 0; i < plain->rows; i++) {
        const int64_t length = plain->start[i + 1] - plain->start[i];
        shortest = length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
        empty += length == 0;
        squares += ((double)length - mean) * ((double)length - mean);
        for (int k = 0; k < CGS_ROUNDINGS; k++)
            rounded[k] += (length + (1 << k) - 1) / (1 << k) * (1 << k);
    }
    for (int k = 0; k < CGS_ROUNDINGS; k++)
        ck_assert_int_eq(said->rounded[k], rounded[k]);
    ck_assert_int_eq(said->shortest, shortest);
    ck_assert_int_eq(said->longest, longest);
    ck_assert_int_eq(said->empty, empty);
    ck_assert_double_eq_tol(said->mean, mean, 1e-12 * (mean + 1));
    ck_assert_double_eq_tol(said->deviation, sqrt(squares / n), 1e-9 * (mean + 1));
}

/* Plan, statistics and layout of one matrix. */
static void check_matrix(const struct plain *plain, enum cgs_format format, int32_t chunk,
                         int32_t sigma)
{
    const struct cgs_row_source source = plain_source(plain);
    const int64_t before = bed.context.host_bytes;
    struct cgs_matrix matrix;
    struct cgs_plan plan = {0};
    make(&source, format, chunk, sigma, &matrix);
    cgs_matrix_plan(&plan, format, plain->rows, chunk, sigma);
    ck_assert_int_eq(bed.context.host_bytes - before, plan.total[CGS_HOST]);
    check_statistics(plain, &matrix.statistics);
    layout_check(plain, &matrix, CGS_F64);
    layout_check(plain, &matrix, CGS_F32);
    cgs_matrix_release(&bed.context, &matrix);
}

LOOP_TEST(layouts, plain_cases())
{
    static const int32_t chunks[] = {1, 2, 4, 7, 8, 16, 32, 33, 64, 100, 257, 1024};
    struct plain *plain = plain_make(_i, PLAIN_RANDOM);
    for (int threads = 1; threads <= 3; threads += CHECK_SMALL ? 2 : 1) {
        bed.context.threads = threads;
        check_matrix(plain, CGS_CRS, 1, 1);
        check_matrix(plain, CGS_CRS, 1, 8); /* which sorts nothing */
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
            check_matrix(plain, CGS_SELL, chunks[c], 1);
    }
    plain_free(plain);
}

TEST(parts_equal_the_whole)
{
    struct plain *plain = plain_q1(9);
    const struct cgs_row_source source = plain_source(plain);
    for (int32_t k = 0; k < 8 * 4; k++)
        for (enum cgs_number number = 0; number < CGS_NUMBERS; number++) {
            static const int32_t sigmas[] = {1, 13, 100, 1000}; /* of 729 rows */
            const int32_t chunk = 1 + 9 * (k % 8), sigma = sigmas[k / 8];
            const int64_t bytes = cgs_number_bytes(number);
            struct cgs_matrix matrix;
            int32_t *whole, *part;
            void *whole_values, *part_values;
            make(&source, k == 0 ? CGS_CRS : CGS_SELL, chunk, sigma, &matrix);
            layout_draw(&matrix, 0, matrix.units, number, &whole, &whole_values);
            for (int64_t first = 0, step = 1; first < matrix.units; first += step, step += 3) {
                const int64_t last = first + step < matrix.units ? first + step : matrix.units;
                const int64_t at = matrix.pointers[first], count = matrix.pointers[last] - at;
                layout_draw(&matrix, first, last, number, &part, &part_values);
                ck_assert_mem_eq(part, whole + at, (size_t)count * sizeof *part);
                ck_assert_mem_eq(part_values, (char *)whole_values + at * bytes,
                                 (size_t)(count * bytes));
                free(part);
                free(part_values);
            }
            free(whole);
            free(whole_values);
            cgs_matrix_release(&bed.context, &matrix);
        }
    plain_free(plain);
}

TEST(without_entries)
{
    struct plain *plain = plain_q1(5);
    const struct cgs_row_source source = plain_source(plain);
    struct cgs_matrix matrix;
    make(&source, CGS_NONE, 1, 1, &matrix);
    ck_assert_ptr_null(matrix.pointers);
    ck_assert_int_eq(matrix.nonzeros, 13 * 13 * 13);
    ck_assert_int_eq(matrix.stored, 0);
    check_statistics(plain, &matrix.statistics);
    cgs_matrix_release(&bed.context, &matrix);
    plain_free(plain);
}

LOOP_TEST(diagonal, plain_cases())
{
    struct plain *plain = plain_make(_i, PLAIN_RANDOM);
    const struct cgs_row_source source = plain_source(plain);
    const int64_t n = plain->rows < plain->columns ? plain->rows : plain->columns;
    double *found = must_have((size_t)n * sizeof *found);
    double *by_arrays = must_have((size_t)n * sizeof *by_arrays);
    struct cgs_crs crs;
    must(cgs_matrix_diagonal(&bed.context, &source, found));
    must(cgs_crs_generate(&bed.context, &source, &crs));
    const struct cgs_row_source arrays = cgs_crs_source(&crs);
    must(cgs_matrix_diagonal(&bed.context, &arrays, by_arrays));
    cgs_crs_release(&bed.context, &crs);
    int wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        double right = 0.0;
        for (int64_t k = plain->start[i]; k < plain->start[i + 1]; k++)
            if (plain->column[k] == i)
                right = plain->value[k];
        wrong += found[i] != right || by_arrays[i] != right;
    }
    ck_assert_int_eq(wrong, 0);
    free(by_arrays);
    free(found);
    plain_free(plain);
}

/* ---- past 2^31 entries ---- */

enum { BIG_ROWS = 1 << 26, BIG_LENGTH = 40 };

static void big_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                        int32_t *lengths)
{
    (void)source;
    for (int64_t i = first; i < last; i++)
        lengths[i - first] = BIG_LENGTH;
}

static void big_fill(const struct cgs_row_source *source, int64_t first, int64_t last,
                     int32_t *columns, double *values)
{
    (void)source;
    for (int64_t i = first; i < last; i++)
        for (int32_t j = 0; j < BIG_LENGTH; j++) {
            *columns++ = j * 1000000 + (int32_t)(i % 1000000);
            *values++ = (double)i * BIG_LENGTH + j;
        }
}

TEST(pointers_have_64_bits)
{
    const struct cgs_row_source source = {
        .rows = BIG_ROWS, .columns = BIG_ROWS, .lengths = big_lengths, .fill = big_fill};
    struct cgs_matrix matrix;
    int32_t *columns;
    double *values;
    make(&source, CGS_SELL, 32, 1, &matrix);
    ck_assert_int_eq(matrix.stored, (int64_t)BIG_ROWS * BIG_LENGTH);
    ck_assert_int_eq(matrix.pointers[matrix.units], (int64_t)BIG_ROWS * BIG_LENGTH);
    ck_assert_double_eq(matrix.statistics.deviation, 0.0);
    layout_draw(&matrix, matrix.units - 3, matrix.units, CGS_F64, &columns, (void **)&values);
    int wrong = 0;
    for (int64_t k = 0; k < 3 * 32 * BIG_LENGTH; k++) {
        const int64_t row = BIG_ROWS - 96 + k / (32 * BIG_LENGTH) * 32 + k % 32;
        const int64_t slot = k % (32 * BIG_LENGTH) / 32;
        wrong += columns[k] != slot * 1000000 + row % 1000000;
        wrong += values[k] != (double)(row * BIG_LENGTH + slot);
    }
    ck_assert_int_eq(wrong, 0);
    free(columns);
    free(values);
    cgs_matrix_release(&bed.context, &matrix);
}

TEST(shares)
{
    static const int64_t pointers[] = {0, 0, 0, 5, 1000, 1000, 1001, 1001, 1001, 1010};
    for (int parts = 1; parts < 20; parts++) {
        ck_assert_int_eq(cgs_share(pointers, 1, 9, 0, parts), 1);
        ck_assert_int_eq(cgs_share(pointers, 1, 9, parts, parts), 9);
        for (int p = 0; p < parts; p++)
            ck_assert_int_le(cgs_share(pointers, 1, 9, p, parts),
                             cgs_share(pointers, 1, 9, p + 1, parts));
    }
    ck_assert_int_eq(cgs_share(pointers, 0, 9, 1, 2), 4);
}

int main(void)
{
    return bed_tests("matrix", 300);
}
