/* C = A B on the CPU, a row of C at a time (kernels/spgemm.h), for f64 and f32, columns ascending:
 *
 *     few          products: all compared with all (row_few.h)
 *     short rows   entries in order of occurrence (row_places.h), then sorted
 *     others       their columns are bits, read in ascending order (row_bits.h); values are added
 *                  by the method that suits the row (row_sums.h)
 *
 *     row alike    a shift of the previous row (alike.h): uses the places of its products
 *
 * If columns need not ascend (--sort=no) and B has few neighbouring columns (blocks.h), all rows
 * with more than few products stay in order of occurrence. Rows are computed once (row_parts.h); or
 * after counting their entries by bits (structure.h), if there is no room for C's upper bound or a
 * row is too long for a part.
 */
#include "kernels/spgemm.h"

#include <string.h>

#include "base/memory.h"
#include "kernels/spgemm/row_alike.h"
#include "kernels/spgemm/row_parts.h"
#include "kernels/spgemm/row_places.h"
#include "kernels/spgemm/row_sums.h"

/* Products an entry from which dense sums are used: then reading and clearing them costs little. */
enum { DENSE_FROM = 3, DENSE_COLUMNS = 1 << 16 };

/* Products an entry from which a long row of at most CGS_SHORT_ROW entries is met as a short one:
 * then a bit for each product costs more than sorting. */
enum { MEET_FROM = 4 };

/* Room after a row's entries that sorting may read or write. */
enum { BEHIND = CGS_LANES };

/* Data of a product. Arrays are NULL if no row needs them. */
struct work {
    struct cgs_structure structure;
    struct buffers buffers;
    bool as_met;       /* rows stay in order of occurrence */
    uint32_t *place;   /* threads x columns of B */
    int32_t *rank;     /* threads x words */
    int32_t *ordered;  /* threads x (columns of B + BEHIND) */
    real *dense;       /* threads x columns of B */
    uint16_t *pattern; /* threads x CGS_PATTERN_PRODUCTS: places of a row's products */
};

static void release(void *self)
{
    struct work *work = self;
    if (!work)
        return;
    struct cgs_context *context = work->structure.context;
    cgs_free(context, work->pattern);
    cgs_free(context, work->dense);
    cgs_free(context, work->ordered);
    cgs_free(context, work->rank);
    cgs_free(context, work->place);
    release_buffers(context, &work->buffers);
    cgs_structure_release(&work->structure);
    cgs_free(context, work);
}

static const char accumulators[] = "rows' accumulators";

static void plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan)
{
    const int64_t words = (size->columns + 63) / 64;
    cgs_structure_plan(size, threads, plan);
    plan_buffers(size, threads, plan);
    cgs_plan_add(plan, CGS_HOST, accumulators, cgs_bytes(words, threads), sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, accumulators, cgs_bytes(size->columns + BEHIND, threads),
                 (int64_t)(2 * sizeof(int32_t) + sizeof(real)));
    cgs_plan_add(plan, CGS_HOST, accumulators, cgs_bytes(CGS_PATTERN_PRODUCTS, threads),
                 sizeof(uint16_t));
}

/* Allocates the accumulators of long rows. */
static enum cgs_status make_accumulators(struct work *work)
{
    const struct cgs_structure *s = &work->structure;
    const int64_t columns = s->b->columns;
    CGS_TRY(cgs_alloc(s->context, cgs_bytes(s->words, s->threads), sizeof *work->rank, accumulators,
                      (void **)&work->rank));
    CGS_TRY(cgs_alloc(s->context, cgs_bytes(columns + BEHIND, s->threads), sizeof *work->ordered,
                      accumulators, (void **)&work->ordered));
    if (s->alike)
        CGS_TRY(cgs_alloc(s->context, cgs_bytes(CGS_PATTERN_PRODUCTS, s->threads),
                          sizeof *work->pattern, accumulators, (void **)&work->pattern));
    return cgs_alloc(s->context, cgs_bytes(columns, s->threads), sizeof *work->dense, accumulators,
                     (void **)&work->dense);
}

static enum cgs_status make(struct work *work, const struct cgs_sparse *a,
                            const struct cgs_sparse *b, struct cgs_spgemm_size *size)
{
    struct cgs_structure *s = &work->structure;
    struct cgs_context *context = s->context;
    CGS_TRY(cgs_structure_create(context, a, b, s, size));
    if (size->longest > CGS_LANES)
        CGS_TRY(cgs_structure_find_alike(s));
    const bool by_bits = s->alike || size->longest > CGS_SHORT_ROW;
    if (by_bits)
        CGS_TRY(cgs_structure_make_bits(s));
    work->as_met = size->unordered && !s->blocks.start && !s->alike;
    if (by_bits && !work->as_met)
        CGS_TRY(make_accumulators(work));
    return size->longest <= CGS_LANES
               ? CGS_OK
               : cgs_alloc(context, cgs_bytes(b->columns, s->threads), sizeof *work->place,
                           accumulators, (void **)&work->place);
}

/* ---- rows ---- */

/* Data of a thread. */
struct scratch {
    struct places places;
    struct row_bits row;
    int32_t *rank, *column; /* column: the row's, with room for BEHIND more */
    real *dense;
    int thread;
    bool cleared; /* bits and dense are 0 */
    bool meets;   /* the last long row had few entries: the next ones are met, then sorted */
    struct pattern pattern;
};

static struct scratch scratch_of(const struct work *work, int thread)
{
    const struct cgs_structure *s = &work->structure;
    const int64_t columns = s->b->columns;
    return (struct scratch){
        .places = {work->place + thread * columns, columns, 0},
        .row = cgs_structure_bits(s, thread),
        .rank = work->rank + thread * s->words,
        .column = work->ordered + thread * (columns + BEHIND),
        .dense = work->dense + thread * columns,
        .thread = thread,
        .pattern = {work->pattern + thread * (int64_t)CGS_PATTERN_PRODUCTS, 0, CGS_NO_ROW}};
}

static void clear_scratch(const struct cgs_structure *s, struct scratch *scratch)
{
    cgs_structure_clear(s, scratch->thread);
    memset(scratch->dense, 0, (size_t)s->b->columns * sizeof *scratch->dense);
    scratch->cleared = true;
}

CGS_PIECE int64_t make_short_row(const struct cgs_structure *s, struct scratch *scratch, int64_t i,
                                 int32_t *column, real *sum)
{
    int32_t met[CGS_SHORT_ROW + CGS_LANES];
    real number[CGS_SHORT_ROW];
    const int64_t entries = meet_row(s->a, s->b, i, &scratch->places, met, number);
    order_row(entries, met, number, column, sum);
    return entries;
}

/* Computes listed row k; `keeps` its pattern, since the next row is alike. */
CGS_PIECE int64_t make_long_row(const struct cgs_structure *s, struct scratch *scratch, int64_t k,
                                bool keeps, int32_t *column, real *sum)
{
    const int64_t i = s->list.row[k];
    if (!scratch->cleared)
        clear_scratch(s, scratch);
    const int64_t count = s->blocks.start
                              ? touch_blocks(&scratch->row, s->a, &s->blocks, i)
                              : touch_columns(&scratch->row, s->a, s->b, i, sizeof(real));
    order_touched(&scratch->row, s->words, count);
    const int64_t entries = read_columns(&scratch->row, count, scratch->rank, scratch->column);
    memcpy(column, scratch->column, (size_t)entries * sizeof *column);
    if (keeps)
        find_pattern(&scratch->pattern, scratch->row.bits, scratch->rank, s->a, s->b, i);
    scratch->pattern.row = keeps ? k : CGS_NO_ROW; /* scratch->column belongs to another row */
    scratch->pattern.entries = entries;
    scratch->meets = entries <= CGS_SHORT_ROW && products_of(s, k) >= MEET_FROM * entries;
    if (products_of(s, k) >= DENSE_FROM * entries || s->b->columns <= DENSE_COLUMNS)
        add_densely(s->a, s->b, i, entries, scratch->column, scratch->dense, sum);
    else
        add_ranked(scratch->row.bits, scratch->rank, entries, s->a, s->b, i, sum);
    clear_touched(&scratch->row, count);
    return entries;
}

/* Computes listed row k, long as it is, as a short one, or as a long one if it has too many
 * entries. */
CGS_PIECE int64_t make_met_row(const struct cgs_structure *s, struct scratch *scratch, int64_t k,
                               int32_t *column, real *sum)
{
    int32_t met[CGS_SHORT_ROW + CGS_LANES];
    real number[CGS_SHORT_ROW];
    const int64_t entries = meet_row(s->a, s->b, s->list.row[k], &scratch->places, column, sum);
    if (entries > CGS_SHORT_ROW)
        return make_long_row(s, scratch, k, false, column, sum);
    memcpy(met, column, (size_t)entries * sizeof *met);
    memcpy(number, sum, (size_t)entries * sizeof *number);
    order_row(entries, met, number, column, sum);
    return entries;
}

/* Computes listed row k from the pattern and columns of listed row k - 1, which it is like. */
CGS_PIECE int64_t make_alike_row(const struct cgs_structure *s, struct scratch *scratch, int64_t k,
                                 int32_t *restrict column, real *sum)
{
    const int64_t entries = scratch->pattern.entries;
    int32_t *restrict before = scratch->column;
    for (int64_t e = 0; e < entries; e++)
        column[e] = before[e] += 1;
    add_by_pattern(&scratch->pattern, s->a, s->b, s->list.row[k], sum);
    scratch->pattern.row = k;
    return entries;
}

/* Computes listed row k. */
CGS_PIECE int64_t make_row(const struct work *work, struct scratch *scratch, int64_t k,
                           int32_t *column, real *sum)
{
    const struct cgs_structure *s = &work->structure;
    const int64_t i = s->list.row[k], products = products_of(s, k);
    if (is_single(s, i))
        return scale_row(s->a, s->b, i, column, sum);
    if (products <= CGS_LANES)
        return make_row_of_few(s->a, s->b, i, column, sum);
    if (is_alike(s, i) && scratch->pattern.row == k - 1)
        return make_alike_row(s, scratch, k, column, sum);
    if (i + 1 < s->a->rows && is_alike(s, i + 1) && products <= CGS_PATTERN_PRODUCTS)
        return make_long_row(s, scratch, k, true, column, sum);
    if (work->as_met)
        return meet_row(s->a, s->b, i, &scratch->places, column, sum);
    if (products <= CGS_SHORT_ROW)
        return make_short_row(s, scratch, i, column, sum);
    return scratch->meets ? make_met_row(s, scratch, k, column, sum)
                          : make_long_row(s, scratch, k, false, column, sum);
}

#include "kernels/spgemm/row_stages.h"

CGS_TABLE(struct cgs_spgemm_kernel, cgs_cpu_spgemm_bits) = {
    .reproducible = true,
    .plan = plan,
    .begin = begin,
    .count = count,
    .make = make_all,
    .fill = fill,
    .release = release,
};
