/* Random matrices are what they are said to be, by any number of threads. */
#include <math.h>
#include <string.h>

#include "matrix/random.h"
#include "tests/support/support.h"

static void check_crs(const struct cgs_crs *crs)
{
    for (int64_t i = 0; i < crs->rows; i++)
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++) {
            ck_assert(crs->column[k] >= 0 && crs->column[k] < crs->columns);
            ck_assert(k == crs->pointers[i] || crs->column[k] > crs->column[k - 1]);
            ck_assert(crs->value[k] >= -1.0 && crs->value[k] < 1.0);
        }
}

TEST(random_matrices_by_any_threads)
{
    static const struct {
        int64_t n;
        double density;
        bool powerlaw;
    } cases[] = {{1, 1.0, false},     {1, 0.5, true},      {300, 1.0, false},   {300, 1.0, true},
                 {5000, 0.01, false}, {5000, 0.002, true}, {20000, 1e-9, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct cgs_crs one, many;
        const double n = (double)cases[c].n, expected = n * n * cases[c].density;
        bed.context.threads = 1;
        must(
            cgs_random_create(&bed.context, cases[c].n, cases[c].density, cases[c].powerlaw, &one));
        bed.context.threads = 3;
        must(cgs_random_create(&bed.context, cases[c].n, cases[c].density, cases[c].powerlaw,
                               &many));
        bed.context.threads = 2;
        const int64_t nonzeros = one.pointers[one.rows];
        check_crs(&one);
        ck_assert_int_eq(nonzeros, many.pointers[many.rows]);
        ck_assert(memcmp(one.pointers, many.pointers,
                         (size_t)(one.rows + 1) * sizeof *one.pointers) == 0);
        ck_assert(memcmp(one.column, many.column, (size_t)nonzeros * sizeof *one.column) == 0);
        ck_assert(memcmp(one.value, many.value, (size_t)nonzeros * sizeof *one.value) == 0);
        if (cases[c].density == 1.0 && !cases[c].powerlaw)
            ck_assert_int_eq(nonzeros, cases[c].n * cases[c].n);
        if (expected > 1e4) /* within a fifth: a power law varies */
            ck_assert_msg(fabs((double)nonzeros - expected) <
                              (cases[c].powerlaw ? 0.2 : 0.02) * expected,
                          "%lld entries, %g expected", (long long)nonzeros, expected);
        cgs_crs_release(&bed.context, &one);
        cgs_crs_release(&bed.context, &many);
    }
}

/* Few rows hold much of it, none is far above n / 10, most are short. */
TEST(power_laws_have_long_rows_and_short_ones)
{
    const int64_t n = 20000;
    struct cgs_crs crs;
    int64_t longest = 0, shorter = 0;
    must(cgs_random_create(&bed.context, n, 0.001, true, &crs));
    for (int64_t i = 0; i < n; i++) {
        const int64_t length = crs.pointers[i + 1] - crs.pointers[i];
        longest = length > longest ? length : longest;
        shorter += (double)length < (double)crs.pointers[n] / (double)n;
    }
    ck_assert_int_gt(longest, n / 20);
    ck_assert_int_lt(longest, n / 8);
    ck_assert_int_gt(shorter, 3 * n / 4);
    cgs_crs_release(&bed.context, &crs);
}

int main(void)
{
    return bed_tests("random", 300);
}
