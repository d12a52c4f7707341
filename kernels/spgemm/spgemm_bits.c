/* C = A B on the CPU, a row of C at a time (kernels/spgemm.h), for f64 and f32: the columns of a
 * row are bits, from which they are read in ascending order (row_bits.h), values are added by the
 * way that suits the row (row_sums.h).
 *
 *     count    structures alone: as many steps as B's rows have words of 64 columns (blocks.h)
 *     fill     structures again, then values
 *
 * or, where all products together are few, everything in count: rows stand in a buffer with room
 * for all their products, and fill copies them. Rows are handed out in parts of about as many
 * products each to threads that are free; no row knows which thread made it.
 */
#include "kernels/spgemm.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/precision.h"
#include "kernels/spgemm/blocks.h"
#include "kernels/spgemm/row_sums.h"

/* Parts that rows are handed out in, a thread. */
enum { PARTS = 16 };

/* Products an entry from which a row's sums are dense: then reading out and clearing is little. */
enum { DENSE_FROM = 3, DENSE_COLUMNS = 1 << 16 };

/* Products up to which rows are kept from count to fill. */
static const int64_t KEPT = INT64_C(1) << 22;

struct work {
    struct cgs_context *context;
    const struct cgs_sparse *a, *b;
    int64_t *products; /* rows + 1: products of the rows before */
    struct cgs_blocks blocks;
    int64_t words, summaries; /* of a row of bits, and of their own bits */
    uint64_t *bits;           /* threads x (words + summaries) */
    int32_t *touched;         /* threads x (words + 1) */
    int32_t *rank;            /* threads x words */
    int32_t *ordered;         /* threads x (columns of B + 3) */
    real *dense;              /* threads x columns of B */
    int32_t *column;          /* rows that are kept: a slot for each product */
    real *sum;
};

static bool keeps(int64_t products)
{
    return products <= KEPT;
}

static int64_t words_of(int64_t columns)
{
    return (columns + 63) / 64;
}

static void release(void *self)
{
    struct work *work = self;
    if (!work)
        return;
    struct cgs_context *context = work->context;
    cgs_free(context, work->sum);
    cgs_free(context, work->column);
    cgs_free(context, work->dense);
    cgs_free(context, work->ordered);
    cgs_free(context, work->rank);
    cgs_free(context, work->touched);
    cgs_free(context, work->bits);
    cgs_blocks_release(context, &work->blocks);
    cgs_free(context, work->products);
    cgs_free(context, work);
}

static void plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan)
{
    const int64_t words = words_of(size->columns), summaries = words_of(words);
    const int64_t entry = (int64_t)(sizeof(int32_t) + sizeof(real));
    const char *what = "rows' accumulators";
    cgs_plan_add(plan, CGS_HOST, "products of rows", size->rows + 1, sizeof(int64_t));
    cgs_blocks_plan(plan, size->inner, size->b);
    cgs_plan_add(plan, CGS_HOST, what, cgs_bytes(words + summaries, threads), sizeof(uint64_t));
    cgs_plan_add(plan, CGS_HOST, what, cgs_bytes(2 * words + 1, threads), sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, what, cgs_bytes(size->columns + 3, threads), entry);
    if (keeps(size->products))
        cgs_plan_add(plan, CGS_HOST, "rows of the product", size->products, entry);
}

static int64_t row_products(const struct work *work, int64_t row)
{
    const struct cgs_sparse *a = work->a, *b = work->b;
    int64_t products = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        products += b->pointers[a->column[e] + 1] - b->pointers[a->column[e]];
    return products;
}

static int64_t count_products(struct work *work, int64_t *longest)
{
    const int64_t rows = work->a->rows;
    int64_t *products = work->products, most = 0;
#pragma omp parallel for schedule(static) num_threads(work->context->threads) reduction(max : most)
    for (int64_t i = 0; i < rows; i++) {
        products[i + 1] = row_products(work, i);
        most = products[i + 1] > most ? products[i + 1] : most;
    }
    products[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        products[i + 1] += products[i];
    *longest = most;
    return products[rows];
}

static enum cgs_status make_rows(struct work *work)
{
    struct cgs_context *context = work->context;
    const int64_t threads = context->threads, columns = work->b->columns;
    const char *what = "rows' accumulators";
    CGS_TRY(cgs_alloc(context, cgs_bytes(work->words + work->summaries, threads),
                      sizeof *work->bits, what, (void **)&work->bits));
    CGS_TRY(cgs_alloc(context, cgs_bytes(work->words + 1, threads), sizeof *work->touched, what,
                      (void **)&work->touched));
    CGS_TRY(cgs_alloc(context, cgs_bytes(work->words, threads), sizeof *work->rank, what,
                      (void **)&work->rank));
    CGS_TRY(cgs_alloc(context, cgs_bytes(columns + 3, threads), sizeof *work->ordered, what,
                      (void **)&work->ordered));
    return cgs_alloc(context, cgs_bytes(columns, threads), sizeof *work->dense, what,
                     (void **)&work->dense);
}

static enum cgs_status make_kept(struct work *work, int64_t products)
{
    struct cgs_context *context = work->context;
    if (!keeps(products))
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, products, sizeof *work->column, "rows of the product",
                      (void **)&work->column));
    return cgs_alloc(context, products, sizeof *work->sum, "rows of the product",
                     (void **)&work->sum);
}

static enum cgs_status make(struct work *work, struct cgs_spgemm_size *size)
{
    struct cgs_context *context = work->context;
    CGS_TRY(cgs_alloc(context, work->a->rows + 1, sizeof *work->products, "products of rows",
                      (void **)&work->products));
    size->products = count_products(work, &size->longest);
    size->entries = size->products;
    if (size->products > 4 * work->b->nonzeros)
        CGS_TRY(cgs_blocks_create(context, work->b, &work->blocks));
    CGS_TRY(make_rows(work));
    return make_kept(work, size->products);
}

static enum cgs_status begin(struct cgs_queue *queue, const struct cgs_sparse *a,
                             const struct cgs_sparse *b, void **out, struct cgs_spgemm_size *size)
{
    struct work *work;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *work, "product of matrices", (void **)&work));
    *work = (struct work){.context = queue->context,
                          .a = a,
                          .b = b,
                          .words = words_of(b->columns),
                          .summaries = words_of(words_of(b->columns))};
    const enum cgs_status status = make(work, size);
    if (status != CGS_OK) {
        release(work);
        return status;
    }
    *out = work;
    return CGS_OK;
}

/* ---- rows ---- */

/* What a thread has of its own. */
struct own {
    struct row_bits row;
    int32_t *rank, *column; /* column: the row's, with room for 3 more */
    real *dense;
};

static struct own own_of(const struct work *work, int thread)
{
    uint64_t *bits = work->bits + thread * (work->words + work->summaries);
    return (struct own){{bits, bits + work->words, work->touched + thread * (work->words + 1)},
                        work->rank + thread * work->words,
                        work->ordered + thread * (work->b->columns + 3),
                        work->dense + thread * work->b->columns};
}

CGS_PIECE int64_t touch(const struct work *work, const struct own *own, int64_t i)
{
    return work->blocks.start ? touch_blocks(&own->row, work->a, &work->blocks, i)
                              : touch_columns(&own->row, work->a, work->b, i, sizeof(real));
}

/* A row of A that has one entry, or none: the row is a row of B. */
CGS_PIECE bool is_single(const struct work *work, int64_t i)
{
    return work->a->pointers[i + 1] - work->a->pointers[i] <= 1;
}

CGS_CLONES static void count_rows(const struct work *work, const struct own *own, int64_t first,
                                  int64_t last, int64_t *pointers)
{
    for (int64_t i = first; i < last; i++)
        pointers[i + 1] = is_single(work, i) ? work->products[i + 1] - work->products[i]
                                             : count_touched(&own->row, touch(work, own, i));
}

CGS_PIECE int64_t fill_row(const struct work *work, const struct own *own, int64_t i,
                           int32_t *column, real *sum)
{
    const int64_t products = work->products[i + 1] - work->products[i];
    if (products == 0)
        return 0;
    if (is_single(work, i))
        return scale_row(work->a, work->b, i, column, sum);
    if (products <= CGS_FEW_PRODUCTS)
        return sort_row(work->a, work->b, i, products, column, sum);
    const int64_t count = touch(work, own, i);
    order_touched(&own->row, work->words, count);
    const int64_t entries = read_columns(&own->row, count, own->rank, own->column);
    memcpy(column, own->column, (size_t)entries * sizeof *column);
    if (products >= DENSE_FROM * entries || work->b->columns <= DENSE_COLUMNS)
        add_densely(work->a, work->b, i, entries, own->column, own->dense, sum);
    else
        add_ranked(own->row.bits, own->rank, entries, work->a, work->b, i, sum);
    clear_touched(&own->row, count);
    return entries;
}

/* Into C. */
CGS_CLONES static void fill_rows(const struct work *work, const struct own *own, int64_t first,
                                 int64_t last, const struct cgs_sparse *c)
{
    for (int64_t i = first; i < last; i++)
        fill_row(work, own, i, c->column + c->pointers[i], (real *)c->value + c->pointers[i]);
}

/* Into the buffer. */
CGS_CLONES static void keep_rows(const struct work *work, const struct own *own, int64_t first,
                                 int64_t last, int64_t *pointers)
{
    for (int64_t i = first; i < last; i++)
        pointers[i + 1] =
            fill_row(work, own, i, work->column + work->products[i], work->sum + work->products[i]);
}

static void copy_rows(const struct work *work, int64_t first, int64_t last,
                      const struct cgs_sparse *c)
{
    real *sum = c->value;
    for (int64_t i = first; i < last; i++) {
        const int64_t to = c->pointers[i], from = work->products[i];
        const size_t entries = (size_t)(c->pointers[i + 1] - to);
        memcpy(c->column + to, work->column + from, entries * sizeof *c->column);
        memcpy(sum + to, work->sum + from, entries * sizeof *sum);
    }
}

/* ---- parts ---- */

/* The first row of part p: parts have about as many products and rows each. */
static int64_t part_begin(const struct work *work, int64_t p, int64_t parts)
{
    const int64_t rows = work->a->rows, all = work->products[rows] + rows;
    const int64_t wanted = all / parts * p + all % parts * p / parts;
    int64_t low = 0, high = rows;
    if (p == parts)
        return rows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (work->products[middle] + middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum cgs_status count(void *self, int64_t *pointers, int64_t *entries)
{
    const struct work *work = self;
    const int64_t rows = work->a->rows, parts = (int64_t)PARTS * work->context->threads;
#pragma omp parallel num_threads(work->context->threads)
    {
        const struct own own = own_of(work, omp_get_thread_num());
        memset(own.row.bits, 0, (size_t)(work->words + work->summaries) * sizeof *own.row.bits);
        memset(own.dense, 0, (size_t)work->b->columns * sizeof *own.dense);
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < parts; p++) {
            const int64_t first = part_begin(work, p, parts), last = part_begin(work, p + 1, parts);
            if (work->column)
                keep_rows(work, &own, first, last, pointers);
            else
                count_rows(work, &own, first, last, pointers);
        }
    }
    pointers[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        pointers[i + 1] += pointers[i];
    *entries = pointers[rows];
    return CGS_OK;
}

static enum cgs_status fill(void *self, struct cgs_sparse *c)
{
    const struct work *work = self;
    const int64_t parts = (int64_t)PARTS * work->context->threads;
#pragma omp parallel num_threads(work->context->threads)
    {
        const struct own own = own_of(work, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < parts; p++) {
            const int64_t first = part_begin(work, p, parts), last = part_begin(work, p + 1, parts);
            if (work->column)
                copy_rows(work, first, last, c);
            else
                fill_rows(work, &own, first, last, c);
        }
    }
    return CGS_OK;
}

CGS_TABLE(struct cgs_spgemm_kernel, cgs_cpu_spgemm_bits) = {
    .reproducible = true,
    .plan = plan,
    .begin = begin,
    .count = count,
    .fill = fill,
    .release = release,
};
