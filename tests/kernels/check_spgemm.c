/* Products of sparse matrices: every kernel of the device against SMMP (tests/support/smmp.h),
 * structures exactly, values within rounding. */
#include <stdio.h>

#include "tests/support/products.h"

/* ---- shapes ---- */

static const struct {
    const char *name;
    int64_t rows, inner, columns;
    enum lengths a, b;
} shapes[] = {
    {"0 x 0", 0, 0, 0, ALL, ALL},
    {"no rows", 0, 5, 7, ALL, ALL},
    {"no columns", 6, 5, 0, ALL, ALL},
    {"nothing between", 6, 0, 7, ALL, ALL},
    {"one row, no columns", 1, 1, 0, ALL, ALL},
    {"1 x 1", 1, 1, 1, ALL, ALL},
    {"1 x 1 without an entry", 1, 1, 1, ALL, NO_ENTRIES},
    {"no entries", 40, 30, 20, NO_ENTRIES, THREE},
    {"no entries on the right", 40, 30, 20, THREE, NO_ENTRIES},
    {"empty rows", 500, 400, 300, THIRDS, THIRDS},
    {"row times column", 1, 700, 1, ALL, ALL},
    {"column times row", 300, 1, 200, ALL, ALL},
    {"row times matrix", 1, 500, 400, ALL, UP_TO_NINE},
    {"matrix times column", 400, 500, 1, UP_TO_NINE, ALL},
    {"dense", 65, 70, 129, ALL, ALL},
    {"wide", 60, 3000, 50, UP_TO_NINE, UP_TO_NINE},
    {"tall", 3000, 60, 2000, UP_TO_NINE, UP_TO_NINE},
    {"through few", 2000, 3, 1500, THREE, THREE},
    {"a full row on the left", 600, 601, 602, FULL_ROW, THREE},
    {"a full row on the right", 600, 601, 602, THREE, FULL_ROW},
    {"full rows", 600, 601, 602, FULL_ROW, FULL_ROW},
    {"a full column on the left", 700, 650, 640, FULL_COLUMN, THREE},
    {"a full column on the right", 700, 650, 640, THREE, FULL_COLUMN},
    {"full column times full row", 300, 301, 302, FULL_COLUMN, FULL_ROW},
    {"rows of all lengths", 4000, 4000, 4000, HALVING, UP_TO_NINE},
    {"rows of all lengths on the right", 3000, 3000, 3000, THREE, HALVING},
    {"rows of all lengths twice", 500, 500, 40000, HALVING, HALVING},
    {"a row of 40000", 3, 40000, 70000, FULL_ROW, THREE},
    {"a row of 1024", 3, 1024, 500, FULL_ROW, THREE},
    {"a row of 1025", 3, 1025, 500, FULL_ROW, THREE},
    {"a row of 20000, few columns", 3, 20000, 40, FULL_ROW, UP_TO_NINE},
    {"a row of 20000, one column", 3, 20000, 1, FULL_ROW, ALL},
    {"a row of 20000 by empty rows", 4, 20000, 70000, FULL_ROW, THIRDS},
    {"a row of 20000 by full rows", 3, 20000, 5000, FULL_ROW, FULL_ROW},
    {"rows of 5000", 12, 5000, 60000, ALL, UP_TO_NINE},
    {"rows of 5000 by rows of all lengths", 5, 5000, 30000, ALL, HALVING},
    {"a row and a column of 6000", 6000, 6000, 6000, FULL_ROW, FULL_COLUMN},
    {"rows of 9000 by far columns", 12, 9000, 5000000, ALL, UP_TO_NINE},
    {"thin rows", 300, 2000, 1000000, HALVING, UP_TO_NINE},
    {"rows of 60000", 20, 50, 60000, THREE, ALL},
    {"far columns", 50, 50, 2000000, THREE, THREE},
    {"many short rows", 100000, 50000, 60000, THREE, THREE},
    {"many rows, no products", 100000, 100000, 200, THREE, NO_ENTRIES},
    {"short rows of many products", 330000, 3000, 4000, UP_TO_NINE, THREE},
    {"long rows of many products, none between", 2100, 60, 1300, THIRDS, ALL},
};

/* Returns how many products of two entries A B takes. */
static int64_t products_of(const struct smmp *a, const struct smmp *b)
{
    int64_t products = 0;
    for (int64_t e = 0; e < a->start[a->rows]; e++)
        products += b->start[a->column[e] + 1] - b->start[a->column[e]];
    return products;
}

LOOP_TEST(all_shapes, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    const int count = sizeof shapes / sizeof *shapes;
    int ran = 0;
    for (int s = 0; s < count; s++) {
        struct smmp a = smmp_make(shapes[s].rows, shapes[s].inner, shapes[s].a, c.number, 1);
        struct smmp b = smmp_make(shapes[s].inner, shapes[s].columns, shapes[s].b, c.number, 2);
        if (!CHECK_SMALL || (a.rows < 10000 && products_of(&a, &b) < 100000)) {
            spgemm_check(shapes[s].name, &c, &a, &b);
            ran++;
        }
        smmp_free(&a);
        smmp_free(&b);
    }
    ck_assert_int_ge(ran, CHECK_SMALL ? 24 : count);
}

/* More products than a GPU sorts at once, by its first kernel: too many for the CPU, and
 * references. */
LOOP_TEST(many_sorted, CHECK_DEVICE == CGS_CPU || CHECK_SMALL ? 0 : CGS_NUMBERS)
{
    const struct spgemm c = spgemm_find(_i);
    ck_assert(!c.kernel->reference);
    struct smmp a = smmp_make(1600, 5000, ALL, c.number, 1);
    struct smmp b = smmp_make(5000, 60000, UP_TO_NINE, c.number, 2);
    spgemm_check("1600 rows of 5000", &c, &a, &b);
    smmp_free(&a);
    smmp_free(&b);
}

enum { MOST_PRODUCTS = CHECK_SMALL ? 10000 : 2000000 };

/* The matrices of tests/support/plain.c, each with its transpose, both ways round. */
LOOP_TEST(plain_matrices, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    for (int which = 0; which < plain_cases(); which++) {
        struct smmp a = smmp_of(plain_make(which, PLAIN_RANDOM), c.number), t;
        ck_assert(smmp_transpose(&a, &t));
        for (int way = 0; way < 2; way++) {
            const struct smmp *left = way ? &t : &a, *right = way ? &a : &t;
            if (products_of(left, right) <= MOST_PRODUCTS)
                spgemm_check(plain_name(which), &c, left, right);
        }
        smmp_free(&a);
        smmp_free(&t);
    }
}

LOOP_TEST(q1_squared, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    const int64_t sizes[] = {1, 2, 3, 5, 8, 13};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes - (CHECK_SMALL ? 2 : 0); s++) {
        struct smmp a = smmp_of(plain_q1(sizes[s]), c.number);
        spgemm_check("Q1 squared", &c, &a, &a);
        smmp_free(&a);
    }
}

/* Rows that look like the one before, in runs; of few products, of short and of long rows, and
 * of so many that their places are not listed. */
LOOP_TEST(bands, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    const struct {
        int64_t rows, inner, columns, reach_a, every_a, reach_b, every_b;
    } cases[] = {{500, 500, 500, 1, 0, 1, 0},      {500, 500, 500, 2, 0, 2, 0},
                 {500, 500, 500, 2, 7, 2, 0},      {500, 500, 500, 5, 0, 5, 0},
                 {500, 500, 500, 5, 2, 5, 0},      {3000, 3000, 3000, 10, 0, 10, 0},
                 {3000, 3000, 3000, 10, 5, 10, 0}, {3000, 3000, 3000, 10, 0, 10, 50},
                 {300, 300, 300, 40, 0, 40, 0},    {400, 400, 400, 60, 0, 60, 0},
                 {1000, 600, 700, 8, 0, 3, 100},   {300, 1000, 400, 3, 0, 20, 0}};
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        if (CHECK_SMALL && cases[s].rows > 500)
            continue;
        struct smmp a = smmp_band(cases[s].rows, cases[s].inner, cases[s].reach_a, cases[s].every_a,
                                  c.number, 1);
        struct smmp b = smmp_band(cases[s].inner, cases[s].columns, cases[s].reach_b,
                                  cases[s].every_b, c.number, 2);
        char name[40];
        snprintf(name, sizeof name, "bands, case %zu", s);
        spgemm_check(name, &c, &a, &b);
        smmp_free(&a);
        smmp_free(&b);
    }
}

LOOP_TEST(random_squared, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    const struct {
        int64_t n;
        double density;
        bool powerlaw;
    } cases[] = {{300, 0.05, false},   {1000, 0.01, false},   {5000, 1e-3, false},
                 {20000, 1e-4, false}, {100000, 1e-5, false}, {64, 0.5, false},
                 {1000, 0.005, true},  {20000, 2e-4, true},   {200000, 1e-6, false}};
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        if (CHECK_SMALL && cases[s].n > 1000)
            continue;
        struct smmp a = smmp_random(cases[s].n, cases[s].density, cases[s].powerlaw, c.number);
        char name[80];
        snprintf(name, sizeof name, "random %lld at %g%s", (long long)cases[s].n, cases[s].density,
                 cases[s].powerlaw ? ", power law" : "");
        spgemm_check(name, &c, &a, &a);
        smmp_free(&a);
    }
}

int main(void)
{
    return bed_tests("products of matrices", 600);
}
