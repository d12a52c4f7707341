#include "src/spgemm/multiply_check.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/io/interrupt.h"

struct cgs_multiply_check {
    const struct cgs_multiply *m;
    int32_t *mark; /* threads x columns: last row with that column, or -2 - row once found in C */
    double *sum, *bound;   /* threads x columns: accumulators of the current row */
    double *x;             /* columns */
    double *bx, *bound_bx; /* rows of B: B x, |B| |x| */
    int64_t longest_b;     /* entries of B's longest row */
};

void cgs_multiply_check_plan(const struct cgs_multiply *m, struct cgs_plan *plan)
{
    const int64_t slots = cgs_bytes(m->size.columns, m->context->threads);
    cgs_plan_add(plan, CGS_HOST, "accumulators of the check", slots,
                 sizeof(int32_t) + 2 * sizeof(double));
    cgs_plan_add(plan, CGS_HOST, "vectors of the check", m->size.columns + 2 * m->size.inner,
                 sizeof(double));
}

void cgs_multiply_check_release(struct cgs_multiply_check *check)
{
    if (!check)
        return;
    struct cgs_context *context = check->m->context;
    cgs_free(context, check->mark);
    cgs_free(context, check->sum);
    cgs_free(context, check->bound);
    cgs_free(context, check->x);
    cgs_free(context, check->bx);
    cgs_free(context, check->bound_bx);
    cgs_free(context, check);
}

/* ---- counting ---- */

static int64_t count_row(const struct cgs_multiply *m, int64_t row, int32_t *restrict mark,
                         int64_t *products)
{
    const struct cgs_crs *a = m->a->crs, *b = m->b->crs;
    int64_t entries = 0, all = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int64_t begin = b->pointers[a->column[e]], end = b->pointers[a->column[e] + 1];
        all += end - begin;
        for (int64_t f = begin; f < end; f++) {
            entries += mark[b->column[f]] != (int32_t)row;
            mark[b->column[f]] = (int32_t)row;
        }
    }
    *products = all;
    return entries;
}

static void count_rows(struct cgs_multiply *m, struct cgs_multiply_check *check)
{
    const int64_t rows = m->size.rows, columns = m->size.columns;
    int64_t longest = 0;
#pragma omp parallel num_threads(m->context->threads) reduction(max : longest)
    {
        int32_t *mark = check->mark + omp_get_thread_num() * columns;
        memset(mark, -1, (size_t)columns * sizeof *mark);
#pragma omp for schedule(dynamic, 256)
        for (int64_t i = 0; i < rows; i++) {
            m->entries[i + 1] = count_row(m, i, mark, &m->products[i + 1]);
            longest = m->products[i + 1] > longest ? m->products[i + 1] : longest;
        }
    }
    m->products[0] = m->entries[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        m->products[i + 1] += m->products[i];
        m->entries[i + 1] += m->entries[i];
    }
    m->size.products = m->products[rows];
    m->size.entries = m->entries[rows];
    m->size.longest = longest;
}

/* Computes x, B x and |B| |x|. */
static void project(const struct cgs_multiply *m, struct cgs_multiply_check *check)
{
    const struct cgs_crs *b = m->b->crs;
    int64_t longest = 0;
    for (int64_t j = 0; j < m->size.columns; j++)
        check->x[j] = cgs_random((uint64_t)j);
#pragma omp parallel for schedule(static) num_threads(m->context->threads) reduction(max : longest)
    for (int64_t k = 0; k < b->rows; k++) {
        double sum = 0.0, bound = 0.0;
        for (int64_t f = b->pointers[k]; f < b->pointers[k + 1]; f++) {
            const double product = cgs_rounded(m->number, b->value[f]) * check->x[b->column[f]];
            sum += product;
            bound += fabs(product);
        }
        check->bx[k] = sum;
        check->bound_bx[k] = bound;
        longest = b->pointers[k + 1] - b->pointers[k] > longest
                      ? b->pointers[k + 1] - b->pointers[k]
                      : longest;
    }
    check->longest_b = longest;
}

static enum cgs_status alloc(struct cgs_multiply *m, struct cgs_multiply_check *check)
{
    static const char what[] = "check of the product";
    struct cgs_context *context = m->context;
    const int64_t slots = cgs_bytes(m->size.columns, context->threads);
    CGS_TRY(cgs_alloc(context, slots, sizeof *check->mark, what, (void **)&check->mark));
    CGS_TRY(cgs_alloc(context, slots, sizeof *check->sum, what, (void **)&check->sum));
    CGS_TRY(cgs_alloc(context, slots, sizeof *check->bound, what, (void **)&check->bound));
    CGS_TRY(cgs_alloc(context, m->size.columns, sizeof *check->x, what, (void **)&check->x));
    CGS_TRY(cgs_alloc(context, m->size.inner, sizeof *check->bx, what, (void **)&check->bx));
    CGS_TRY(cgs_alloc(context, m->size.inner, sizeof *check->bound_bx, what,
                      (void **)&check->bound_bx));
    CGS_TRY(cgs_alloc(context, m->size.rows + 1, sizeof *m->products, "products of rows",
                      (void **)&m->products));
    return cgs_alloc(context, m->size.rows + 1, sizeof *m->entries, "entries of rows",
                     (void **)&m->entries);
}

enum cgs_status cgs_multiply_check_create(struct cgs_multiply *m, struct cgs_multiply_check **out)
{
    struct cgs_multiply_check *check;
    CGS_TRY(cgs_alloc(m->context, 1, sizeof *check, "check of the product", (void **)&check));
    *check = (struct cgs_multiply_check){.m = m};
    const enum cgs_status status = alloc(m, check);
    if (status != CGS_OK) {
        cgs_multiply_check_release(check);
        return status;
    }
    count_rows(m, check);
    project(m, check);
    *out = check;
    return CGS_OK;
}

/* ---- checking ---- */

/* A thread's accumulators and findings. */
struct bench {
    const struct cgs_multiply_check *check;
    int32_t *restrict mark;
    double *restrict sum, *restrict bound;
    double eps, tiny, most;
    bool sorted;
    struct cgs_multiply_verdict found;
};

static struct bench set_up(const struct cgs_multiply_check *check, bool sorted)
{
    const int64_t at = omp_get_thread_num() * check->m->size.columns;
    const bool single = check->m->number == CGS_F32;
    return (struct bench){.check = check,
                          .mark = check->mark + at,
                          .sum = check->sum + at,
                          .bound = check->bound + at,
                          .eps = single ? FLT_EPSILON : DBL_EPSILON,
                          .tiny = single ? FLT_TRUE_MIN : DBL_TRUE_MIN,
                          .most = single ? FLT_MAX : DBL_MAX,
                          .sorted = sorted,
                          .found = {.wrong_row = -1}};
}

/* Recomputes a row of C into mark, sum and bound. */
static void compute_row(const struct bench *t, int64_t row)
{
    const struct cgs_multiply *m = t->check->m;
    const struct cgs_crs *a = m->a->crs, *b = m->b->crs;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const double factor = cgs_rounded(m->number, a->value[e]);
        const int64_t k = a->column[e];
        for (int64_t f = b->pointers[k]; f < b->pointers[k + 1]; f++) {
            const int32_t j = b->column[f];
            const double product = factor * cgs_rounded(m->number, b->value[f]);
            const bool met = t->mark[j] == (int32_t)row;
            t->mark[j] = (int32_t)row;
            t->sum[j] = met ? t->sum[j] + product : product;
            t->bound[j] = met ? t->bound[j] + fabs(product) : fabs(product);
        }
    }
}

/* Returns |error| / bound, at most 1 if right; infinite for NaN. */
static double relate(const struct bench *t, double error, double bound, double factor)
{
    if (!(bound <= t->most))
        return 0.0; /* the bound overflows */
    const double share = fabs(error) / (factor * (t->eps * bound + t->tiny));
    return isnan(share) ? INFINITY : share;
}

/* Checks the entries of a row: returns false with the first fault in reason, or true with C x of
 * that row in *projection. at: the row's index in the slab. */
static bool check_row(struct bench *t, int64_t row, const struct cgs_crs *c, int64_t at,
                      char *reason, size_t size, double *projection)
{
    const struct cgs_multiply *m = t->check->m;
    const int64_t *of_a = m->a->crs->pointers;
    const double factor = (double)(of_a[row + 1] - of_a[row]) + 2.0;
    const int64_t right = m->entries[row + 1] - m->entries[row];
    const int64_t begin = c->pointers[at], end = c->pointers[at + 1];
    if (end - begin != right)
        return snprintf(reason, size, "%lld entries instead of %lld", (long long)(end - begin),
                        (long long)right),
               false;
    compute_row(t, row);
    *projection = 0.0;
    for (int64_t e = begin; e < end; e++) {
        const int32_t j = c->column[e];
        if (j < 0 || j >= m->size.columns)
            return snprintf(reason, size, "column %lld, outside the matrix", (long long)j), false;
        if (t->mark[j] != (int32_t)row)
            return snprintf(reason, size, "column %lld %s", (long long)j + 1,
                            t->mark[j] == -2 - (int32_t)row ? "stands there twice"
                                                        : "does not belong there"),
                   false;
        if (t->sorted && e > begin && c->column[e - 1] > j)
            return snprintf(reason, size, "columns do not ascend"), false;
        t->mark[j] = -2 - (int32_t)row;
        *projection += c->value[e] * t->check->x[j];
        const double share = relate(t, c->value[e] - t->sum[j], t->bound[j], factor);
        t->found.worst_error = fmax(t->found.worst_error, share);
        if (share > 1.0)
            return snprintf(reason, size, "column %lld is %.9g instead of %.9g", (long long)j + 1,
                            c->value[e], t->sum[j]),
                   false;
    }
    return true;
}

/* Compares C x with A (B x) in one row. */
static bool check_projection(struct bench *t, int64_t row, double projection, char *reason,
                             size_t size)
{
    const struct cgs_multiply *m = t->check->m;
    const struct cgs_crs *a = m->a->crs;
    double sum = 0.0, bound = 0.0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const double factor = cgs_rounded(m->number, a->value[e]);
        sum += factor * t->check->bx[a->column[e]];
        bound += fabs(factor) * t->check->bound_bx[a->column[e]];
    }
    const int64_t entries = m->entries[row + 1] - m->entries[row];
    const double k =
        (double)(a->pointers[row + 1] - a->pointers[row] + t->check->longest_b + entries + 4);
    const double share = relate(t, projection - sum, bound, k);
    t->found.projected = fmax(t->found.projected, share);
    if (share <= 1.0)
        return true;
    snprintf(reason, size, "C x is %.9g, but A (B x) %.9g, x random", projection, sum);
    return false;
}

static void take(struct cgs_multiply_verdict *into, const struct cgs_multiply_verdict *found)
{
    into->worst_error = fmax(into->worst_error, found->worst_error);
    into->projected = fmax(into->projected, found->projected);
    if (found->wrong_row < 0 || (into->wrong_row >= 0 && into->wrong_row <= found->wrong_row))
        return;
    into->wrong_row = found->wrong_row;
    memcpy(into->reason, found->reason, sizeof into->reason);
}

void cgs_multiply_check_rows(struct cgs_multiply_check *check, int64_t first,
                             const struct cgs_crs *c, bool sorted,
                             struct cgs_multiply_verdict *verdict)
{
    const struct cgs_multiply *m = check->m;
#pragma omp parallel num_threads(m->context->threads)
    {
        struct bench t = set_up(check, sorted);
        memset(t.mark, -1, (size_t)m->size.columns * sizeof *t.mark);
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < c->rows; i++) {
            char reason[sizeof verdict->reason];
            double projection;
            if (cgs_interrupted() ||
                (check_row(&t, first + i, c, i, reason, sizeof reason, &projection) &&
                 check_projection(&t, first + i, projection, reason, sizeof reason)))
                continue;
            if (t.found.wrong_row >= 0 && t.found.wrong_row < first + i)
                continue;
            t.found.wrong_row = first + i;
            memcpy(t.found.reason, reason, sizeof reason);
        }
#pragma omp critical
        take(verdict, &t.found);
    }
}
