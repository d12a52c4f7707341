/* Every kernel of the registry, in every precision, on every matrix that hurts.
 *
 * Twice each: random numbers within the row-wise rounding bound (k + 2) eps sum |a_ij| |x_j| of a
 * product in long double, and small whole numbers, whose sums are exact, bit for bit. y is NaN
 * before each product and has a guard behind it; x has NaN behind it.
 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/rig.h"

static const int32_t chunks[] = {32, 1, 4, 7, 8, 64};

/* All products of one rig: apply and apply_dot, twice, and by 1 and 3 threads. */
static void check_rig(const struct rig *rig, enum plain_numbers numbers)
{
    static const int threads[] = {2, 2, 1, 3};
    const bool square = rig->plain->rows == rig->plain->columns;
    double *x = must_have((size_t)rig->plain->columns * sizeof *x);
    plain_vector(rig->plain->columns, numbers, cgs_precision_real(rig->precision), 99, x);
    for (int fused = 0; fused < (rig->kernel->steps.apply_dot && square ? 2 : 1); fused++) {
        double *first = NULL, first_dot = 0.0;
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            double dot;
            double *y = rig_product(rig, x, threads[t], fused, &dot);
            if (!first) {
                rig_check_product(rig, numbers, x, y);
                if (fused)
                    rig_check_dot(rig, numbers, x, y, dot);
                first = y;
                first_dot = dot;
                continue;
            }
            if (rig->kernel->reproducible)
                ck_assert_msg(same_bits(first, y, rig->plain->rows) &&
                                  (!fused || same_bits(&first_dot, &dot, 1)),
                              "%s: other bits by %d threads", rig->words, threads[t]);
            else
                rig_check_product(rig, numbers, x, y);
            free(y);
        }
        free(first);
    }
    free(x);
}

/* Once there is a reason to stop, steps leave y and the sums alone; only a vendor's product, which
 * can't look at the state, may still write y (kernels/kernel.h). */
static void check_stopped(const struct rig *rig)
{
    double *x = must_have((size_t)rig->plain->columns * sizeof *x);
    void *vector_x = rig_x(rig, x), *vector_y = bed_vector(&rig->range, NULL);
    struct cgs_cg_state *state = bed_state(&rig->range, 1);
    bed_reason(&rig->range, state, CGS_STOPPED);
    must(rig->kernel->steps.apply(rig->self, bed.queue, state, vector_x, vector_y));
    if (rig->kernel->steps.apply_dot && rig->plain->rows == rig->plain->columns)
        must(rig->kernel->steps.apply_dot(rig->self, bed.queue, state, vector_x, vector_y,
                                          CGS_SUM_PQ));
    must(rig->range.ops->wait(bed.queue));
    ck_assert(isnan(bed_look(&rig->range, state).sums[CGS_SUM_PQ]));
    double *y = rig_y(rig, vector_y);
    for (int64_t i = 0; i < rig->plain->rows; i++)
        if (!isnan(y[i]) && rig->kernel->steps.apply_dot)
            ck_abort_msg("%s: wrote row %lld after the end", rig->words, (long long)i);
    free(y);
    free(x);
    rig->range.ops->state_free(&rig->range, state);
    rig->domain.ops->free(&rig->domain, vector_x);
    rig->range.ops->free(&rig->range, vector_y);
}

/* The bytes that the plan names are those that prepare takes, where they are counted (the host). */
static void check_figures(const struct rig *rig)
{
    const int64_t value = cgs_number_bytes(cgs_precision_value(rig->precision));
    const struct cgs_traffic traffic = rig->kernel->traffic(&rig->matrix);
    ck_assert_int_eq(traffic.additions, rig->matrix.nonzeros);
    ck_assert_int_ge(traffic.matrix, rig->matrix.stored * (value + 4));
    ck_assert_int_ge(traffic.padding, (rig->matrix.stored - rig->matrix.nonzeros) * (value + 4));
    ck_assert_int_le(traffic.padding, traffic.matrix);
    ck_assert_int_eq(traffic.vectors, (rig->plain->rows + rig->plain->columns) *
                                          cgs_number_bytes(cgs_precision_real(rig->precision)));
    struct cgs_plan plan = {0};
    rig->kernel->plan(&rig->matrix, &plan);
    const int64_t planned = plan.total[bed.backend->place];
    ck_assert_int_ge(planned, rig->matrix.stored * (value + 4));
    if (bed.backend->place != CGS_HOST)
        return;
    const int64_t before = bed.context.host_bytes;
    void *self = NULL;
    must(rig->kernel->prepare(bed.queue, &rig->matrix, &self));
    const int64_t taken = bed.context.host_bytes - before;
    ck_assert_msg(taken >= planned && taken <= planned + 4096, "%s: %lld planned, %lld taken",
                  rig->words, (long long)planned, (long long)taken);
    rig->kernel->steps.release(self);
}

/* ---- the tests: one a kernel and precision ---- */

/* The kernels of this device that work from entries, `precision` varying fastest. */
static int pairs(const struct cgs_kernel_entry **found)
{
    int all, count = 0;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    for (int i = 0; i < all; i++)
        if (entries[i].device == CHECK_DEVICE && entries[i].format != CGS_NONE) {
            if (found)
                found[count] = &entries[i];
            count++;
        }
    return count * CGS_PRECISIONS;
}

static const struct cgs_kernel_entry *entry_of(int pair)
{
    const struct cgs_kernel_entry *found[64];
    ck_assert_int_le(pairs(NULL), 64 * CGS_PRECISIONS);
    ck_assert_int_lt(pair, pairs(found));
    return found[pair / CGS_PRECISIONS];
}

static int chunk_count(const struct cgs_kernel_entry *entry)
{
    return entry->format == CGS_CRS ? 1 : (int)(sizeof chunks / sizeof *chunks);
}

/* All chunks for one matrix; returns how many rigs could be set up. */
static int try_matrix(const struct cgs_kernel_entry *entry, enum cgs_precision precision,
                      const struct plain *plain, const char *name, enum plain_numbers numbers)
{
    int ran = 0;
    for (int c = 0; c < chunk_count(entry); c++) {
        struct rig rig;
        if (!rig_set_up(&rig, entry, precision, plain, name, chunks[c]))
            continue;
        check_rig(&rig, numbers);
        check_stopped(&rig);
        check_figures(&rig);
        rig_take_down(&rig);
        ran++;
    }
    return ran;
}

static void try_all(int pair, enum plain_numbers numbers)
{
    const struct cgs_kernel_entry *entry = entry_of(pair);
    int ran = 0;
    for (int which = 0; which < plain_cases(); which++) {
        struct plain *plain = plain_make(which, numbers);
        ran += try_matrix(entry, pair % CGS_PRECISIONS, plain, plain_name(which), numbers);
        plain_free(plain);
    }
    printf("%s %s %s: %d rigs\n", cgs_device_name(entry->device), entry->name,
           cgs_precision_name(pair % CGS_PRECISIONS), ran);
}

START_TEST(random_numbers_within_the_bound)
{
    try_all(_i, PLAIN_RANDOM);
}
END_TEST

START_TEST(whole_numbers_bit_for_bit)
{
    try_all(_i, PLAIN_INTEGERS);
}
END_TEST

/* x'A y = y'A x on the Q1 matrix, and every format's product within the bound of the same oracle:
 * so CRS = SELL. */
START_TEST(q1_is_symmetric)
{
    const enum cgs_precision precision = _i % CGS_PRECISIONS;
    const double eps = cgs_precision_real(precision) == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    struct plain *plain = plain_q1(13);
    const int64_t n = plain->rows;
    double *x[2], *y[2], dot;
    struct rig rig;
    if (rig_set_up(&rig, entry_of(_i), precision, plain, "Q1, N = 13", 32)) {
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
        ck_assert_msg(fabsl(difference) <= 29 * eps * rig.source.norm(&rig.source) * bound, "%s: %.3Lg",
                      rig.words, difference);
        for (int v = 0; v < 2; v++) {
            free(x[v]);
            free(y[v]);
        }
        rig_take_down(&rig);
    }
    plain_free(plain);
}
END_TEST

/* Refusals are no failures, but for each format somebody must take a plain matrix. */
START_TEST(each_format_has_a_kernel_that_runs)
{
    static const enum cgs_format formats[] = {CGS_CRS, CGS_SELL};
    for (size_t f = 0; f < 2; f++)
        for (int precision = 0; precision < CGS_PRECISIONS; precision++) {
            int ran = 0;
            struct plain *plain = plain_q1(3);
            for (int pair = precision; pair < pairs(NULL); pair += CGS_PRECISIONS)
                if (entry_of(pair)->format == formats[f])
                    ran += try_matrix(entry_of(pair), (enum cgs_precision)precision, plain,
                                      "Q1, N = 3", PLAIN_RANDOM);
            ck_assert_msg(ran > 0, "no kernel for %s ran", cgs_format_name(formats[f]));
            plain_free(plain);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels");
    TCase *tcase = bed_case(suite, "products", 600);
    tcase_add_loop_test(tcase, random_numbers_within_the_bound, 0, pairs(NULL));
    tcase_add_loop_test(tcase, whole_numbers_bit_for_bit, 0, pairs(NULL));
    tcase_add_loop_test(tcase, q1_is_symmetric, 0, pairs(NULL));
    tcase_add_test(tcase, each_format_has_a_kernel_that_runs);
    return bed_run(suite);
}
