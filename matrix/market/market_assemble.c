/* Rows from entries in the file's order.
 *
 * Every thread owns a range of rows, reads all entries and takes those of its rows: once to count
 * them, once to append each to its row. So a row has its entries in the file's order for any number
 * of threads, without locks or counts per thread; and if the file is sorted by columns (as nearly
 * all are) or by rows, columns ascend. Each thread reads a stream of 4 bytes an entry (8 if the
 * file is symmetric), little compared with parsing it. */
#include <omp.h>
#include <string.h>

#include "matrix/market/market_rows.h"
#include "matrix/share.h"

struct range {
    int64_t first, last; /* rows first ... last - 1 */
    int64_t origin;      /* number of the first row that is kept */
};

static bool is_in(struct range range, int32_t row)
{
    return row >= range.first && row < range.last;
}

/* ---- coordinates ---- */

/* counts[i + 1] = entries of row origin + i, for the rows of the range. */
static void count_range(const struct cgs_market_entries *entries, bool mirrored, struct range range,
                        int64_t *counts)
{
    const int64_t origin = range.origin;
    memset(counts + range.first - origin + 1, 0,
           (size_t)(range.last - range.first) * sizeof *counts);
    for (const struct cgs_market_block *b = entries->blocks; b; b = b->next)
        for (int64_t k = 0; k < b->count; k++) {
            const int32_t row = b->row[k];
            if (is_in(range, row))
                counts[row - origin + 1]++;
            if (mirrored && b->column[k] != row && is_in(range, b->column[k]))
                counts[b->column[k] - origin + 1]++;
        }
}

/* Appends the entries of the range's rows; the next one of row origin + i goes to
 * places[i]++. */
static void place_range(const struct cgs_market_entries *entries, enum cgs_market_symmetry symmetry,
                        struct range range, int64_t *places, struct cgs_crs *crs)
{
    const bool mirrored = symmetry != CGS_MARKET_GENERAL;
    const double sign = symmetry == CGS_MARKET_SKEW ? -1.0 : 1.0;
    for (const struct cgs_market_block *b = entries->blocks; b; b = b->next)
        for (int64_t k = 0; k < b->count; k++) {
            const int32_t row = b->row[k], column = b->column[k];
            if (is_in(range, row)) {
                const int64_t to = places[row - range.origin]++;
                crs->column[to] = column;
                crs->value[to] = b->value ? b->value[k] : 1.0;
            }
            if (mirrored && column != row && is_in(range, column)) {
                const int64_t to = places[column - range.origin]++;
                crs->column[to] = row;
                crs->value[to] = b->value ? sign * b->value[k] : 1.0;
            }
        }
}

static void place_all(struct cgs_context *context, const struct cgs_market_entries *entries,
                      enum cgs_market_symmetry symmetry, struct cgs_crs *crs)
{
    int64_t *const pointers = crs->pointers;
    const int64_t rows = crs->rows, origin = crs->first;
#pragma omp parallel num_threads(context->threads)
    {
        const int part = omp_get_thread_num(), parts = omp_get_num_threads();
        count_range(entries, symmetry != CGS_MARKET_GENERAL,
                    (struct range){origin + rows * part / parts, origin + rows * (part + 1) / parts,
                                   origin},
                    pointers);
    }
    pointers[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        pointers[i + 1] += pointers[i];
#pragma omp parallel num_threads(context->threads)
    {
        const int part = omp_get_thread_num(), parts = omp_get_num_threads();
        const struct range range = {origin + cgs_share(pointers, 0, rows, part, parts),
                                    origin + cgs_share(pointers, 0, rows, part + 1, parts), origin};
#pragma omp barrier
        place_range(entries, symmetry, range, pointers, crs);
    }
    /* Each pointer has advanced to the end of its row, where the next one begins. */
    memmove(pointers + 1, pointers, (size_t)rows * sizeof *pointers);
    pointers[0] = 0;
}

/* ---- arrays ---- */

/* Position of entry (i, j): rows are full, except the diagonal of a skew-symmetric matrix. */
static int64_t place_of(const struct cgs_market *market, int64_t i, int64_t j)
{
    return market->symmetry == CGS_MARKET_SKEW ? i * (market->columns - 1) + (j < i ? j : j - 1)
                                               : i * market->columns + j;
}

static void put(const struct cgs_market *market, int64_t i, int64_t j, double value,
                struct cgs_crs *crs)
{
    const int64_t to = place_of(market, i, j);
    crs->column[to] = (int32_t)j;
    crs->value[to] = value;
}

static void place_column(const struct cgs_market *market, const struct cgs_market_entries *entries,
                         int64_t j, struct cgs_crs *crs)
{
    const struct cgs_market_column column = cgs_market_column_of(market, j);
    const double sign = market->symmetry == CGS_MARKET_SKEW ? -1.0 : 1.0;
    const struct cgs_market_block *block = entries->blocks;
    for (int64_t i = column.first_row; i < market->rows; i++) {
        const int64_t k = column.start + (i - column.first_row);
        while (k >= block->first + block->count)
            block = block->next;
        const double value = block->value[k - block->first];
        put(market, i, j, value, crs);
        if (market->symmetry != CGS_MARKET_GENERAL && i != j)
            put(market, j, i, sign * value, crs);
    }
}

static void place_array(struct cgs_context *context, const struct cgs_market *market,
                        const struct cgs_market_entries *entries, struct cgs_crs *crs)
{
    const int64_t length = market->columns - (market->symmetry == CGS_MARKET_SKEW);
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t i = 0; i <= market->rows; i++)
        crs->pointers[i] = i * length;
#pragma omp parallel for schedule(dynamic, 16) num_threads(context->threads)
    for (int64_t j = 0; j < market->columns; j++)
        place_column(market, entries, j, crs);
}

/* ---- both ---- */

/* Entries of the matrix before duplicates are summed. */
static int64_t expanded(const struct cgs_market *market, const struct cgs_market_entries *entries)
{
    const bool general = market->symmetry == CGS_MARKET_GENERAL;
    if (!market->array)
        return general ? market->stored : 2 * market->stored - entries->diagonal;
    return market->rows * (market->columns - (market->symmetry == CGS_MARKET_SKEW));
}

enum cgs_status cgs_market_assemble(struct cgs_market_text *text,
                                    const struct cgs_market_part *part,
                                    struct cgs_market_entries *entries, struct cgs_market *market,
                                    struct cgs_crs *crs, int64_t *overflow)
{
    struct cgs_context *context = text->context;
    const int64_t rows = part ? part->cuts[part->rank + 1] - part->cuts[part->rank] : market->rows;
    const int64_t count = part ? entries->kept : expanded(market, entries);
    struct cgs_crs made;
    CGS_TRY(cgs_crs_alloc(context, rows, market->columns, count, &made));
    if (part) {
        made.first = part->cuts[part->rank];
        made.whole = market->rows;
    }
    if (market->array && !part)
        place_array(context, market, entries, &made);
    else
        place_all(context, entries, market->symmetry, &made);
    cgs_market_entries_release(context, entries); /* frees memory for sorting rows */
    const enum cgs_status status = cgs_market_tidy(text, market, &made, overflow);
    if (status != CGS_OK) {
        cgs_crs_release(context, &made);
        return status;
    }
    made.symmetric = market->symmetry == CGS_MARKET_SYMMETRIC;
    *crs = made;
    return CGS_OK;
}
