/* cgsolve spgemm from inside: what is wrong with a product is found, and where; rows are cut so
 * that every slab fits, and all of them are covered. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "core/options/options.h"
#include "kernels/spgemm/spgemm_table.h"
#include "matrix/random.h"
#include "src/spgemm/multiply_check.h"
#include "src/spgemm/multiply_slabs.h"
#include "tests/support/check.h"

enum { N = 60, ROW = 17 };

static struct cgs_context context; /* of the test: Check forks for each */
static struct cgs_options options = {.sort = 1};
static struct cgs_crs a;
static struct cgs_multiply m;
static struct cgs_multiply_check *check;

/* A random, B = A, counted. */
static void set_up(void)
{
    cgs_context_init(&context);
    context.threads = 1;
    ck_assert_int_eq(cgs_random_create(&context, N, 0.1, false, &a), CGS_OK);
    m = (struct cgs_multiply){.options = &options, .context = &context, .number = CGS_F64};
    m.left.crs = &a;
    m.a = m.b = &m.left;
    m.size = (struct cgs_spgemm_size){
        .rows = N, .columns = N, .inner = N, .a = a.pointers[N], .b = a.pointers[N]};
    ck_assert_int_eq(cgs_multiply_check_create(&m, &check), CGS_OK);
}

static void tear_down(void)
{
    cgs_multiply_check_release(check);
    cgs_free(&context, m.products);
    cgs_free(&context, m.entries);
    cgs_crs_release(&context, &a);
    ck_assert_int_eq(context.host_bytes, 0);
}

/* A A by a dense row at a time. */
static struct cgs_crs square(void)
{
    struct cgs_crs c;
    int64_t entries = 0;
    ck_assert_int_eq(cgs_crs_alloc(&context, N, N, m.size.entries, &c), CGS_OK);
    for (int i = 0; i < N; i++) {
        double sum[N] = {0};
        bool there[N] = {false};
        c.pointers[i] = entries;
        for (int64_t e = a.pointers[i]; e < a.pointers[i + 1]; e++)
            for (int64_t f = a.pointers[a.column[e]]; f < a.pointers[a.column[e] + 1]; f++) {
                there[a.column[f]] = true;
                sum[a.column[f]] += a.value[e] * a.value[f];
            }
        for (int j = 0; j < N; j++)
            if (there[j]) {
                ck_assert_int_lt(entries, m.size.entries);
                c.column[entries] = j;
                c.value[entries++] = sum[j];
            }
    }
    c.pointers[N] = entries;
    ck_assert_int_eq(entries, m.size.entries);
    return c;
}

static struct cgs_multiply_verdict look(const struct cgs_crs *c)
{
    struct cgs_multiply_verdict verdict = {.wrong_row = -1};
    cgs_multiply_check_rows(check, 0, c, true, &verdict);
    return verdict;
}

LOOP_TEST(what_is_wrong_is_found, 6)
{
    static const char *const reasons[] = {"instead of",         "does not belong there",
                                          "stands there twice", "do not ascend",
                                          "outside the matrix", "entries instead of"};
    struct cgs_crs c = square();
    struct cgs_multiply_verdict verdict = look(&c);
    ck_assert_msg(verdict.wrong_row == -1, "row %lld: %s", (long long)verdict.wrong_row,
                  verdict.reason);
    ck_assert(verdict.worst_error <= 1.0 && verdict.projected <= 1.0);
    const int64_t begin = c.pointers[ROW], end = c.pointers[ROW + 1];
    int32_t absent = 0;
    for (int64_t e = begin; e < end && c.column[e] == absent; e++)
        absent++;
    ck_assert(end - begin >= 2 && absent < N);
    const int32_t first = c.column[begin], second = c.column[begin + 1];
    const double value = c.value[begin];
    switch (_i) {
    case 0:
        c.value[begin] += 1e-12;
        break;
    case 1:
        c.column[begin] = absent;
        break;
    case 2:
        c.column[begin + 1] = first;
        break;
    case 3:
        c.column[begin] = second;
        c.column[begin + 1] = first;
        c.value[begin] = c.value[begin + 1];
        c.value[begin + 1] = value;
        break;
    case 4:
        c.column[begin] = N;
        break;
    case 5:
        c.pointers[ROW + 1]--;
        break; /* and the next row has one too many */
    }
    verdict = look(&c);
    ck_assert_int_eq(verdict.wrong_row, ROW);
    ck_assert_msg(strstr(verdict.reason, reasons[_i]) != NULL, "%s", verdict.reason);
    cgs_crs_release(&context, &c);
}

/* NaN is no number, whatever the bound. */
TEST(no_number)
{
    struct cgs_crs c = square();
    c.value[c.pointers[ROW]] = NAN;
    ck_assert_int_eq(look(&c).wrong_row, ROW);
    cgs_crs_release(&context, &c);
}

TEST(counts)
{
    int64_t products = 0;
    for (int64_t e = 0; e < a.pointers[N]; e++)
        products += a.pointers[a.column[e] + 1] - a.pointers[a.column[e]];
    ck_assert_int_eq(m.size.products, products);
    ck_assert_int_eq(m.products[N], products);
    ck_assert_int_eq(m.entries[N], m.size.entries);
}

TEST(slabs)
{
    int count, before = 0, several = 0;
    const struct cgs_spgemm_entry *entry = cgs_spgemms(&count);
    struct cgs_multiply_row row = {.entry = entry, .kernel = entry->tables[CGS_F64]};
    ck_assert_int_eq(entry->device, CGS_CPU);
    for (m.room.bytes[CGS_HOST] = 2000000;; m.room.bytes[CGS_HOST] -= 500) {
        int64_t *starts;
        if (cgs_multiply_cut(&m, &row, 1.0, &starts, &count) != CGS_OK)
            break;
        ck_assert_int_eq(starts[0], 0);
        ck_assert_int_eq(starts[count], N);
        for (int s = 0; s < count; s++) {
            struct cgs_plan plan;
            ck_assert_int_lt(starts[s], starts[s + 1]);
            cgs_multiply_plan(&m, &row, starts[s], starts[s + 1], &plan);
            ck_assert_int_le(plan.total[CGS_HOST], m.room.bytes[CGS_HOST]);
        }
        ck_assert_int_ge(count, before); /* less memory, no fewer slabs */
        before = count;
        several += count > 1;
        cgs_free(&context, starts);
    }
    ck_assert_int_gt(several, 3);
    ck_assert_int_eq(context.status, CGS_MEMORY);
    ck_assert_msg(strstr(context.message, "of C alone") != NULL, "%s", context.message);
}

/* Bytes on the host that these rows of C take, beyond what a product without rows holds. */
static int64_t bytes_of_rows(const struct cgs_multiply_row *row, int64_t first, int64_t last)
{
    struct cgs_plan plan, none;
    cgs_multiply_plan(&m, row, first, last, &plan);
    cgs_multiply_plan(&m, row, first, first, &none);
    return plan.total[CGS_HOST] - none.total[CGS_HOST];
}

/* Free memory that holds all but a little of the product: slabs take at most half of it, whereas
 * a limit of the user's is used in full; a row that takes more than half is a slab of its own. */
TEST(slabs_leave_half_of_what_is_free)
{
    int count, limited_count;
    const struct cgs_spgemm_entry *entry = cgs_spgemms(&count);
    struct cgs_multiply_row row = {.entry = entry, .kernel = entry->tables[CGS_F64]};
    struct cgs_plan none;
    int64_t *starts, *limited;
    const int64_t all = bytes_of_rows(&row, 0, N), left = all - 1;
    cgs_multiply_plan(&m, &row, 0, 0, &none);
    m.room.bytes[CGS_HOST] = none.total[CGS_HOST] + left;
    ck_assert_int_eq(cgs_multiply_cut(&m, &row, 1.0, &starts, &count), CGS_OK);
    ck_assert_int_gt(count, 1);
    for (int s = 0; s < count; s++)
        ck_assert(2 * bytes_of_rows(&row, starts[s], starts[s + 1]) <= left ||
                  starts[s + 1] == starts[s] + 1);
    m.room.limited[CGS_HOST] = true;
    ck_assert_int_eq(cgs_multiply_cut(&m, &row, 1.0, &limited, &limited_count), CGS_OK);
    ck_assert_int_gt(2 * bytes_of_rows(&row, limited[0], limited[1]), left);
    ck_assert_int_le(limited_count, count);
    cgs_free(&context, starts);
    cgs_free(&context, limited);
    m.room.limited[CGS_HOST] = false;
    m.room.bytes[CGS_HOST] = none.total[CGS_HOST] + all;
    ck_assert_int_eq(cgs_multiply_cut(&m, &row, 1.0, &starts, &count), CGS_OK);
    ck_assert_int_eq(count, 1);
    cgs_free(&context, starts);
}

int main(void)
{
    return run_tests("multiply", 60, set_up, tear_down);
}
