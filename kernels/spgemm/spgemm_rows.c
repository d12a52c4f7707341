/* C = A B on the CPU, a row of C at a time (kernels/spgemm.h), for f64 and f32.
 *
 * A thread has a mark and a sum for every column of B. mark[j] = i says that row i has met column
 * j: nothing need be cleared between rows, and count and fill make the same columns in the same
 * order, the order in which they are met.
 *
 *     row i:  for k in row i of A:  for j in row k of B:  mark[j] != i ?  new entry j, sum a_ik
 * b_kj :  sum[j] += a_ik b_kj
 *
 * Rows are divided among the threads by their products.
 *
 * Source: F. G. Gustavson, ACM TOMS 4 (1978) 250-269.
 */
#include "kernels/spgemm.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/precision.h"

struct work {
    struct cgs_context *context;
    const struct cgs_sparse *a, *b;
    int64_t *products; /* rows + 1: products of the rows before */
    int32_t *mark;     /* threads x columns of B: the row that met the column last, -1 */
    real *sum;         /* threads x columns of B */
};

static void release(void *self)
{
    struct work *work = self;
    if (!work)
        return;
    struct cgs_context *context = work->context;
    cgs_free(context, work->sum);
    cgs_free(context, work->mark);
    cgs_free(context, work->products);
    cgs_free(context, work);
}

static void plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan)
{
    const int64_t each = (int64_t)(sizeof(int32_t) + sizeof(real));
    cgs_plan_add(plan, CGS_HOST, "products of rows", size->rows + 1, sizeof(int64_t));
    cgs_plan_add(plan, CGS_HOST, "rows' accumulators", cgs_bytes(size->columns, threads), each);
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

static enum cgs_status begin(struct cgs_queue *queue, const struct cgs_sparse *a,
                             const struct cgs_sparse *b, void **out, struct cgs_spgemm_size *size)
{
    struct cgs_context *context = queue->context;
    const int64_t slots = cgs_bytes(b->columns, context->threads);
    struct work *work;
    CGS_TRY(cgs_alloc(context, 1, sizeof *work, "product of matrices", (void **)&work));
    *work = (struct work){.context = context, .a = a, .b = b};
    enum cgs_status status = cgs_alloc(context, a->rows + 1, sizeof *work->products,
                                       "products of rows", (void **)&work->products);
    if (status == CGS_OK)
        status = cgs_alloc(context, slots, sizeof *work->mark, "rows' accumulators",
                           (void **)&work->mark);
    if (status == CGS_OK)
        status =
            cgs_alloc(context, slots, sizeof *work->sum, "rows' accumulators", (void **)&work->sum);
    if (status != CGS_OK) {
        release(work);
        return status;
    }
    size->products = count_products(work, &size->longest);
    size->entries = size->products;
    *out = work;
    return CGS_OK;
}

/* The first row of a thread's share of the products. */
static int64_t share_begin(const struct work *work, int thread, int threads)
{
    const int64_t rows = work->a->rows, all = work->products[rows] + rows;
    const int64_t wanted = all / threads * thread + all % threads * thread / threads;
    int64_t low = 0, high = rows;
    if (thread == threads)
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

static int64_t count_row(const struct work *work, int64_t row, int32_t *restrict mark)
{
    const struct cgs_sparse *a = work->a, *b = work->b;
    int64_t entries = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        for (int64_t f = b->pointers[a->column[e]]; f < b->pointers[a->column[e] + 1]; f++) {
            const int32_t j = b->column[f];
            entries += mark[j] != (int32_t)row;
            mark[j] = (int32_t)row;
        }
    return entries;
}

static enum cgs_status count(void *self, int64_t *pointers, int64_t *entries)
{
    const struct work *work = self;
    const int64_t rows = work->a->rows, columns = work->b->columns;
#pragma omp parallel num_threads(work->context->threads)
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        int32_t *mark = work->mark + thread * columns;
        const int64_t end = share_begin(work, thread + 1, threads);
        memset(mark, -1, (size_t)columns * sizeof *mark);
        for (int64_t i = share_begin(work, thread, threads); i < end; i++)
            pointers[i + 1] = count_row(work, i, mark);
    }
    pointers[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        pointers[i + 1] += pointers[i];
    *entries = pointers[rows];
    return CGS_OK;
}

static void fill_row(const struct work *work, int64_t row, int32_t *restrict mark,
                     real *restrict sum, int32_t *restrict column, real *restrict number)
{
    const struct cgs_sparse *a = work->a, *b = work->b;
    const real *from_a = a->value, *from_b = b->value;
    int64_t entries = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        for (int64_t f = b->pointers[a->column[e]]; f < b->pointers[a->column[e] + 1]; f++) {
            const int32_t j = b->column[f];
            const real product = from_a[e] * from_b[f];
            if (mark[j] == (int32_t)row) {
                sum[j] += product;
            } else {
                mark[j] = (int32_t)row;
                sum[j] = product;
                column[entries++] = j;
            }
        }
    for (int64_t e = 0; e < entries; e++)
        number[e] = sum[column[e]];
}

static enum cgs_status fill(void *self, struct cgs_sparse *c)
{
    const struct work *work = self;
    const int64_t columns = work->b->columns;
    real *number = c->value;
#pragma omp parallel num_threads(work->context->threads)
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        int32_t *mark = work->mark + thread * columns;
        const int64_t end = share_begin(work, thread + 1, threads);
        memset(mark, -1, (size_t)columns * sizeof *mark);
        for (int64_t i = share_begin(work, thread, threads); i < end; i++)
            fill_row(work, i, mark, work->sum + thread * columns, c->column + c->pointers[i],
                     number + c->pointers[i]);
    }
    return CGS_OK;
}

enum { SHORT = 48 }; /* entries of a row that insertion sorts faster than a heap */

static void swap(int32_t *column, real *number, int64_t e, int64_t f)
{
    const int32_t j = column[e];
    const real v = number[e];
    column[e] = column[f];
    number[e] = number[f];
    column[f] = j;
    number[f] = v;
}

/* Lets entry e sink in a heap of `entries`, the largest column on top. */
static void sink(int64_t e, int64_t entries, int32_t *column, real *number)
{
    for (int64_t child = 2 * e + 1; child < entries; child = 2 * e + 1) {
        if (child + 1 < entries && column[child + 1] > column[child])
            child++;
        if (column[child] <= column[e])
            return;
        swap(column, number, e, child);
        e = child;
    }
}

static void sort_heap(int64_t entries, int32_t *column, real *number)
{
    for (int64_t e = entries / 2 - 1; e >= 0; e--)
        sink(e, entries, column, number);
    for (int64_t last = entries - 1; last > 0; last--) {
        swap(column, number, 0, last);
        sink(0, last, column, number);
    }
}

static void sort_insert(int64_t entries, int32_t *column, real *number)
{
    for (int64_t e = 1; e < entries; e++)
        for (int64_t at = e; at > 0 && column[at - 1] > column[at]; at--)
            swap(column, number, at - 1, at);
}

/* In place: columns of a row differ, so that stability is no question. */
static void sort_row(int64_t entries, int32_t *column, real *number)
{
    if (entries <= SHORT)
        sort_insert(entries, column, number);
    else
        sort_heap(entries, column, number);
}

static enum cgs_status sort(void *self, struct cgs_sparse *c)
{
    const struct work *work = self;
    real *number = c->value;
#pragma omp parallel for schedule(dynamic, 64) num_threads(work->context->threads)
    for (int64_t i = 0; i < c->rows; i++)
        sort_row(c->pointers[i + 1] - c->pointers[i], c->column + c->pointers[i],
                 number + c->pointers[i]);
    return CGS_OK;
}

CGS_TABLE(struct cgs_spgemm_kernel, cgs_cpu_spgemm_rows) = {
    .reproducible = true,
    .plan = plan,
    .begin = begin,
    .count = count,
    .fill = fill,
    .sort = sort,
    .release = release,
};
