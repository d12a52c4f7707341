#include "matrix/market/market_block.h"

#include <string.h>

#include "base/memory.h"

enum cgs_status cgs_market_block_create(struct cgs_context *context, int64_t first, int64_t count,
                                        bool values, bool places, struct cgs_market_block **out)
{
    const int64_t each =
        (values ? (int64_t)sizeof(double) : 0) + (places ? 2 * (int64_t)sizeof(int32_t) : 0);
    const int64_t head = sizeof(struct cgs_market_block);
    struct cgs_market_block *block;
    int64_t bytes;
    /* A file may declare any number of entries. More than 64 bits count cannot be allocated. */
    if (__builtin_mul_overflow(count, each, &bytes) || bytes > INT64_MAX - head)
        bytes = INT64_MAX - head;
    CGS_TRY(cgs_alloc(context, head + bytes, 1, "entries of a file", (void **)&block));
    *block = (struct cgs_market_block){.first = first, .count = count};
    char *at = (char *)(block + 1);
    if (values) {
        block->value = (double *)at;
        at += count * (int64_t)sizeof(double);
    }
    if (places) {
        block->row = (int32_t *)at;
        block->column = block->row + count;
    }
    *out = block;
    return CGS_OK;
}

struct cgs_market_column cgs_market_column_of(const struct cgs_market *market, int64_t j)
{
    const int64_t n = market->rows;
    switch (market->symmetry) {
    case CGS_MARKET_SYMMETRIC:
        return (struct cgs_market_column){j, j * n - j * (j - 1) / 2};
    case CGS_MARKET_SKEW:
        return (struct cgs_market_column){j + 1, j * (n - 1) - j * (j - 1) / 2};
    case CGS_MARKET_GENERAL:
        break;
    }
    return (struct cgs_market_column){0, j * n};
}

static bool is_mine(const struct cgs_market_part *part, int64_t row)
{
    return part->cuts[part->rank] <= row && row < part->cuts[part->rank + 1];
}

/* Walks over the places of a block's entries, which in an array follow from their numbers. */
struct walk {
    const struct cgs_market *market;
    const struct cgs_market_block *block;
    int64_t k, column; /* the next entry; of an array its column, or one before it */
};

static struct walk walk_start(const struct cgs_market *market, const struct cgs_market_block *block)
{
    struct walk w = {.market = market, .block = block};
    int64_t high = block->row ? 0 : market->columns - 1;
    while (w.column < high) { /* last column that begins at or before the block */
        const int64_t middle = high - (high - w.column) / 2;
        if (cgs_market_column_of(market, middle).start <= block->first)
            w.column = middle;
        else
            high = middle - 1;
    }
    return w;
}

static bool walk_on(struct walk *w, int32_t *row, int32_t *column)
{
    const int64_t k = w->k++;
    if (k == w->block->count)
        return false;
    if (w->block->row) {
        *row = w->block->row[k];
        *column = w->block->column[k];
        return true;
    }
    const int64_t number = w->block->first + k;
    while (w->column + 1 < w->market->columns &&
           cgs_market_column_of(w->market, w->column + 1).start <= number)
        w->column++;
    const struct cgs_market_column of = cgs_market_column_of(w->market, w->column);
    *row = (int32_t)(of.first_row + number - of.start);
    *column = (int32_t)w->column;
    return true;
}

static bool is_mirrored(const struct cgs_market *market)
{
    return market->symmetry != CGS_MARKET_GENERAL;
}

int64_t cgs_market_part_count(const struct cgs_market_part *part, const struct cgs_market *market,
                              const struct cgs_market_block *block, int64_t *expanded)
{
    const bool mirrored = is_mirrored(market);
    struct walk walk = walk_start(market, block);
    int64_t count = 0;
    for (int32_t row, column; walk_on(&walk, &row, &column);) {
        const bool own = is_mine(part, row);
        const bool mirror = mirrored && row != column && is_mine(part, column);
        count += own || mirror;
        *expanded += own + mirror;
    }
    return count;
}

enum cgs_status cgs_market_part_keep(struct cgs_context *context, const struct cgs_market *market,
                                     const struct cgs_market_part *part, int64_t *kept,
                                     struct cgs_market_block **block)
{
    const struct cgs_market_block *old = *block;
    struct walk walk = walk_start(market, old);
    struct cgs_market_block *made;
    int64_t expanded = 0, to = 0;
    const int64_t count = cgs_market_part_count(part, market, old, &expanded);
    CGS_TRY(cgs_market_block_create(context, old->first, count, old->value != NULL, true, &made));
    for (int32_t row, column; walk_on(&walk, &row, &column);) {
        if (!is_mine(part, row) && !(is_mirrored(market) && is_mine(part, column)))
            continue;
        made->row[to] = row;
        made->column[to] = column;
        if (old->value)
            made->value[to] = old->value[walk.k - 1];
        to++;
    }
    cgs_free(context, *block);
    *block = made;
    *kept += expanded;
    return CGS_OK;
}
