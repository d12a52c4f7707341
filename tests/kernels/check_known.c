/* Products into known patterns (kernels/spgemm/known.h): new numbers give the bits of a product
 * that finds its pattern, with any number of threads; and memory that runs out.
 */
#include <stdio.h>

#include "base/random.h"
#include "kernels/spgemm/known.h"
#include "kernels/spgemm/spgemm.h"
#include "tests/support/products.h"

static const struct {
    int64_t rows, inner, columns;
    enum lengths a, b;
} shapes[] = {
    {0, 5, 7, ALL, ALL},
    {6, 0, 7, ALL, ALL},
    {6, 5, 0, ALL, ALL},
    {1, 1, 1, ALL, NO_ENTRIES},
    {500, 400, 300, THIRDS, THIRDS},
    {65, 70, 129, ALL, ALL},
    {1000, 600, 3000, UP_TO_NINE, UP_TO_NINE},
    {40, 600, 3000, ALL, NO_ENTRIES},
    {600, 601, 602, FULL_ROW, FULL_COLUMN},
    {300, 301, 302, FULL_COLUMN, FULL_ROW},
    {500, 500, 900, HALVING, HALVING},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void renew(const struct smmp *m, uint64_t seed)
{
    for (int64_t e = 0; e < m->start[m->rows]; e++)
        m->value[e] = cgs_random(seed << 32 | (uint64_t)e);
}

/* A B by the kernel that `auto` takes. */
static struct cgs_sparse product(const struct cgs_sparse *a, const struct cgs_sparse *b)
{
    const struct cgs_spgemm_entry *entry;
    struct cgs_sparse c;
    must(cgs_spgemm_find(&bed.context, "auto", CGS_CPU, &entry));
    must(cgs_spgemm(bed.queue, bed.backend, entry->tables[CGS_F64], CGS_F64, a, b, true, &c, NULL));
    return c;
}

/* Multiplies the matrices of new numbers, both ways. */
static void compare(const char *words, const struct smmp *a, const struct smmp *b,
                    const struct cgs_spgemm_known *known, const struct cgs_sparse *c)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[CGS_F64];
    struct cgs_sparse left = sparse_send(a, CGS_F64), right = sparse_send(b, CGS_F64),
                      wanted = product(&left, &right);
    ck_assert_int_eq(wanted.nonzeros, c->nonzeros);
    for (int threads = 1; threads <= 7; threads += 3) {
        cgs_spgemm_known_multiply(known, threads, &left, &right, c);
        ck_assert_msg(memcmp(wanted.value, c->value, (size_t)c->nonzeros * sizeof(double)) == 0,
                      "%s, %d threads: other bits", words, threads);
    }
    ops->release(bed.queue, &wanted);
    ops->release(bed.queue, &right);
    ops->release(bed.queue, &left);
}

LOOP_TEST(new_numbers, SHAPES)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[CGS_F64];
    struct smmp a = smmp_make(shapes[_i].rows, shapes[_i].inner, shapes[_i].a, CGS_F64, 1);
    struct smmp b = smmp_make(shapes[_i].inner, shapes[_i].columns, shapes[_i].b, CGS_F64, 2);
    struct cgs_sparse left = sparse_send(&a, CGS_F64), right = sparse_send(&b, CGS_F64),
                      c = product(&left, &right);
    struct cgs_spgemm_known known;
    char words[40];
    snprintf(words, sizeof words, "shape %d", _i);
    must(cgs_spgemm_known_create(&bed.context, &left, &right, &c, &known));
    ck_assert_int_le(known.begin[a.rows],
                     cgs_spgemm_known_products(&left, &right, 3) + left.nonzeros);
    for (uint64_t seed = 3; seed < 5; seed++) {
        renew(&a, seed);
        renew(&b, seed + 10);
        compare(words, &a, &b, &known, &c);
    }
    cgs_spgemm_known_release(&bed.context, &known);
    ops->release(bed.queue, &c);
    ops->release(bed.queue, &right);
    ops->release(bed.queue, &left);
    smmp_free(&b);
    smmp_free(&a);
}

/* A row of C that is too long for steps leaves the list empty; each allocation may fail. */
TEST(no_list)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[CGS_F64];
    struct smmp a = smmp_make(1, 2, ALL, CGS_F64, 1);
    struct cgs_spgemm_known known;
    for (int longer = 0; longer < 2; longer++) {
        struct smmp b = smmp_make(2, CGS_KNOWN_LONGEST + longer, ALL, CGS_F64, 2);
        struct cgs_sparse left = sparse_send(&a, CGS_F64), right = sparse_send(&b, CGS_F64),
                          c = product(&left, &right);
        must(cgs_spgemm_known_create(&bed.context, &left, &right, &c, &known));
        ck_assert_int_eq(known.step == NULL, longer);
        cgs_spgemm_known_release(&bed.context, &known);
        for (int k = 1; k <= 5 && !longer; k++) {
            bed.context.starve_in[CGS_HOST] = k;
            ck_assert_int_eq(cgs_spgemm_known_create(&bed.context, &left, &right, &c, &known),
                             CGS_MEMORY);
            cgs_spgemm_known_release(&bed.context, &known);
            bed_forgive();
        }
        bed.context.starve_in[CGS_HOST] = 0;
        ops->release(bed.queue, &c);
        ops->release(bed.queue, &right);
        ops->release(bed.queue, &left);
        smmp_free(&b);
    }
    smmp_free(&a);
}

int main(void)
{
    return bed_tests("products into known patterns", 120);
}
