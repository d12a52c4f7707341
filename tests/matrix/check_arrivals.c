/* matrix/: what a row source gives is checked, and what is wrong with it is said. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/fill.h"
#include "matrix/layout.h"
#include "tests/support/support.h"

static void make(const struct cgs_row_source *source, enum cgs_format format, int32_t chunk,
                 struct cgs_matrix *matrix)
{
    must(cgs_matrix_create(&bed.context, source, format, chunk, 1, matrix));
}

/* 90 rows and 50 columns, five entries a row; one of them is then spoilt. */
static struct plain *regular(void)
{
    struct plain *plain = must_have(sizeof *plain);
    *plain = (struct plain){.rows = 90, .columns = 50};
    plain->start = must_have(91 * sizeof *plain->start);
    plain->column = must_have(450 * sizeof *plain->column);
    plain->value = must_have(450 * sizeof *plain->value);
    for (int64_t k = 0; k < 450; k++) {
        plain->start[k / 5 + 1] = k / 5 * 5 + 5;
        plain->column[k] = (int32_t)(k % 5 * 9 + k / 5 % 9);
        plain->value[k] = 1.0;
    }
    return plain;
}

/* Filling must fail with this status and these words, in every format and number where `always`,
 * else in single precision alone. */
static void must_refuse(const struct plain *plain, bool always, const char *words)
{
    static const int32_t chunks[] = {0, 1, 8, 32, 100};
    const struct cgs_row_source source = plain_source(plain);
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
        for (enum cgs_number number = 0; number < CGS_NUMBERS; number++) {
            struct cgs_matrix matrix;
            make(&source, chunks[c] ? CGS_SELL : CGS_CRS, chunks[c], &matrix);
            int32_t *columns = must_have((size_t)matrix.stored * sizeof *columns);
            void *values = must_have((size_t)matrix.stored * sizeof(double));
            const enum cgs_status status =
                cgs_matrix_fill(&bed.context, &matrix, 0, matrix.units, number, columns, values);
            if (always || number == CGS_F32) {
                ck_assert_int_eq(status, CGS_FILE);
                ck_assert_msg(strstr(bed.context.message, words) != NULL, "'%s' lacks '%s'",
                              bed.context.message, words);
                bed_forgive();
            } else
                ck_assert_int_eq(status, CGS_OK);
            free(columns);
            free(values);
            cgs_matrix_release(&bed.context, &matrix);
        }
}

static const struct {
    int64_t entry;
    int32_t column;
    const char *words;
} bad_columns[] = {
    {84, 98, "row 17 (counting from 1): column 99 is outside 1 ... 50"},
    {84, 50, "row 17 (counting from 1): column 51 is outside 1 ... 50"},
    {80, -1, "row 17 (counting from 1): column 0 is outside 1 ... 50"},
    {82, INT32_MIN, "row 17 (counting from 1): column -2147483647 is outside 1 ... 50"},
    {82, INT32_MAX, "row 17 (counting from 1): column 2147483648 is outside 1 ... 50"},
    {0, 70, "row 1 (counting from 1): column 71 is outside 1 ... 50"},
    {449, 70, "row 90 (counting from 1): column 71 is outside 1 ... 50"},
    {82, 16, "row 17 (counting from 1): column 17 comes after column 17"},
    {83, 3, "row 17 (counting from 1): column 4 comes after column 26"},
    {320, 49, "row 65 (counting from 1): column 11 comes after column 50"},
};

LOOP_TEST(bad_column, sizeof bad_columns / sizeof *bad_columns)
{
    struct plain *plain = regular();
    plain->column[bad_columns[_i].entry] = bad_columns[_i].column;
    must_refuse(plain, true, bad_columns[_i].words);
    plain_free(plain);
}

TEST(too_big_for_single)
{
    struct plain *plain = regular();
    plain->value[82] = -1e300;
    must_refuse(plain, false, "(17, 26) = -1e+300 does not fit single precision");
    plain->value[82] = 0x1.ffffffp127; /* half a step past the largest float */
    must_refuse(plain, false, "use --precision=double");
    plain_free(plain);
}

TEST(what_fits_single_or_is_no_number_passes)
{
    static const double good[] = {
        0x1.fffffefffffffp127, (double)FLT_MAX, -(double)FLT_MAX, 1e-300, INFINITY, -INFINITY, NAN};
    struct plain *plain = regular();
    const struct cgs_row_source source = plain_source(plain);
    memcpy(&plain->value[80], good, sizeof good);
    struct cgs_matrix matrix;
    int32_t columns[450];
    float values[450];
    make(&source, CGS_CRS, 1, &matrix);
    must(cgs_matrix_fill(&bed.context, &matrix, 0, matrix.units, CGS_F32, columns, values));
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        const float got = values[80 + k], right = (float)good[k];
        ck_assert(memcmp(&got, &right, sizeof got) == 0);
    }
    cgs_matrix_release(&bed.context, &matrix);
    plain_free(plain);
}

/* A source that announces other lengths than its rows have, or changes its mind. */
static void lying_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                          int32_t *lengths)
{
    const int32_t *lie = source->self;
    for (int64_t i = first; i < last; i++)
        lengths[i - first] = i == 16 ? *lie : 5;
}

static void five_entries(const struct cgs_row_source *source, int64_t first, int64_t last,
                         int32_t *columns, double *values)
{
    (void)source;
    for (int64_t k = 0; k < 5 * (last - first); k++) {
        columns[k] = (int32_t)(k % 5);
        values[k] = 1.0;
    }
}

TEST(bad_lengths)
{
    int32_t lie = 51;
    const struct cgs_row_source source = {
        .rows = 90, .columns = 50, .self = &lie, .lengths = lying_lengths, .fill = five_entries};
    struct cgs_matrix matrix = {0};
    for (int round = 0; round < 2; round++, lie = -1) {
        ck_assert_int_eq(cgs_matrix_create(&bed.context, &source, CGS_SELL, 8, 1, &matrix),
                         CGS_FILE);
        ck_assert_ptr_nonnull(strstr(bed.context.message, "row 17 (counting from 1)"));
        ck_assert_ptr_null(matrix.pointers);
        bed_forgive();
    }
    for (int32_t now = 6; now <= 60; now += 54) {
        int32_t columns[8 * 12 * 5];
        double values[8 * 12 * 5];
        lie = 5;
        make(&source, CGS_SELL, 8, &matrix);
        lie = now;
        ck_assert_int_eq(
            cgs_matrix_fill(&bed.context, &matrix, 0, matrix.units, CGS_F64, columns, values),
            CGS_FILE);
        ck_assert_ptr_nonnull(strstr(bed.context.message, "row 17 (counting from 1)"));
        bed_forgive();
        cgs_matrix_release(&bed.context, &matrix);
    }
}

/* 90 rows of five entries, but row 81 has nine; row `liar` says `lie` when it is asked again. */
struct two_faced {
    int64_t liar;
    int32_t lie;
};

static int32_t length_now(const struct two_faced *how, int64_t row)
{
    return row == how->liar ? how->lie : row == 80 ? 9 : 5;
}

static void two_faced_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                              int32_t *lengths)
{
    for (int64_t i = first; i < last; i++)
        lengths[i - first] = length_now(source->self, i);
}

static void two_faced_fill(const struct cgs_row_source *source, int64_t first, int64_t last,
                           int32_t *columns, double *values)
{
    for (int64_t i = first; i < last; i++)
        for (int32_t j = 0; j < length_now(source->self, i); j++) {
            *columns++ = j;
            *values++ = 1.0;
        }
}

/* No longer than the longest row of all, but wider than its own chunk. */
TEST(a_row_outgrows_its_chunk)
{
    struct two_faced how = {.liar = -1};
    const struct cgs_row_source source = {.rows = 90,
                                          .columns = 50,
                                          .self = &how,
                                          .lengths = two_faced_lengths,
                                          .fill = two_faced_fill};
    struct cgs_matrix matrix;
    int32_t columns[12 * 8 * 9];
    double values[12 * 8 * 9];
    make(&source, CGS_SELL, 8, &matrix);
    ck_assert_int_eq(matrix.statistics.longest, 9);
    how = (struct two_faced){16, 7};
    ck_assert_int_eq(
        cgs_matrix_fill(&bed.context, &matrix, 0, matrix.units, CGS_F64, columns, values),
        CGS_FILE);
    ck_assert_str_eq(bed.context.message,
                     "row 17 (counting from 1): 7 entries now, where at most 5 were announced "
                     "before");
    bed_forgive();
    cgs_matrix_release(&bed.context, &matrix);
}

/* Rows are shared among threads: the first bad one is named whoever meets it. */
TEST(the_first_bad_length_is_named)
{
    for (int64_t liar = 0; liar < 90; liar += 11)
        for (int threads = 1; threads <= 3; threads++) {
            const struct two_faced how = {liar, -7};
            const struct cgs_row_source source = {.rows = 90,
                                                  .columns = liar < 80 ? 8 : 50,
                                                  .self = &how,
                                                  .lengths = two_faced_lengths,
                                                  .fill = two_faced_fill};
            struct cgs_matrix matrix;
            char words[80]; /* row 81 is bad as well where there are 8 columns */
            snprintf(words, sizeof words, "row %d (counting from 1): -7 entries announced",
                     (int)liar + 1);
            bed.context.threads = threads;
            ck_assert_int_eq(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix),
                             CGS_FILE);
            ck_assert_msg(strstr(bed.context.message, words) != NULL, "'%s' lacks '%s'",
                          bed.context.message, words);
            bed_forgive();
        }
    bed.context.threads = 2;
}

TEST(no_rows_at_all)
{
    const struct two_faced how = {.liar = -1};
    struct cgs_row_source source = {
        .columns = 4, .self = &how, .lengths = two_faced_lengths, .fill = two_faced_fill};
    for (int sell = 0; sell < 2; sell++) {
        struct cgs_matrix matrix;
        make(&source, sell ? CGS_SELL : CGS_CRS, sell ? 8 : 1, &matrix);
        ck_assert_int_eq(matrix.units, 0);
        ck_assert_int_eq(matrix.nonzeros, 0);
        ck_assert_int_eq(matrix.pointers[0], 0);
        ck_assert_int_eq(matrix.statistics.longest, 0);
        must(cgs_matrix_fill(&bed.context, &matrix, 0, 0, CGS_F64, NULL, NULL));
        cgs_matrix_release(&bed.context, &matrix);
    }
    struct cgs_matrix matrix;
    source.rows = -1;
    ck_assert_int_eq(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix), CGS_BUG);
    bed_forgive();
}

TEST(usage)
{
    static const int32_t bad[][2] = {{0, 1}, {-1, 1}, {1025, 1}, {8, 0}, {8, -32}};
    struct plain *plain = regular();
    struct cgs_row_source source = plain_source(plain);
    struct cgs_matrix matrix;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_int_eq(
            cgs_matrix_create(&bed.context, &source, CGS_SELL, bad[k][0], bad[k][1], &matrix),
            CGS_USAGE);
        bed_forgive();
    }
    source.columns = INT64_C(1) << 31;
    ck_assert_int_eq(cgs_matrix_create(&bed.context, &source, CGS_CRS, 1, 1, &matrix), CGS_USAGE);
    bed_forgive();
    plain_free(plain);
}

int main(void)
{
    return bed_tests("arrivals", 60);
}
