/* Rows from entries in the file's order.
 *
 * Every thread owns a range of rows, reads all entries and takes those of its rows: once to count
 * them, once to append each to its row. So a row has its entries in the file's order for any number
 * of threads, without locks or counts per thread; and if the file is sorted by columns (as nearly
 * all are) or by rows, columns ascend. Each thread reads a stream of 4 bytes an entry (8 if the
 * file is symmetric), little compared with parsing it. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/market/market_assemble.h"
#include "matrix/market/market_entries.h"
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

/* ---- rows in order: stably sorted, duplicates summed ----
 *
 * A row is sorted by merging runs: short ones are made by insertion, then merged two by two into
 * scratch and back. Scratch is as long as the longest unsorted row of a thread; most files need
 * none. */

enum { RUN = 16 };

/* Part of a row, or of scratch. */
struct run {
    int32_t *column;
    double *value;
};

static struct run run_at(struct run run, int64_t offset)
{
    return (struct run){run.column + offset, run.value + offset};
}

static void copy_run(struct run from, int64_t count, struct run to)
{
    memcpy(to.column, from.column, (size_t)count * sizeof *to.column);
    memcpy(to.value, from.value, (size_t)count * sizeof *to.value);
}

static void insert_run(struct run run, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        const int32_t column = run.column[k];
        const double value = run.value[k];
        int64_t to = k;
        for (; to > 0 && run.column[to - 1] > column; to--) {
            run.column[to] = run.column[to - 1];
            run.value[to] = run.value[to - 1];
        }
        run.column[to] = column;
        run.value[to] = value;
    }
}

/* Merges two sorted runs, `left` entries and the rest of `count`; of equal entries the left come
 * first. */
static void merge_runs(struct run from, int64_t left, int64_t count, struct run to)
{
    int64_t a = 0, b = left;
    for (int64_t k = 0; k < count; k++) {
        const int64_t take =
            b == count || (a < left && from.column[a] <= from.column[b]) ? a++ : b++;
        to.column[k] = from.column[take];
        to.value[k] = from.value[take];
    }
}

static void sort_run(struct run row, int64_t count, struct run scratch)
{
    struct run from = row, to = scratch;
    for (int64_t k = 0; k < count; k += RUN)
        insert_run(run_at(row, k), count - k < RUN ? count - k : RUN);
    for (int64_t width = RUN; width < count; width *= 2) {
        for (int64_t k = 0; k < count; k += 2 * width) {
            const int64_t both = count - k < 2 * width ? count - k : 2 * width;
            merge_runs(run_at(from, k), both < width ? both : width, both, run_at(to, k));
        }
        const struct run swapped = from;
        from = to;
        to = swapped;
    }
    if (from.column != row.column)
        copy_run(from, count, row);
}

static bool is_sorted(const int32_t *column, int64_t count)
{
    for (int64_t k = 1; k < count; k++)
        if (column[k - 1] > column[k])
            return false;
    return true;
}

/* Longest unsorted row of this thread; rows are divided by cgs_share. */
static int64_t longest_unsorted(const struct cgs_crs *crs, int64_t first, int64_t last)
{
    int64_t longest = 0;
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = crs->pointers[i], count = crs->pointers[i + 1] - begin;
        if (count > longest && !is_sorted(crs->column + begin, count))
            longest = count;
    }
    return longest;
}

/* Sorts the rows. Each part gets its own scratch; a row longer than RUN needs some. */
static enum cgs_status sort_rows(struct cgs_context *context, struct cgs_crs *crs)
{
    const int parts = context->threads;
    int64_t *starts; /* of each part in the scratch */
    double *values = NULL;
    int32_t *columns = NULL;
    CGS_TRY(cgs_alloc(context, parts + 1, sizeof *starts, "scratch of rows", (void **)&starts));
    starts[0] = 0;
#pragma omp parallel for schedule(static, 1) num_threads(context->threads)
    for (int part = 0; part < parts; part++)
        starts[part + 1] =
            longest_unsorted(crs, cgs_share(crs->pointers, 0, crs->rows, part, parts),
                             cgs_share(crs->pointers, 0, crs->rows, part + 1, parts));
    for (int part = 0; part < parts; part++)
        starts[part + 1] += starts[part];
    enum cgs_status status = CGS_OK;
    if (starts[parts] > 0) {
        status =
            cgs_alloc(context, starts[parts], sizeof *values, "scratch of rows", (void **)&values);
        if (status == CGS_OK)
            status = cgs_alloc(context, starts[parts], sizeof *columns, "scratch of rows",
                               (void **)&columns);
    }
    if (status == CGS_OK && starts[parts] > 0) {
#pragma omp parallel for schedule(static, 1) num_threads(context->threads)
        for (int part = 0; part < parts; part++) {
            const struct run scratch = {columns + starts[part], values + starts[part]};
            const int64_t last = cgs_share(crs->pointers, 0, crs->rows, part + 1, parts);
            for (int64_t i = cgs_share(crs->pointers, 0, crs->rows, part, parts); i < last; i++) {
                const int64_t begin = crs->pointers[i], count = crs->pointers[i + 1] - begin;
                if (!is_sorted(crs->column + begin, count))
                    sort_run((struct run){crs->column + begin, crs->value + begin}, count, scratch);
            }
        }
    }
    cgs_free(context, columns);
    cgs_free(context, values);
    cgs_free(context, starts);
    return status;
}

/* ---- sums ---- */

/* Sums duplicates to the row's front; returns the number of remaining entries. Entries after them
 * are marked by column -1. */
static int64_t sum_row(int32_t *column, double *value, int64_t count)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++) {
        if (kept > 0 && column[kept - 1] == column[k]) {
            value[kept - 1] += value[k];
            continue;
        }
        column[kept] = column[k];
        value[kept] = value[k];
        kept++;
    }
    for (int64_t k = kept; k < count; k++)
        column[k] = -1;
    return kept;
}

/* Number of entries of the file added to others in a row; in a mirrored matrix only up to the
 * diagonal, since each appears twice. */
static int64_t added(const int32_t *column, int64_t count, int64_t last_column)
{
    int64_t n = 0;
    for (int64_t k = 1; k < count; k++)
        n += column[k] == column[k - 1] && column[k] <= last_column;
    return n;
}

/* Closes the gaps of marked entries; returns the number of entries. */
static int64_t close_gaps(struct cgs_crs *crs)
{
    int64_t to = 0, begin = 0;
    for (int64_t i = 0; i < crs->rows; i++) {
        const int64_t end = crs->pointers[i + 1];
        for (int64_t k = begin; k < end && crs->column[k] >= 0; k++, to++) {
            crs->column[to] = crs->column[k];
            crs->value[to] = crs->value[k];
        }
        crs->pointers[i + 1] = to;
        begin = end;
    }
    return to;
}

/* Sorts each row of *crs by columns and sums duplicates in the order of the file, as
 * cgs_market_assemble does. */
static enum cgs_status tidy(struct cgs_market_text *text, struct cgs_market *market,
                            struct cgs_crs *crs, int64_t *overflow)
{
    const bool mirrored = market->symmetry != CGS_MARKET_GENERAL;
    const int64_t first = crs->first;
    int64_t kept = 0, duplicates = 0, zeros = 0, wrong = INT64_MAX;
    if (!market->array)
        CGS_TRY(sort_rows(text->context, crs));
#pragma omp parallel for schedule(static) num_threads(text->context->threads)                     \
    reduction(+ : kept, duplicates, zeros) reduction(min : wrong)
    for (int64_t i = 0; i < crs->rows; i++) {
        const int64_t begin = crs->pointers[i], count = crs->pointers[i + 1] - begin;
        const int64_t more = added(crs->column + begin, count, mirrored ? first + i : INT64_MAX);
        int64_t left = count;
        if (more > 0 || mirrored)
            left = sum_row(crs->column + begin, crs->value + begin, count);
        for (int64_t k = begin; k < begin + left; k++) {
            zeros += crs->value[k] == 0.0;
            wrong = isfinite(crs->value[k]) || i > wrong ? wrong : i;
        }
        duplicates += more;
        kept += left;
    }
    *overflow = wrong < INT64_MAX ? first + wrong : -1;
    if (wrong < INT64_MAX)
        return CGS_OK;
    if (kept < crs->pointers[crs->rows])
        kept = close_gaps(crs);
    market->nonzeros = kept;
    market->duplicates = duplicates;
    market->zeros = zeros;
    return CGS_OK;
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
    const enum cgs_status status = tidy(text, market, &made, overflow);
    if (status != CGS_OK) {
        cgs_crs_release(context, &made);
        return status;
    }
    made.symmetric = market->symmetry == CGS_MARKET_SYMMETRIC;
    *crs = made;
    return CGS_OK;
}
