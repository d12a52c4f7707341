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

/* Sets the places of an array's entries. */
static void place_entries(const struct cgs_market *market, struct cgs_market_block *block)
{
    int64_t low = 0, high = market->columns - 1;
    while (low < high) { /* last column that begins at or before the block */
        const int64_t middle = high - (high - low) / 2;
        if (cgs_market_column_of(market, middle).start <= block->first)
            low = middle;
        else
            high = middle - 1;
    }
    for (int64_t k = 0; k < block->count; k++) {
        while (low + 1 < market->columns &&
               cgs_market_column_of(market, low + 1).start <= block->first + k)
            low++;
        const struct cgs_market_column column = cgs_market_column_of(market, low);
        block->row[k] = (int32_t)(column.first_row + block->first + k - column.start);
        block->column[k] = (int32_t)low;
    }
}

int64_t cgs_market_part_count(const struct cgs_market_part *part, bool mirrored,
                              const struct cgs_market_block *block, int64_t *expanded)
{
    int64_t count = 0;
    for (int64_t k = 0; k < block->count; k++) {
        const bool own = is_mine(part, block->row[k]);
        const bool mirror =
            mirrored && block->row[k] != block->column[k] && is_mine(part, block->column[k]);
        count += own || mirror;
        *expanded += own + mirror;
    }
    return count;
}

/* Returns the block's copy with places, for an array. */
static enum cgs_status with_places(struct cgs_context *context, const struct cgs_market *market,
                                   struct cgs_market_block **block)
{
    const struct cgs_market_block *old = *block;
    struct cgs_market_block *made;
    CGS_TRY(cgs_market_block_create(context, old->first, old->count, true, true, &made));
    memcpy(made->value, old->value, (size_t)old->count * sizeof *old->value);
    place_entries(market, made);
    cgs_free(context, *block);
    *block = made;
    return CGS_OK;
}

enum cgs_status cgs_market_part_keep(struct cgs_context *context, const struct cgs_market *market,
                                     const struct cgs_market_part *part, int64_t *kept,
                                     struct cgs_market_block **block)
{
    const bool mirrored = market->symmetry != CGS_MARKET_GENERAL;
    struct cgs_market_block *made;
    int64_t expanded = 0, to = 0;
    if (market->array)
        CGS_TRY(with_places(context, market, block));
    const struct cgs_market_block *old = *block;
    const int64_t count = cgs_market_part_count(part, mirrored, old, &expanded);
    CGS_TRY(cgs_market_block_create(context, old->first, count, old->value != NULL, true, &made));
    for (int64_t k = 0; k < old->count; k++) {
        if (!is_mine(part, old->row[k]) && !(mirrored && is_mine(part, old->column[k])))
            continue;
        made->row[to] = old->row[k];
        made->column[to] = old->column[k];
        if (old->value)
            made->value[to] = old->value[k];
        to++;
    }
    cgs_free(context, *block);
    *block = made;
    *kept += expanded;
    return CGS_OK;
}
