/* Writing a matrix, round by round: as many rows as fit the buffers are drawn from the source and
 * made to text by all threads, a piece of rows each with room of its own, and written in order.
 *
 * The size line comes before the entries, so the lower triangle of a symmetric matrix is counted
 * first, which draws its rows once more. */
#include <locale.h>
#include <stdlib.h>

#include "base/memory.h"
#include "matrix/market/market.h"
#include "matrix/market/market_format.h"

enum {
    ROUND_ROWS = 1 << 16,
    ROUND_ENTRIES = 1 << 20, /* at most, or those of a single row */
    PIECE_ROWS = 1 << 8,
    PIECES = ROUND_ROWS / PIECE_ROWS,
    ENTRY_TEXT = 2 * CGS_MARKET_INDEX_TEXT + CGS_MARKET_NUMBER_TEXT + 3,
};

struct writer {
    struct cgs_context *context;
    const struct cgs_row_source *source;
    locale_t c;
    int64_t capacity; /* entries of a round */
    int32_t *lengths; /* of the rows of a round */
    int64_t *starts;  /* and where they begin among its entries, ROUND_ROWS + 1 */
    int32_t *columns;
    double *values;
    char *text;           /* ENTRY_TEXT for each entry */
    int64_t done[PIECES]; /* of each piece: entries counted, or bytes of text */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- a piece of a round that begins with row `base`: rows first ... last - 1 ---- */

static bool is_written(const struct writer *w, int64_t row, int32_t column)
{
    return !w->source->symmetric || column <= row;
}

static int64_t count_piece(const struct writer *w, int64_t base, int64_t first, int64_t last)
{
    int64_t count = 0;
    for (int64_t i = first; i < last; i++)
        for (int64_t k = w->starts[i - base]; k < w->starts[i + 1 - base]; k++)
            count += is_written(w, i, w->columns[k]);
    return count;
}

static int64_t text_piece(const struct writer *w, int64_t base, int64_t first, int64_t last)
{
    char *const begin = w->text + ENTRY_TEXT * w->starts[first - base], *at = begin;
    for (int64_t i = first; i < last; i++)
        for (int64_t k = w->starts[i - base]; k < w->starts[i + 1 - base]; k++) {
            if (!is_written(w, i, w->columns[k]))
                continue;
            at = cgs_market_put_index(at, i + 1);
            *at++ = ' ';
            at = cgs_market_put_index(at, w->columns[k] + 1);
            *at++ = ' ';
            at = cgs_market_put_number(at, w->values[k]);
            *at++ = '\n';
        }
    return at - begin;
}

/* ---- a round ---- */

/* Lengths of up to ROUND_ROWS rows from `first` on; how many. */
static int64_t draw_lengths(struct writer *w, int64_t first)
{
    const int64_t rows = least(ROUND_ROWS, w->source->rows - first);
#pragma omp parallel for schedule(static) num_threads(w->context->threads)
    for (int64_t piece = 0; piece < rows; piece += PIECE_ROWS)
        w->source->lengths(w->source, first + piece, first + least(piece + PIECE_ROWS, rows),
                           w->lengths + piece);
    return rows;
}

/* Draws the rows of the round from `base` on and does `work` on each piece; the round's end. */
static int64_t do_round(struct writer *w, int64_t base,
                        int64_t (*work)(const struct writer *, int64_t, int64_t, int64_t))
{
    const int64_t most = draw_lengths(w, base);
    int64_t rows = 0;
    w->starts[0] = 0;
    while (rows < most && w->starts[rows] + w->lengths[rows] <= w->capacity) {
        w->starts[rows + 1] = w->starts[rows] + w->lengths[rows];
        rows++;
    }
#pragma omp parallel for schedule(dynamic) num_threads(w->context->threads)
    for (int64_t piece = 0; piece < rows; piece += PIECE_ROWS) {
        const locale_t before = uselocale(w->c);
        const int64_t first = base + piece, last = base + least(piece + PIECE_ROWS, rows);
        w->source->fill(w->source, first, last, w->columns + w->starts[piece],
                        w->values + w->starts[piece]);
        w->done[piece / PIECE_ROWS] = work(w, base, first, last);
        uselocale(before);
    }
    return base + rows;
}

static int64_t count_written(struct writer *w, int64_t all)
{
    int64_t count = 0;
    if (!w->source->symmetric)
        return all;
    for (int64_t base = 0, next; base < w->source->rows; base = next) {
        next = do_round(w, base, count_piece);
        for (int64_t piece = 0; piece < next - base; piece += PIECE_ROWS)
            count += w->done[piece / PIECE_ROWS];
    }
    return count;
}

static void write_rounds(struct writer *w, FILE *file)
{
    for (int64_t base = 0, next; base < w->source->rows && !ferror(file); base = next) {
        next = do_round(w, base, text_piece);
        for (int64_t piece = 0; piece < next - base; piece += PIECE_ROWS)
            fwrite(w->text + ENTRY_TEXT * w->starts[piece], 1, (size_t)w->done[piece / PIECE_ROWS],
                   file);
    }
}

/* ---- all ---- */

/* Buffers for what the rows need: the longest of them, and no more than all. */
static enum cgs_status make_room(struct writer *w, int64_t *all)
{
    int64_t longest = 0;
    const int64_t rows = least(ROUND_ROWS, w->source->rows);
    CGS_TRY(cgs_alloc(w->context, rows, sizeof *w->lengths, "rows to be written",
                      (void **)&w->lengths));
    CGS_TRY(cgs_alloc(w->context, rows + 1, sizeof *w->starts, "rows to be written",
                      (void **)&w->starts));
    *all = 0;
    for (int64_t first = 0; first < w->source->rows; first += ROUND_ROWS) {
        const int64_t drawn = draw_lengths(w, first);
        for (int64_t i = 0; i < drawn; i++) {
            longest = w->lengths[i] > longest ? w->lengths[i] : longest;
            *all += w->lengths[i];
        }
    }
    const int64_t round = least(*all, ROUND_ENTRIES);
    w->capacity = longest > round ? longest : round;
    CGS_TRY(cgs_alloc(w->context, w->capacity, sizeof *w->columns, "rows to be written",
                      (void **)&w->columns));
    CGS_TRY(cgs_alloc(w->context, w->capacity, sizeof *w->values, "rows to be written",
                      (void **)&w->values));
    return cgs_alloc(w->context, w->capacity, ENTRY_TEXT, "text to be written", (void **)&w->text);
}

enum cgs_status cgs_market_write(struct cgs_context *context, FILE *file, const char *comment,
                                 const struct cgs_row_source *source)
{
    struct writer w = {.context = context, .source = source};
    int64_t all;
    w.c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* failing, it leaves the locale as it is */
    const enum cgs_status status = make_room(&w, &all);
    if (status == CGS_OK) {
        const long long count = count_written(&w, all);
        cgs_market_put_banner(
            file, source->symmetric ? "coordinate real symmetric" : "coordinate real general",
            comment);
        fprintf(file, "%lld %lld %lld\n", (long long)source->rows, (long long)source->columns,
                count);
        write_rounds(&w, file);
    }
    cgs_free(context, w.text);
    cgs_free(context, w.values);
    cgs_free(context, w.columns);
    cgs_free(context, w.starts);
    cgs_free(context, w.lengths);
    if (w.c)
        freelocale(w.c);
    return status;
}
