/* Portions of a matrix (matrix/ranks/portion.h): the rows of all ranks together are the matrix,
 * with columns renumbered in order. */
#include <stdlib.h>
#include <string.h>

#include "matrix/ranks/cut.h"
#include "matrix/walk.h"
#include "tests/support/support.h"

TEST(cuts_are_fair)
{
    static const struct {
        int64_t whole, unit;
        int ranks;
    } cases[] = {{100, 32, 4}, {343, 32, 7}, {35937, 512, 3}, {1, 32, 1}, {262144, 4096, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t cuts[8], least = INT64_MAX, most = 0;
        const int ranks = cases[c].ranks;
        cgs_portion_cut(cases[c].whole, cases[c].unit, ranks, cuts);
        ck_assert_int_eq(cuts[0], 0);
        ck_assert_int_eq(cuts[ranks], cases[c].whole);
        for (int r = 0; r < ranks; r++) {
            const int64_t units = (cuts[r + 1] - cuts[r] + cases[c].unit - 1) / cases[c].unit;
            ck_assert_int_eq(cuts[r] % cases[c].unit, 0);
            least = units < least ? units : least;
            most = units > most ? units : most;
        }
        ck_assert_int_ge(least, 1);
        ck_assert_int_le(most - least, 1);
    }
}

/* Row i of the portion is row first + i of the whole: the same values, columns in the same
 * order. */
static void check_row(const struct plain *plain, const struct cgs_portion *portion, int64_t i,
                      const struct cgs_row_source *source)
{
    const int64_t row = portion->first + i, begin = plain->start[row];
    const int32_t length = (int32_t)(plain->start[row + 1] - begin);
    int32_t said = -1;
    int32_t *columns = must_have((size_t)(length + 1) * sizeof *columns);
    double *values = must_have((size_t)(length + 1) * sizeof *values);
    source->lengths(source, i, i + 1, &said);
    ck_assert_int_eq(said, length);
    source->fill(source, i, i + 1, columns, values);
    for (int32_t k = 0; k < length; k++) {
        const int32_t global = plain->column[begin + k];
        const bool owned = portion->first <= global && global < portion->first + portion->count;
        ck_assert_int_eq(cgs_portion_global(portion, columns[k]), global);
        ck_assert_int_eq(cgs_portion_local(portion, global), columns[k]);
        ck_assert(owned == (0 <= columns[k] && columns[k] < portion->count));
        ck_assert(owned || i < portion->inner_first || portion->inner_last <= i);
        ck_assert(-portion->below <= columns[k] && columns[k] < source->columns);
        ck_assert(k == 0 || columns[k - 1] < columns[k]);
        ck_assert(values[k] == plain->value[begin + k]);
    }
    free(columns);
    free(values);
}

/* Returns true if a row of the portion has a column among first ... last - 1 of the whole. */
static bool reads(const struct plain *plain, const struct cgs_portion *portion, int64_t i,
                  int64_t first, int64_t last)
{
    const int64_t row = portion->first + i;
    for (int64_t k = plain->start[row]; k < plain->start[row + 1]; k++)
        if (first <= plain->column[k] && plain->column[k] < last)
            return true;
    return false;
}

/* The rows without ghosts end at a row with a ghost of a lower rank, and at one of a higher
 * rank. */
static void check_inner(const struct plain *plain, const struct cgs_portion *portion)
{
    const int64_t first = portion->inner_first, last = portion->inner_last;
    ck_assert(0 <= first && first <= last && last <= portion->count);
    ck_assert(first == 0 || reads(plain, portion, first - 1, 0, portion->first));
    ck_assert(first == last || last == portion->count ||
              reads(plain, portion, last, portion->first + portion->count, portion->whole));
}

/* Each ghost is a column that a row of the portion has. */
static void check_ghosts(const struct plain *plain, const struct cgs_portion *portion)
{
    char *seen = must_have((size_t)plain->columns + 1);
    for (int64_t k = plain->start[portion->first];
         k < plain->start[portion->first + portion->count]; k++)
        seen[plain->column[k]] = 1;
    for (int64_t g = 0; g < portion->below + portion->above; g++) {
        ck_assert(seen[portion->ghosts[g]]);
        ck_assert(g == 0 || portion->ghosts[g - 1] < portion->ghosts[g]);
        ck_assert((g < portion->below) == (portion->ghosts[g] < portion->first));
    }
    free(seen);
}

static void check_portion(const struct plain *plain, const struct cgs_row_source *source_of_all,
                          int64_t unit, int rank, int ranks)
{
    const struct cgs_row_source whole = *source_of_all;
    const int64_t before = bed.context.host_bytes;
    struct cgs_portion portion;
    must(cgs_portion_create(&bed.context, &whole, unit, rank, ranks, &portion));
    const struct cgs_row_source source = cgs_portion_source(&portion);
    ck_assert_int_eq(source.rows, portion.count);
    ck_assert_int_eq(source.columns, portion.count + portion.above);
    for (int64_t i = 0; i < portion.count; i++)
        check_row(plain, &portion, i, &source);
    check_inner(plain, &portion);
    if (portion.ghosts)
        check_ghosts(plain, &portion);
    double *diagonal = must_have((size_t)portion.count * sizeof *diagonal);
    double *all = must_have((size_t)plain->rows * sizeof *all);
    must(cgs_matrix_diagonal(&bed.context, &whole, all));
    if (portion.above + portion.count > 0) {
        must(cgs_matrix_diagonal(&bed.context, &source, diagonal));
        ck_assert_mem_eq(diagonal, all + portion.first, (size_t)portion.count * sizeof *all);
    }
    free(diagonal);
    free(all);
    cgs_portion_release(&bed.context, &portion);
    ck_assert_int_eq(bed.context.host_bytes, before);
}

LOOP_TEST(portions_make_the_matrix, plain_cases())
{
    struct plain *plain = plain_make(_i, PLAIN_RANDOM);
    const struct cgs_row_source whole = plain_source(plain);
    const int64_t unit = 8, units = (plain->rows + unit - 1) / unit;
    for (int ranks = 1; ranks <= 5 && ranks <= units && plain->rows == plain->columns; ranks++)
        for (int rank = 0; rank < ranks; rank++)
            check_portion(plain, &whole, unit, rank, ranks);
    plain_free(plain);
}

/* Ghosts from a pass over the rows, and all numbers within reach. */
TEST(portions_of_the_box)
{
    struct plain *plain = plain_q1(7);
    struct cgs_row_source whole = plain_source(plain);
    for (int ranks = 2; ranks <= 7; ranks += 5)
        for (int rank = 0; rank < ranks; rank++)
            check_portion(plain, &whole, 32, rank, ranks);
    whole.plane = 7 * 7;
    whole.reach = whole.plane + 7 + 1;
    whole.unit = whole.near[0] = whole.near[1] = whole.plane;
    for (int rank = 0; rank < 2; rank++) {
        check_portion(plain, &whole, 32, rank, 2);
        check_portion(plain, &whole, whole.unit, rank, 2);
    }
    plain_free(plain);
}

TEST(more_ranks_than_blocks)
{
    struct plain *plain = plain_q1(3);
    const struct cgs_row_source whole = plain_source(plain);
    struct cgs_portion portion = {0};
    ck_assert_int_eq(cgs_portion_accept(&bed.context, 27, 16, 3), CGS_USAGE);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "27 rows make 2 blocks of 16"));
    bed_forgive();
    must(cgs_portion_create(&bed.context, &whole, 16, 0, 3, &portion)); /* somebody has no rows */
    ck_assert_int_eq(portion.count, 0);
    ck_assert_int_eq(portion.below + portion.above, 0);
    cgs_portion_release(&bed.context, &portion);
    plain_free(plain);
}

int main(void)
{
    return bed_tests("portion", 60);
}
