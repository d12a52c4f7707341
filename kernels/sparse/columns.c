#include "kernels/sparse/columns.h"

#include <string.h>

#include "base/memory.h"

enum { BITS = 64 };

/* Sets the range of the columns: none, where there is no column. */
static void find_range(struct cgs_context *context, const int32_t *column, int64_t entries,
                       struct cgs_columns *columns)
{
    int32_t least = INT32_MAX, most = -1;
#pragma omp parallel for schedule(static) num_threads(context->threads) reduction(min : least)     \
    reduction(max : most)
    for (int64_t e = 0; e < entries; e++) {
        least = column[e] >= 0 && column[e] < least ? column[e] : least;
        most = column[e] > most ? column[e] : most;
    }
    columns->first = most < 0 ? 0 : least;
    columns->words = most < 0 ? 0 : ((int64_t)most - least) / BITS + 1;
}

static void mark(struct cgs_context *context, const int32_t *column, int64_t entries,
                 const struct cgs_columns *columns)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t e = 0; e < entries; e++) {
        if (column[e] < 0)
            continue;
        const int64_t place = column[e] - columns->first;
        const uint64_t bit = UINT64_C(1) << (place % BITS);
        uint64_t *word = &columns->bits[place / BITS], there;
#pragma omp atomic read
        there = *word;
        if (there & bit)
            continue;
#pragma omp atomic
        *word |= bit;
    }
}

static void list(struct cgs_columns *columns)
{
    int64_t at = 0;
    for (int64_t w = 0; w < columns->words; w++)
        for (uint64_t left = columns->bits[w]; left; left &= left - 1)
            columns->number[at++] = (int32_t)(columns->first + w * BITS + __builtin_ctzll(left));
}

enum cgs_status cgs_columns_find(struct cgs_context *context, const int32_t *column,
                                 int64_t entries, struct cgs_columns *columns)
{
    static const char what[] = "columns that occur";
    struct cgs_columns made = {0};
    find_range(context, column, entries, &made);
    enum cgs_status status =
        cgs_alloc(context, made.words, sizeof *made.bits, what, (void **)&made.bits);
    if (status == CGS_OK)
        status = cgs_alloc(context, made.words, sizeof *made.before, what, (void **)&made.before);
    if (status == CGS_OK) {
        memset(made.bits, 0, (size_t)made.words * sizeof *made.bits);
        mark(context, column, entries, &made);
        for (int64_t w = 0; w < made.words; w++) {
            made.before[w] = (int32_t)made.count;
            made.count += __builtin_popcountll(made.bits[w]);
        }
        status = cgs_alloc(context, made.count, sizeof *made.number, what, (void **)&made.number);
    }
    if (status != CGS_OK) {
        cgs_columns_release(context, &made);
        return status;
    }
    list(&made);
    *columns = made;
    return CGS_OK;
}

void cgs_columns_compress(struct cgs_context *context, const struct cgs_columns *columns,
                          int32_t *column, int64_t entries)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t e = 0; e < entries; e++) {
        if (column[e] < 0)
            continue;
        const int64_t place = column[e] - columns->first;
        const uint64_t below = (UINT64_C(1) << (place % BITS)) - 1;
        column[e] = columns->before[place / BITS] +
                    __builtin_popcountll(columns->bits[place / BITS] & below);
    }
}

void cgs_columns_expand(struct cgs_context *context, const struct cgs_columns *columns,
                        int32_t *column, int64_t entries)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t e = 0; e < entries; e++)
        if (column[e] >= 0)
            column[e] = columns->number[column[e]];
}

void cgs_columns_release(struct cgs_context *context, struct cgs_columns *columns)
{
    cgs_free(context, columns->number);
    cgs_free(context, columns->before);
    cgs_free(context, columns->bits);
    *columns = (struct cgs_columns){0};
}
