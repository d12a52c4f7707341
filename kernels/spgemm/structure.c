#include "kernels/spgemm/structure.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"

/* Parts a thread, where there are several threads. */
enum { PARTS = 16 };

/* Products, rows and entries of A below which one thread is faster than two. */
static const int64_t FEW = INT64_C(1) << 16;

static int64_t words_of(int64_t columns)
{
    return (columns + 63) / 64;
}

void cgs_structure_plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan)
{
    const int64_t words = words_of(size->columns), summaries = words_of(words);
    const char *what = "rows' bits";
    cgs_plan_add(plan, CGS_HOST, "products of rows", size->rows + 1, sizeof(int64_t));
    cgs_plan_add(plan, CGS_HOST, "products of rows", (int64_t)PARTS * threads + 1, sizeof(int64_t));
    cgs_blocks_plan(plan, size->inner, size->b);
    cgs_plan_add(plan, CGS_HOST, what, cgs_bytes(words + summaries, threads), sizeof(uint64_t));
    cgs_plan_add(plan, CGS_HOST, what, cgs_bytes(words + 1, threads), sizeof(int32_t));
}

void cgs_structure_release(struct cgs_structure *s)
{
    cgs_free(s->context, s->touched);
    cgs_free(s->context, s->bits);
    cgs_blocks_release(s->context, &s->blocks);
    cgs_free(s->context, s->before);
    cgs_free(s->context, s->products);
}

/* ---- products and parts ---- */

static int64_t row_products(const struct cgs_structure *s, int64_t row)
{
    const struct cgs_sparse *a = s->a, *b = s->b;
    int64_t products = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        products += b->pointers[a->column[e] + 1] - b->pointers[a->column[e]];
    return products;
}

static int64_t count_products(struct cgs_structure *s, int threads, int64_t *longest)
{
    const int64_t rows = s->a->rows;
    int64_t *products = s->products, most = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : most)
    for (int64_t i = 0; i < rows; i++) {
        products[i + 1] = row_products(s, i);
        most = products[i + 1] > most ? products[i + 1] : most;
    }
    products[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        products[i + 1] += products[i];
    *longest = most;
    return products[rows];
}

static enum cgs_status make(struct cgs_structure *s, struct cgs_spgemm_size *size)
{
    struct cgs_context *context = s->context;
    const int64_t reads = s->a->rows + s->a->nonzeros;
    const char *what = "rows' bits";
    CGS_TRY(cgs_alloc(context, s->a->rows + 1, sizeof *s->products, "products of rows",
                      (void **)&s->products));
    size->products = count_products(s, reads < FEW ? 1 : context->threads, &size->longest);
    size->entries = size->products;
    s->threads = size->products + reads < FEW ? 1 : context->threads;
    s->parts = s->threads == 1 ? 1 : (int64_t)PARTS * s->threads;
    CGS_TRY(cgs_alloc(context, s->parts + 1, sizeof *s->before, "products of rows",
                      (void **)&s->before));
    if (size->products > 4 * s->b->nonzeros)
        CGS_TRY(cgs_blocks_create(context, s->b, &s->blocks));
    CGS_TRY(cgs_alloc(context, cgs_bytes(s->words + s->summaries, s->threads), sizeof *s->bits,
                      what, (void **)&s->bits));
    return cgs_alloc(context, cgs_bytes(s->words + 1, s->threads), sizeof *s->touched, what,
                     (void **)&s->touched);
}

enum cgs_status cgs_structure_create(struct cgs_context *context, const struct cgs_sparse *a,
                                     const struct cgs_sparse *b, struct cgs_structure *s,
                                     struct cgs_spgemm_size *size)
{
    const int64_t words = words_of(b->columns);
    *s = (struct cgs_structure){
        .context = context, .a = a, .b = b, .words = words, .summaries = words_of(words)};
    return make(s, size);
}

int64_t cgs_structure_first(const struct cgs_structure *s, int64_t p)
{
    const int64_t rows = s->a->rows, parts = s->parts, all = s->products[rows] + rows;
    const int64_t wanted = all / parts * p + all % parts * p / parts;
    int64_t low = 0, high = rows;
    if (p == parts)
        return rows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->products[middle] + middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- entries ---- */

struct row_bits cgs_structure_bits(const struct cgs_structure *s, int thread)
{
    uint64_t *bits = s->bits + thread * (s->words + s->summaries);
    return (struct row_bits){bits, bits + s->words, s->touched + thread * (s->words + 1)};
}

void cgs_structure_clear(const struct cgs_structure *s, int thread)
{
    const int64_t each = s->words + s->summaries;
    memset(s->bits + thread * each, 0, (size_t)each * sizeof *s->bits);
}

CGS_CLONES static void count_rows(const struct cgs_structure *s, const struct row_bits *row,
                                  int64_t first, int64_t last, int64_t *pointers)
{
    int64_t entries = 0;
    for (int64_t i = first; i < last; i++) {
        if (is_single(s, i))
            entries += s->products[i + 1] - s->products[i];
        else if (s->blocks.start)
            entries += count_touched(row, touch_blocks(row, s->a, &s->blocks, i));
        else
            entries += count_touched(row, touch_columns(row, s->a, s->b, i, 0));
        pointers[i + 1] = entries;
    }
}

int64_t cgs_structure_count(const struct cgs_structure *s, int64_t *pointers)
{
#pragma omp parallel num_threads(s->threads)
    {
        const struct row_bits row = cgs_structure_bits(s, omp_get_thread_num());
        cgs_structure_clear(s, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < s->parts; p++)
            count_rows(s, &row, cgs_structure_first(s, p), cgs_structure_first(s, p + 1), pointers);
    }
    return cgs_structure_close(s, pointers);
}

int64_t cgs_structure_close(const struct cgs_structure *s, int64_t *pointers)
{
    int64_t entries = 0;
    for (int64_t p = 0; p < s->parts; p++) {
        const int64_t first = cgs_structure_first(s, p), last = cgs_structure_first(s, p + 1);
        s->before[p] = entries;
        entries += last > first ? pointers[last] : 0;
    }
    pointers[0] = 0;
    if (s->parts == 1)
        return entries;
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (int64_t p = 1; p < s->parts; p++) {
        const int64_t last = cgs_structure_first(s, p + 1);
        for (int64_t i = cgs_structure_first(s, p); i < last; i++)
            pointers[i + 1] += s->before[p];
    }
    return entries;
}
