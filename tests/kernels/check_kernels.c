/* Every kernel of the registry, in every precision, on every matrix that hurts.
 *
 * Twice each: random numbers within the row-wise rounding bound (k + 2) eps sum |a_ij| |x_j| of a
 * product in long double, and small whole numbers, whose sums are exact, bit for bit. y is NaN
 * before each product and has a guard behind it; x has NaN behind it.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "matrix/names.h"
#include "tests/support/rig.h"

static const int32_t chunks[] = {32, 1, 4, 7, 8, 64};

/* ---- the tests: one a kernel and precision ---- */

static bool stored(enum cgs_format format)
{
    return format != CGS_NONE;
}

static int chunk_count(const struct cgs_kernel_entry *entry)
{
    return entry->format == CGS_CRS || CHECK_SMALL ? 1 : (int)(sizeof chunks / sizeof *chunks);
}

/* All chunks for one matrix; returns how many rigs could be set up. */
static int try_matrix(const struct cgs_kernel_entry *entry, enum cgs_precision precision,
                      const struct plain *plain, const char *name, enum plain_numbers numbers)
{
    int ran = 0;
    for (int c = 0; c < chunk_count(entry); c++) {
        struct rig rig;
        if (!rig_set_up(&rig, entry, precision, plain, name, chunks[c], 1))
            continue;
        rig_check_all(&rig, numbers);
        rig_take_down(&rig);
        ran++;
    }
    return ran;
}

static void try_all(int pair, enum plain_numbers numbers)
{
    const struct cgs_kernel_entry *entry = rig_entry(stored, pair);
    int ran = 0;
    for (int which = 0; which < plain_cases(); which++) {
        struct plain *plain = plain_make(which, numbers);
        ran += try_matrix(entry, pair % CGS_PRECISIONS, plain, plain_name(which), numbers);
        plain_free(plain);
    }
    printf("%s %s %s: %d rigs\n", cgs_device_name(entry->device), entry->name,
           cgs_precision_name(pair % CGS_PRECISIONS), ran);
}

/* The emulator is spared: whole numbers find as much. */
LOOP_TEST(random_numbers_within_the_bound, CHECK_SMALL ? 0 : rig_pairs(stored))
{
    try_all(_i, PLAIN_RANDOM);
}

LOOP_TEST(whole_numbers_bit_for_bit, rig_pairs(stored))
{
    try_all(_i, PLAIN_INTEGERS);
}

/* x'A y = y'A x on the Q1 matrix, and every format's product within the bound of the same oracle:
 * so CRS = SELL. */
LOOP_TEST(q1_is_symmetric, rig_pairs(stored))
{
    const enum cgs_precision precision = _i % CGS_PRECISIONS;
    const double eps = cgs_precision_real(precision) == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    struct plain *plain = plain_q1(13);
    const int64_t n = plain->rows;
    double *x[2], *y[2], dot;
    struct rig rig;
    if (rig_set_up(&rig, rig_entry(stored, _i), precision, plain, "Q1, N = 13", 32, 1)) {
        for (int v = 0; v < 2; v++) {
            x[v] = must_have((size_t)n * sizeof *x[v]);
            plain_vector(n, PLAIN_RANDOM, cgs_precision_real(precision), 5 + (uint64_t)v, x[v]);
            y[v] = rig_product(&rig, x[v], 2, false, &dot);
            rig_check_product(&rig, PLAIN_RANDOM, x[v], y[v]);
        }
        long double difference = 0.0L, bound = 0.0L;
        for (int64_t i = 0; i < n; i++) {
            difference += (long double)x[0][i] * y[1][i] - (long double)x[1][i] * y[0][i];
            bound += fabsl((long double)x[0][i]) + fabsl((long double)x[1][i]);
        }
        /* Each row is off by 29 eps sum |a| |x| at most; norm and |x| <= 1 bound that sum. */
        ck_assert_msg(fabsl(difference) <= 29 * eps * rig.source.norm(&rig.source) * bound,
                      "%s: %.3Lg", rig.words, difference);
        for (int v = 0; v < 2; v++) {
            free(x[v]);
            free(y[v]);
        }
        rig_take_down(&rig);
    }
    plain_free(plain);
}

/* Refusals are no failures, but for each format somebody must take a plain matrix. */
TEST(each_format_has_a_kernel_that_runs)
{
    static const enum cgs_format formats[] = {CGS_CRS, CGS_SELL, CGS_SELLC};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int precision = 0; precision < CGS_PRECISIONS; precision++) {
            int ran = 0;
            struct plain *plain = plain_q1(3);
            for (int pair = precision; pair < rig_pairs(stored); pair += CGS_PRECISIONS)
                if (rig_entry(stored, pair)->format == formats[f])
                    ran += try_matrix(rig_entry(stored, pair), (enum cgs_precision)precision, plain,
                                      "Q1, N = 3", PLAIN_RANDOM);
            ck_assert_msg(ran > 0, "no kernel for %s ran", cgs_format_name(formats[f]));
            plain_free(plain);
        }
}

int main(void)
{
    return bed_tests("kernels", 600);
}
