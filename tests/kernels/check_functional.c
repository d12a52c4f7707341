/* The random functional by which products of user's kernels are checked
 * (kernels/plugin/functional.h): right products agree, whatever the order of their sums; one wrong
 * row is enough not to. */
#include <math.h>
#include <stdlib.h>

#include "kernels/plugin/functional.h"
#include "tests/support/support.h"

static struct cgs_crs crs_of(const struct plain *plain)
{
    return (struct cgs_crs){.rows = plain->rows,
                            .columns = plain->columns,
                            .pointers = plain->start,
                            .column = plain->column,
                            .value = plain->value};
}

/* A matrix, its functional, an x and the right y. */
struct bench {
    struct plain *plain;
    enum cgs_number number;
    struct cgs_functional functional;
    double *x, *y;
    long double *bound;
};

static void set_up(struct bench *b, int which, enum cgs_number number, uint64_t seed)
{
    *b = (struct bench){.plain = plain_make(which, PLAIN_RANDOM), .number = number};
    const struct cgs_crs crs = crs_of(b->plain);
    const size_t rows = (size_t)crs.rows + 1, columns = (size_t)crs.columns + 1;
    long double *right = must_have(rows * sizeof *right);
    b->x = must_have(columns * sizeof *b->x);
    b->y = must_have(rows * sizeof *b->y);
    b->bound = must_have(rows * sizeof *b->bound);
    plain_vector(crs.columns, PLAIN_RANDOM, number, seed, b->x);
    plain_multiply(b->plain, number, b->x, right, b->bound);
    for (int64_t i = 0; i < crs.rows; i++)
        b->y[i] = number == CGS_F32 ? (double)(float)right[i] : (double)right[i];
    free(right);
    must(cgs_functional_create(&bed.context, &crs, number, seed, &b->functional));
}

static void take_down(struct bench *b)
{
    cgs_functional_release(&bed.context, &b->functional);
    plain_free(b->plain);
    free(b->x);
    free(b->y);
    free(b->bound);
}

static bool agrees(const struct bench *b)
{
    struct cgs_functional_values values;
    return cgs_functional_agrees(&b->functional, 2, b->x, b->y, &values);
}

LOOP_TEST(right_products_agree, 20)
{
    for (int which = 0; which < plain_cases(); which++) {
        struct bench b;
        set_up(&b, which, (enum cgs_number)(_i % 2), (uint64_t)_i + 1);
        ck_assert_msg(agrees(&b), "matrix %d", which);
        take_down(&b);
    }
}

/* Each row in turn is off by a ten-thousandth of what its terms come to. */
LOOP_TEST(a_wrong_row_shows, 4)
{
    int64_t looked = 0;
    for (int which = 0; which < plain_cases(); which++) {
        struct bench b;
        set_up(&b, which, (enum cgs_number)(_i % 2), (uint64_t)_i + 7);
        const int64_t step = b.plain->rows / 50 + 1;
        int64_t rows = b.plain->rows;
        if (b.number == CGS_F32 && rows > 2000)
            rows = 0; /* what rounding allows in all rows hides one */
        for (int64_t i = 0; i < rows; i += step) {
            const double was = b.y[i];
            b.y[i] += (b.number == CGS_F32 ? 1.0 : 1e-4) * (double)b.bound[i];
            looked += b.y[i] != was;
            ck_assert_msg(b.y[i] == was || !agrees(&b), "matrix %d, row %lld", which, (long long)i);
            b.y[i] = was;
        }
        take_down(&b);
    }
    ck_assert_int_gt(looked, 100);
}

TEST(nan_shows)
{
    struct bench b;
    set_up(&b, plain_cases() - 1, CGS_F64, 3);
    ck_assert_int_gt(b.plain->rows, 0);
    b.y[b.plain->rows - 1] = NAN;
    ck_assert(!agrees(&b));
    take_down(&b);
}

/* An answer to another x, and one of single precision. */
TEST(another_answer_shows)
{
    struct bench b;
    int narrow = 0;
    for (int which = 0; which < plain_cases(); which++) {
        bool same = true;
        set_up(&b, which, CGS_F64, 5);
        for (int64_t i = 0; i < b.plain->rows; i++) {
            const double before = b.y[i];
            b.y[i] = (double)(float)before;
            same = same && b.y[i] == before;
        }
        narrow += !same;
        ck_assert_msg(agrees(&b) == same, "single precision, matrix %d", which);
        take_down(&b);
    }
    ck_assert_int_gt(narrow, 3);
}

/* Rows beyond the range of numbers are left to others; the rest is looked at. */
TEST(extreme_rows)
{
    int64_t start[] = {0, 2, 4, 4, 5};
    int32_t column[] = {0, 1, 0, 1, 1};
    double value[] = {1.5e308, 1.5e308, 3.0, -4.0, 0x1p-1074};
    const struct cgs_crs crs = {
        .rows = 4, .columns = 2, .pointers = start, .column = column, .value = value};
    const double x[] = {0.5, -0.25};
    double y[] = {12345.0, 2.5, 0.0, -0x1p-1074};
    struct cgs_functional f;
    struct cgs_functional_values values;
    must(cgs_functional_create(&bed.context, &crs, CGS_F64, 11, &f));
    ck_assert(cgs_functional_agrees(&f, 1, x, y, &values));
    ck_assert_double_eq(f.weight[0], 0.0);
    y[2] = 1e-3; /* an empty row */
    ck_assert(!cgs_functional_agrees(&f, 1, x, y, &values));
    cgs_functional_release(&bed.context, &f);
}

int main(void)
{
    return bed_tests("functional", 120);
}
