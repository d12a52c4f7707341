/* Products by SMMP, and kernels held against them. */
#include "kernels/spgemm/spgemm.h"
#include "kernels/spgemm/spgemm_table.h"
#include "matrix/names.h"
#include "tests/support/products.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Number types of a kernel. The thread sanitizer has the first: the others are the same source,
 * compiled again. */
#ifdef __has_feature
#define WATCHED __has_feature(thread_sanitizer)
#else
#define WATCHED 0
#endif
enum { NUMBERS = WATCHED ? 1 : CGS_NUMBERS };

struct spgemm spgemm_find(int which)
{
    int all, found = 0;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&all);
    for (int i = 0; i < all; i++)
        if (entries[i].device == CHECK_DEVICE && found++ == which / NUMBERS) {
            const enum cgs_number number = (enum cgs_number)(which % NUMBERS);
            return (struct spgemm){&entries[i], entries[i].tables[number], number};
        }
    return (struct spgemm){0};
}

int spgemm_count(void)
{
    int count = 0;
    while (spgemm_find(count).entry)
        count++;
    return count;
}

struct cgs_spgemm_size spgemm_size(const struct cgs_sparse *a, const struct cgs_sparse *b)
{
    return (struct cgs_spgemm_size){.rows = a->rows,
                                    .columns = b->columns,
                                    .inner = a->columns,
                                    .a = a->nonzeros,
                                    .b = b->nonzeros};
}

/* Returns true if the kernel is in this build and takes these; our own always are and do. */
bool spgemm_takes(const struct spgemm *c, const struct cgs_sparse *a, const struct cgs_sparse *b)
{
    const struct cgs_spgemm_size size = spgemm_size(a, b);
    ck_assert_ptr_nonnull(c->kernel);
    bool fine = !c->kernel->absent;
    if (fine && c->kernel->accepts && c->kernel->accepts(bed.queue, &size) != CGS_OK) {
        bed_forgive();
        fine = false;
    }
    ck_assert_msg(fine || c->kernel->reference, "%s does not take this", c->entry->name);
    return fine;
}

/* ---- against SMMP ---- */

/* A B by SMMP, sum |a_ik b_kj| for each entry, products. */
struct right {
    struct smmp c;
    double *bound;
    int64_t products, longest; /* of all rows; of one */
};

static struct smmp magnitudes(const struct smmp *m)
{
    struct smmp out = *m;
    const int64_t entries = m->start[m->rows];
    out.value = must_have((size_t)entries * sizeof *out.value);
    for (int64_t e = 0; e < entries; e++)
        out.value[e] = fabs(m->value[e]);
    return out;
}

static struct right right_make(const struct smmp *a, const struct smmp *b)
{
    struct right right = {.products = 0};
    struct smmp big_a = magnitudes(a), big_b = magnitudes(b);
    ck_assert(smmp_multiply(a, b, &right.c) && smmp_sort(&right.c));
    struct smmp bound = right.c; /* the same structure, other values */
    ck_assert(smmp_numeric(&big_a, &big_b, &bound));
    right.bound = bound.value;
    free(big_a.value);
    free(big_b.value);
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t row = 0;
        for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
            row += b->start[a->column[e] + 1] - b->start[a->column[e]];
        right.products += row;
        right.longest = row > right.longest ? row : right.longest;
    }
    return right;
}

static void right_free(struct right *right)
{
    smmp_free(&right->c);
    free(right->bound);
}

/* Rounding of a sum of at most k products, each rounded, in any order: k + 2 ulps. */
static double tolerance_of(enum cgs_number number, const struct smmp *a)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < a->rows; i++)
        longest = a->start[i + 1] - a->start[i] > longest ? a->start[i + 1] - a->start[i] : longest;
    return (double)(longest + 2) * (number == CGS_F32 ? (double)FLT_EPSILON : 2 * DBL_EPSILON);
}

/* Bytes that no plan has: what a kernel knows of itself. */
enum { SMALL = 1 << 12 };

/* Holds the peak of host memory, without A and B but with C, to the plan, for the CPU's kernels:
 * on a device host_bytes says nothing of what a kernel plans there. */
static void check_plan(const struct spgemm *c, const struct cgs_spgemm_facts *facts, int64_t held)
{
    const struct cgs_spgemm_size *size = &facts->size;
    struct cgs_plan plan = {0};
    c->kernel->plan(size, bed.context.threads, &plan);
    cgs_sparse_plan(&plan, bed.backend->place, "C", size->rows, size->entries, c->number);
    ck_assert_msg(held <= plan.total[CGS_HOST] + SMALL, "%s: %lld bytes held, %lld planned",
                  c->entry->name, (long long)held, (long long)plan.total[CGS_HOST]);
}

/* A B on the host. False: cuSPARSE's first algorithm has no room, as for some nearly empty
 * products. */
static bool multiply(const struct spgemm *c, const struct cgs_sparse *a, const struct cgs_sparse *b,
                     bool sort, struct cgs_spgemm_facts *facts, struct cgs_crs *crs)
{
    struct cgs_sparse product;
    const int64_t before = bed.context.host_bytes;
    bed.context.host_peak = before;
    const enum cgs_status status =
        cgs_spgemm(bed.queue, bed.backend, c->kernel, c->number, a, b, sort, &product, facts);
    if (status == CGS_MEMORY && strcmp(c->entry->name, "spgemm_cusparse1") == 0) {
        bed_forgive();
        return false;
    }
    must(status);
    if (facts && CHECK_DEVICE == CGS_CPU)
        check_plan(c, facts, bed.context.host_peak - before);
    *crs = sparse_fetch(&product, c->number);
    bed.backend->sparse[c->number]->release(bed.queue, &product);
    if (!sort)
        crs_order(crs);
    return true;
}

/* Entries counted first, as where all that C can have finds no room; else as `multiply`. */
static struct cgs_crs count_and_fill(const struct spgemm *c, const struct cgs_sparse *a,
                                     const struct cgs_sparse *b, bool sort)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[c->number];
    struct cgs_spgemm_size size = spgemm_size(a, b);
    struct cgs_sparse product;
    int64_t entries;
    void *work;
    size.unordered = !sort;
    must(c->kernel->begin(bed.queue, a, b, &work, &size));
    must(ops->pointers(bed.queue, "product", a->rows, b->columns, &product));
    must(c->kernel->count(work, product.pointers, &entries));
    ck_assert_int_ge(size.entries, entries);
    must(ops->entries(bed.queue, "product", entries, &product));
    must(c->kernel->fill(work, &product));
    if (sort && c->kernel->sort)
        must(c->kernel->sort(work, &product));
    c->kernel->release(work);
    struct cgs_crs crs = sparse_fetch(&product, c->number);
    ops->release(bed.queue, &product);
    if (!sort)
        crs_order(&crs);
    return crs;
}

struct cgs_crs spgemm_multiply(const struct spgemm *c, const struct cgs_sparse *a,
                               const struct cgs_sparse *b, bool sort,
                               struct cgs_spgemm_facts *facts)
{
    struct cgs_crs crs;
    ck_assert_msg(multiply(c, a, b, sort, facts, &crs), "%s has no room", c->entry->name);
    return crs;
}

static void check_facts(const struct cgs_spgemm_facts *facts, const struct right *right)
{
    ck_assert_int_eq(facts->size.products, right->products);
    ck_assert_int_eq(facts->size.longest, right->longest);
    ck_assert_int_eq(facts->size.entries, right->c.start[right->c.rows]);
    for (int stage = 0; stage < CGS_SPGEMM_STAGES; stage++)
        ck_assert(facts->seconds[stage] >= 0.0);
}

/* Sorted, unsorted, in two parts; each row made once, and counted first. */
void spgemm_check(const char *name, const struct spgemm *c, const struct smmp *a,
                  const struct smmp *b)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[c->number];
    const double tolerance = tolerance_of(c->number, a);
    struct cgs_sparse on_a = sparse_send(a, c->number), on_b = sparse_send(b, c->number);
    struct right right = right_make(a, b);
    char words[200];
    for (int way = 0; way < 4 && spgemm_takes(c, &on_a, &on_b); way++) {
        const int64_t middle = a->rows / 3, first = way == 3 ? middle : 0;
        const int64_t last = way == 2 ? middle : a->rows;
        const struct cgs_sparse part = sparse_rows(&on_a, c->number, first, last);
        struct cgs_spgemm_facts facts;
        snprintf(words, sizeof words, "%s %s, %s, rows %lld ... %lld", c->entry->name,
                 cgs_number_name(c->number), name, (long long)first, (long long)last);
        struct cgs_crs got;
        if (!multiply(c, &part, &on_b, way != 1, way < 2 ? &facts : NULL, &got))
            continue;
        ck_assert_int_eq(got.rows, last - first);
        crs_compare(words, &got, &right.c, first, tolerance, right.bound);
        if (c->kernel->make) {
            struct cgs_crs counted = count_and_fill(c, &part, &on_b, way != 1);
            crs_same_bits(words, &got, &counted);
            cgs_crs_release(&bed.context, &counted);
        }
        if (way < 2)
            check_facts(&facts, &right);
        cgs_crs_release(&bed.context, &got);
    }
    right_free(&right);
    ops->release(bed.queue, &on_a);
    ops->release(bed.queue, &on_b);
}
