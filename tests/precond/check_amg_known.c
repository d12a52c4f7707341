/* Grids of new numbers in known patterns (kernels/amg/known.h): the bits of grids that are made
 * anew, with any number of threads; what is not kept; memory that runs out; and diagonals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/amg.h"
#include "kernels/spgemm/spgemm.h"
#include "tests/support/amg.h"

static const double thetas[] = {0.0, 0.02, 0.5};
enum { THETAS = sizeof thetas / sizeof *thetas };

/* A grid: all of one matrix. */
struct grid {
    struct cgs_sparse a, p, r, product, coarse;
    struct cgs_aggregates aggregates;
};

static void multiply(const struct cgs_sparse *a, const struct cgs_sparse *b, struct cgs_sparse *c)
{
    const struct cgs_spgemm_entry *entry;
    must(cgs_spgemm_find(&bed.context, "auto", CGS_CPU, &entry));
    must(cgs_spgemm(bed.queue, bed.backend, entry->tables[CGS_F64], CGS_F64, a, b, true, c, NULL));
}

/* Makes all of it; aggregates: of another matrix, NULL: of this one. */
static struct grid grid_make(const struct smmp *a, double theta, double omega,
                             const struct cgs_aggregates *aggregates)
{
    const struct cgs_amg_ops *ops = bed.backend->amg;
    struct grid g = {.a = sparse_send(a, CGS_F64)};
    int64_t aggregated;
    if (!aggregates)
        must(ops->aggregate(bed.queue, &g.a, theta, &g.aggregates));
    must(ops->prolong(bed.queue, &g.a, aggregates ? aggregates : &g.aggregates, theta, omega, &g.p,
                      &aggregated));
    ops->forget(bed.queue, &g.aggregates);
    must(bed.backend->sparse[CGS_F64]->transpose(bed.queue, &g.p, &g.r));
    multiply(&g.a, &g.p, &g.product);
    multiply(&g.r, &g.product, &g.coarse);
    return g;
}

static void grid_free(struct grid *g)
{
    const struct cgs_sparse_ops *ops = bed.backend->sparse[CGS_F64];
    ops->release(bed.queue, &g->coarse);
    ops->release(bed.queue, &g->product);
    ops->release(bed.queue, &g->r);
    ops->release(bed.queue, &g->p);
    ops->release(bed.queue, &g->a);
    if (g->aggregates.of)
        bed.backend->amg->release(bed.queue, &g->aggregates);
}

static enum cgs_status keep(struct grid *g, double theta, struct cgs_amg_known *known)
{
    return bed.backend->amg->known->create(bed.queue, &g->a, &g->aggregates, theta, &g->product,
                                           &g->p, &g->r, &g->coarse, known);
}

static void same(const char *name, const char *what, const struct cgs_sparse *one,
                 const struct cgs_sparse *other)
{
    const size_t entries = (size_t)one->nonzeros;
    ck_assert_int_eq(one->nonzeros, other->nonzeros);
    ck_assert_msg(memcmp(one->pointers, other->pointers,
                         (size_t)(one->rows + 1) * sizeof *one->pointers) == 0 &&
                      memcmp(one->column, other->column, entries * sizeof *one->column) == 0 &&
                      memcmp(one->value, other->value, entries * sizeof(double)) == 0,
                  "%s: %s has other bits", name, what);
}

/* Makes P, R and R (A P) of the grid's matrix in known patterns, and holds them against it. */
static void compare(const char *name, const struct grid *g, const struct cgs_amg_known *known,
                    double omega)
{
    const struct cgs_amg_known_ops *ops = bed.backend->amg->known;
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    struct cgs_sparse p, r, coarse;
    must(ops->transfers(bed.queue, known, &g->a, omega, &p, &r));
    must(ops->coarse(bed.queue, known, &g->a, &p, &r, &coarse));
    same(name, "P", &p, &g->p);
    same(name, "R", &r, &g->r);
    same(name, "R (A P)", &coarse, &g->coarse);
    sparse->release(bed.queue, &coarse);
    sparse->release(bed.queue, &r);
    sparse->release(bed.queue, &p);
}

/* Makes A to D A D with powers of 2 in D: the same entries are strong. */
static void scale(const struct smmp *a)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
            a->value[e] *= ldexp(1.0, (int)(i % 3 + a->column[e] % 3));
}

LOOP_TEST(new_numbers, AMG_KINDS *THETAS)
{
    const double theta = thetas[_i % THETAS];
    const char *name = amg_name(_i / THETAS);
    const int usual = bed.context.threads;
    struct smmp a = amg_matrix(_i / THETAS);
    struct grid first = grid_make(&a, theta, 0.6, NULL);
    struct cgs_amg_known known;
    must(keep(&first, theta, &known));
    ck_assert(known.place || !bed.backend->amg->known->fits(bed.queue, &first.a, &first.p) ||
              first.coarse.nonzeros > first.a.nonzeros);
    for (int threads = 1; threads <= 7 && known.place; threads += 3) {
        bed.context.threads = threads;
        compare(name, &first, &known, 0.6);
    }
    bed.context.threads = usual;
    scale(&a);
    struct grid next = grid_make(&a, theta, 0.7, &first.aggregates);
    if (known.place)
        compare(name, &next, &known, 0.7);
    grid_free(&next);
    grid_free(&first);
    bed.backend->amg->known->release(bed.queue, &known);
    smmp_free(&a);
}

/* A strong entry that has become weak stays strong. */
TEST(strong_entries_stay)
{
    struct smmp a = amg_path(200);
    struct grid first = grid_make(&a, 0.1, 0.6, NULL);
    struct cgs_amg_known known;
    must(keep(&first, 0.1, &known));
    ck_assert_ptr_nonnull(known.place);
    a.value[a.start[100]] = a.value[a.start[99] + 2] = -0.01;
    struct grid weak = grid_make(&a, 0.0, 0.6, &first.aggregates);
    compare("path", &weak, &known, 0.6);
    grid_free(&weak);
    grid_free(&first);
    bed.backend->amg->known->release(bed.queue, &known);
    smmp_free(&a);
}

/* Row 23, entry 1 of 3, is the diagonal. */
TEST(diagonals_not_positive)
{
    static const double wrong[] = {0.0, -1.0, NAN};
    struct smmp a = amg_path(600);
    struct grid first = grid_make(&a, 0.02, 0.6, NULL);
    struct cgs_amg_known known;
    must(keep(&first, 0.02, &known));
    a.value[a.start[501] + 1] = -2.0;
    for (int w = 0; w < 3; w++) {
        a.value[a.start[23] + 1] = wrong[w];
        struct cgs_sparse sent = sparse_send(&a, CGS_F64), p, r;
        ck_assert_int_eq(bed.backend->amg->known->transfers(bed.queue, &known, &sent, 0.6, &p, &r),
                         CGS_BREAKDOWN);
        ck_assert_ptr_nonnull(strstr(bed.context.message, "row 24"));
        bed_forgive();
        bed.backend->sparse[CGS_F64]->release(bed.queue, &sent);
    }
    grid_free(&first);
    bed.backend->amg->known->release(bed.queue, &known);
    smmp_free(&a);
}

/* Keeps and renews with a memory that ends after some allocations; what is not kept stays the
 * grid's. */
TEST(out_of_memory)
{
    const struct cgs_amg_known_ops *ops = bed.backend->amg->known;
    struct smmp a = amg_path(100);
    enum cgs_status status = CGS_MEMORY;
    for (int nth = 1; status != CGS_OK; nth++) {
        struct grid g = grid_make(&a, 0.02, 0.6, NULL);
        struct cgs_amg_known known;
        struct cgs_sparse p = {0}, r = {0}, coarse = {0};
        bed.context.starve_in[CGS_HOST] = nth;
        status = keep(&g, 0.02, &known);
        ck_assert(g.p.lent == (status == CGS_OK));
        if (status == CGS_OK)
            status = ops->transfers(bed.queue, &known, &g.a, 0.6, &p, &r);
        if (status == CGS_OK)
            status = ops->coarse(bed.queue, &known, &g.a, &p, &r, &coarse);
        bed.context.starve_in[CGS_HOST] = 0;
        ck_assert(status == CGS_OK || status == CGS_MEMORY);
        ck_assert_int_lt(nth, 40);
        bed_forgive();
        bed.backend->sparse[CGS_F64]->release(bed.queue, &coarse);
        bed.backend->sparse[CGS_F64]->release(bed.queue, &r);
        bed.backend->sparse[CGS_F64]->release(bed.queue, &p);
        grid_free(&g);
        ops->release(bed.queue, &known);
    }
    smmp_free(&a);
}

int main(void)
{
    return bed_tests("grids in known patterns", 300);
}
