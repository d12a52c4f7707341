#include "kernels/spgemm/structure.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"

/* Parts per thread if there are several threads; more if parts would be too long. */
enum { PARTS = 16 };

/* Products, rows and entries of A below which one thread is faster than two. */
static const int64_t FEW = INT64_C(1) << 17;

static int64_t words_of(int64_t columns)
{
    return (columns + 63) / 64;
}

/* Number of parts for several threads. */
static int64_t parts_of(const struct cgs_spgemm_size *size, int64_t threads)
{
    const int64_t parts = (size->products + size->rows) / CGS_PART_PRODUCTS + 1;
    return parts > PARTS * threads ? parts : PARTS * threads;
}

void cgs_structure_plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan)
{
    const int64_t words = words_of(size->columns), summaries = words_of(words);
    const char *what = "rows' bits";
    cgs_row_list_plan(plan, size->rows);
    cgs_alike_plan(plan, size->rows, size->inner);
    cgs_blocks_plan(plan, size->inner, size->b);
    cgs_plan_add(plan, CGS_HOST, what, cgs_bytes(words + summaries, threads), sizeof(uint64_t));
    cgs_plan_add(plan, CGS_HOST, what, cgs_bytes(words + 1, threads), sizeof(int32_t));
}

void cgs_structure_release(struct cgs_structure *s)
{
    cgs_free(s->context, s->touched);
    cgs_free(s->context, s->bits);
    cgs_blocks_release(s->context, &s->blocks);
    cgs_free(s->context, s->alike);
    cgs_row_list_release(s->context, &s->list);
}

enum cgs_status cgs_structure_create(struct cgs_context *context, const struct cgs_sparse *a,
                                     const struct cgs_sparse *b, struct cgs_structure *s,
                                     struct cgs_spgemm_size *size)
{
    const int64_t words = words_of(b->columns), reads = a->rows + a->nonzeros;
    *s = (struct cgs_structure){
        .context = context, .a = a, .b = b, .words = words, .summaries = words_of(words)};
    CGS_TRY(cgs_row_list_create(context, a, b, reads < FEW ? 1 : context->threads, &s->list));
    size->products = s->list.products[s->list.count];
    size->entries = s->list.entries;
    size->longest = s->list.longest;
    s->threads = size->products + reads < FEW ? 1 : context->threads;
    size->at_once = s->threads == 1 || size->longest <= CGS_PART_PRODUCTS;
    s->parts = s->threads == 1 ? 1 : parts_of(size, s->threads);
    return CGS_OK;
}

/* Returns true if rows of B are used by many products, so that analysing its structure costs
 * little. */
static bool pays(const struct cgs_structure *s)
{
    return s->list.products[s->list.count] > 4 * s->b->nonzeros;
}

enum cgs_status cgs_structure_find_alike(struct cgs_structure *s)
{
    return pays(s) ? cgs_alike_create(s->context, s->threads, s->a, s->b, &s->alike) : CGS_OK;
}

enum cgs_status cgs_structure_make_bits(struct cgs_structure *s)
{
    const char *what = "rows' bits";
    if (s->touched)
        return CGS_OK;
    if (pays(s))
        CGS_TRY(cgs_blocks_create(s->context, s->b, &s->blocks));
    CGS_TRY(cgs_alloc(s->context, cgs_bytes(s->words + s->summaries, s->threads), sizeof *s->bits,
                      what, (void **)&s->bits));
    return cgs_alloc(s->context, cgs_bytes(s->words + 1, s->threads), sizeof *s->touched, what,
                     (void **)&s->touched);
}

/* ---- parts ---- */

/* The first listed row of part p. */
static int64_t first_of(const struct cgs_structure *s, int64_t p)
{
    const struct cgs_row_list *list = &s->list;
    const int64_t parts = s->parts, all = list->products[list->count] + list->count;
    const int64_t wanted = all / parts * p + all % parts * p / parts;
    int64_t low = 0, high = list->count;
    if (p == parts)
        return list->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list->products[middle] + middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cgs_part cgs_structure_part(const struct cgs_structure *s, int64_t p)
{
    const int64_t first = first_of(s, p), last = first_of(s, p + 1), rows = s->a->rows;
    const int64_t begin = first < s->list.count ? s->list.row[first] : rows;
    const int64_t end = last < s->list.count ? s->list.row[last] : rows;
    return (struct cgs_part){first, last, p == 0 ? 0 : begin, end};
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

CGS_PIECE int64_t count_row(const struct cgs_structure *s, const struct row_bits *row, int64_t i)
{
    const int64_t words = s->blocks.start ? touch_blocks(row, s->a, &s->blocks, i)
                                          : touch_columns(row, s->a, s->b, i, 0);
    return count_touched(row, words);
}

CGS_CLONES static void count_rows(const struct cgs_structure *s, const struct row_bits *row,
                                  const struct cgs_part *part, int64_t *pointers)
{
    int64_t entries = 0, length = 0, at = part->begin;
    for (int64_t k = part->first; k < part->last; k++) {
        const int64_t i = s->list.row[k];
        at = pass_rows(at, i, part->end, entries, pointers);
        if (is_single(s, i))
            length = products_of(s, k);
        else if (k == part->first || !is_alike(s, i))
            length = count_row(s, row, i);
        entries += length;
        pointers[++at] = entries;
    }
    pass_rows(at, part->end, part->end, entries, pointers);
}

/* Converts entries up to row i within its part to entries of all rows up to i. Returns the
 * total. */
static int64_t add_up(const struct cgs_structure *s, int64_t *pointers)
{
    int64_t entries = 0;
    pointers[0] = 0;
    for (int64_t p = 0; p < s->parts; p++) {
        const struct cgs_part part = cgs_structure_part(s, p);
        if (part.begin == part.end)
            continue;
        pointers[part.end] += entries;
        entries = pointers[part.end];
    }
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (int64_t p = 1; p < s->parts; p++) {
        const struct cgs_part part = cgs_structure_part(s, p);
        for (int64_t i = part.begin + 1; i < part.end; i++)
            pointers[i] += pointers[part.begin];
    }
    return entries;
}

int64_t cgs_structure_count(const struct cgs_structure *s, int64_t *pointers)
{
#pragma omp parallel num_threads(s->threads)
    {
        const struct row_bits row = cgs_structure_bits(s, omp_get_thread_num());
        cgs_structure_clear(s, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < s->parts; p++) {
            const struct cgs_part part = cgs_structure_part(s, p);
            count_rows(s, &row, &part, pointers);
        }
    }
    return add_up(s, pointers);
}
