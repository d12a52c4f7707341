/* Facts of products of sparse matrices by every kernel of the device: entries that cancel
 * stay, the same bits in every run and on any number of threads, sizes past 32 bits, memory that
 * runs out. */
#include <stdio.h>
#include <string.h>

#include "base/available.h"
#include "base/memory.h"
#include "kernels/spgemm/spgemm.h"
#include "matrix/names.h"
#include "tests/support/limits.h"
#include "tests/support/products.h"

/* An entry stays where its products cancel; rows of B that are borrowed from a larger matrix. */
LOOP_TEST(cancelled_entries_stay, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    const struct cgs_sparse_ops *ops = bed.backend->sparse[c.number];
    int64_t start_a[] = {0, 2}, start_b[] = {0, 3, 5, 7};
    int32_t column_a[] = {0, 1}, column_b[] = {0, 1, 2, 0, 1, 1, 2};
    double value_a[] = {1, 1}, value_b[] = {5, 5, 5, 1, 1, -1, 1};
    const struct smmp a = {1, 2, start_a, column_a, value_a};
    const struct smmp b = {3, 3, start_b, column_b, value_b};
    struct cgs_sparse on_a = sparse_send(&a, c.number), on_b = sparse_send(&b, c.number);
    const struct cgs_sparse last_two = sparse_rows(&on_b, c.number, 1, 3);
    if (spgemm_takes(&c, &on_a, &last_two)) {
        struct cgs_crs got = spgemm_multiply(&c, &on_a, &last_two, true, NULL);
        const double wanted[] = {1, 0, 1};
        ck_assert_int_eq(got.pointers[1], 3);
        for (int32_t j = 0; j < 3; j++)
            ck_assert(got.column[j] == j && got.value[j] == wanted[j]);
        cgs_crs_release(&bed.context, &got);
    }
    ops->release(bed.queue, &on_a);
    ops->release(bed.queue, &on_b);
}

/* The same where the row of A is so long that the device divides it by columns: all products of
 * column 0 cancel, of column 4999 none. */
LOOP_TEST(cancelled_entries_of_long_rows_stay, spgemm_count())
{
    enum { LENGTH = 20000, COLUMNS = 5000 };
    const struct spgemm c = spgemm_find(_i);
    const struct cgs_sparse_ops *ops = bed.backend->sparse[c.number];
    struct smmp a = smmp_make(1, LENGTH, ALL, c.number, 1);
    struct smmp b = smmp_make(LENGTH, COLUMNS, THREE, c.number, 2);
    for (int64_t k = 0; k < LENGTH; k++) {
        a.value[k] = 1;
        for (int e = 0; e < 3; e++) {
            b.column[3 * k + e] = e == 0 ? 0 : e == 1 ? 1 + (int32_t)k % 4998 : 4999;
            b.value[3 * k + e] = e == 0 && k % 2 ? -1 : 1;
        }
    }
    struct cgs_sparse on_a = sparse_send(&a, c.number), on_b = sparse_send(&b, c.number);
    if (spgemm_takes(&c, &on_a, &on_b)) {
        struct cgs_crs got = spgemm_multiply(&c, &on_a, &on_b, true, NULL);
        ck_assert_int_eq(got.pointers[1], COLUMNS);
        for (int32_t j = 0; j < COLUMNS; j++)
            ck_assert_int_eq(got.column[j], j);
        ck_assert(got.value[0] == 0 && got.value[COLUMNS - 1] == LENGTH);
        for (int32_t j = 1; j < COLUMNS - 1; j++)
            ck_assert(got.value[j] == 4 + (j <= LENGTH % 4998));
        cgs_crs_release(&bed.context, &got);
    }
    ops->release(bed.queue, &on_a);
    ops->release(bed.queue, &on_b);
    smmp_free(&a);
    smmp_free(&b);
}

LOOP_TEST(same_bits_again_and_on_any_number_of_threads, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    const struct cgs_sparse_ops *ops = bed.backend->sparse[c.number];
    const int threads[] = {2, 2, 1, 7};
    for (int which = 0; which < 5 && (!c.kernel || c.kernel->reproducible); which++) {
        struct smmp a = which == 0   ? smmp_of(plain_q1(10), c.number)
                        : which == 1 ? smmp_random(2000, 0.01, true, c.number)
                        : which == 2 ? smmp_make(3000, 3000, HALVING, c.number, 3)
                        : which == 3 ? smmp_band(2000, 2000, 10, 9, c.number, 3)
                                     : smmp_make(9000, 9000, FULL_ROW, c.number, 3);
        struct cgs_sparse on_a = sparse_send(&a, c.number);
        struct cgs_crs first = {0};
        for (int run = 0; run < (CHECK_SMALL ? 3 : 8) && spgemm_takes(&c, &on_a, &on_a); run++) {
            bed.context.threads = threads[run / 2];
            struct cgs_crs got = spgemm_multiply(&c, &on_a, &on_a, run % 2, NULL);
            if (run == 0) {
                first = got;
                continue;
            }
            crs_same_bits(c.entry->name, &first, &got);
            cgs_crs_release(&bed.context, &got);
        }
        cgs_crs_release(&bed.context, &first);
        ops->release(bed.queue, &on_a);
        smmp_free(&a);
    }
}

/* A host would promise the memory, and end the process that fills it. */
static void refused_for_want_of_room(const struct spgemm *c, const struct cgs_sparse *a,
                                     const struct cgs_sparse *b, int64_t entries)
{
    const int64_t entry = cgs_number_bytes(c->number) + (int64_t)sizeof(int32_t);
    const int64_t before = bed.context.host_bytes;
    struct cgs_sparse product = {.rows = -7};
    if (bed.backend->place != CGS_HOST || cgs_memory_available() > entry * entries)
        return;
    ck_assert_int_eq(
        cgs_spgemm(bed.queue, bed.backend, c->kernel, c->number, a, b, true, &product, NULL),
        CGS_MEMORY);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "4900000000 entries"));
    ck_assert_int_eq(product.rows, -7);
    ck_assert_int_eq(bed.context.host_bytes, before);
    bed_forgive();
}

/* 70000 x 70000 full: a column times a row. The products are counted in 64 bits before there is
 * memory for any. */
LOOP_TEST(products_past_32_bits, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    const struct cgs_sparse_ops *ops = bed.backend->sparse[c.number];
    const int64_t n = 70000;
    struct smmp column = smmp_make(n, 1, ALL, c.number, 1), row = smmp_make(1, n, ALL, c.number, 2);
    struct cgs_sparse a = sparse_send(&column, c.number), b = sparse_send(&row, c.number);
    if (!c.kernel->reference) {
        struct cgs_spgemm_size size = spgemm_size(&a, &b);
        void *work = NULL;
        must(c.kernel->begin(bed.queue, &a, &b, &work, &size));
        ck_assert_int_eq(size.products, n * n);
        ck_assert_int_eq(size.longest, n);
        ck_assert_int_ge(size.entries, n * n);
        c.kernel->release(work);
        refused_for_want_of_room(&c, &a, &b, n * n);
    }
    ops->release(bed.queue, &a);
    ops->release(bed.queue, &b);
    smmp_free(&column);
    smmp_free(&row);
}

/* Plans of sizes that no machine has: more for more, never wrapped round. */
LOOP_TEST(plans_past_32_bits, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    int64_t before = -1;
    for (int power = 10; power <= 40 && !c.kernel->absent; power += 5) {
        const int64_t n = INT64_C(1) << power;
        const struct cgs_spgemm_size size = {.rows = n,
                                             .columns = n < INT32_MAX ? n : INT32_MAX,
                                             .inner = n < INT32_MAX ? n : INT32_MAX,
                                             .a = 4 * n,
                                             .b = 4 * n,
                                             .products = 16 * n,
                                             .longest = n,
                                             .entries = 16 * n};
        struct cgs_plan plan = {0};
        c.kernel->plan(&size, 2, &plan);
        const int64_t all = plan.total[CGS_HOST] + plan.total[CGS_DEVICE_MEMORY];
        ck_assert_int_ge(all, before);
        before = all;
    }
}

/* All that C could have would take 260 MB or more, of which there are 100: entries are counted,
 * with the same result. */
LOOP_TEST(no_room_for_the_bound, CHECK_DEVICE == CGS_CPU ? spgemm_count() : 0)
{
    const struct spgemm c = spgemm_find(_i);
    const struct cgs_sparse_ops *ops = bed.backend->sparse[c.number];
    struct smmp a = smmp_band(5000, 5000, 40, 0, c.number, 1);
    struct cgs_sparse on_a = sparse_send(&a, c.number);
    struct rlimit limit;
    struct cgs_spgemm_facts facts;
    struct cgs_crs roomy = spgemm_multiply(&c, &on_a, &on_a, true, &facts), tight;
    ck_assert_int_gt(facts.size.products, 30000000);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    const rlim_t most = (rlim_t)(address_space() + 100000000);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &(struct rlimit){most, limit.rlim_max}), 0);
    tight = spgemm_multiply(&c, &on_a, &on_a, true, NULL);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    crs_same_bits(c.entry->name, &roomy, &tight);
    cgs_crs_release(&bed.context, &roomy);
    cgs_crs_release(&bed.context, &tight);
    ops->release(bed.queue, &on_a);
    smmp_free(&a);
}

/* Each allocation is refused in turn: CGS_MEMORY, nothing is held, C stays untouched. */
static void starve(const struct spgemm *c, const struct smmp *a)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[c->number];
    struct cgs_sparse on_a = sparse_send(a, c->number);
    const int64_t before = bed.context.host_bytes;
    for (int place = CGS_HOST; place <= (int)bed.backend->place && spgemm_takes(c, &on_a, &on_a);
         place++) {
        enum cgs_status status = CGS_MEMORY;
        for (int64_t nth = 1; status != CGS_OK; nth++) {
            struct cgs_sparse product = {.rows = -7};
            bed.context.starve_in[place] = nth;
            status = cgs_spgemm(bed.queue, bed.backend, c->kernel, c->number, &on_a, &on_a, true,
                                &product, NULL);
            bed.context.starve_in[place] = 0;
            if (status == CGS_OK) {
                ops->release(bed.queue, &product);
                ck_assert_int_eq(bed.context.host_bytes, before);
                ck_assert(nth > 1 || place == CGS_HOST);
                break;
            }
            ck_assert_msg(status == CGS_MEMORY, "%s", bed.context.message);
            ck_assert_int_eq(product.rows, -7);
            ck_assert_int_eq(bed.context.host_bytes, before);
            ck_assert_int_lt(nth, 100);
            bed_forgive();
        }
    }
    ops->release(bed.queue, &on_a);
}

LOOP_TEST(memory_that_runs_out, spgemm_count())
{
    const struct spgemm c = spgemm_find(_i);
    struct smmp halving = smmp_make(500, 500, HALVING, c.number, 1);
    struct smmp full_row = smmp_make(5000, 5000, FULL_ROW, c.number, 1);
    starve(&c, &halving);
    starve(&c, &full_row);
    smmp_free(&halving);
    smmp_free(&full_row);
}

int main(void)
{
    return bed_tests("facts of products", 600);
}
