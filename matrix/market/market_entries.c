/* Reads the entries in parallel.
 *
 * The text is read in stretches of up to CGS_MARKET_BUFFER bytes. Each is cut at line ends into
 * pieces of a fixed size and read twice: the first pass counts the lines and entries of every
 * piece, so that each piece knows the numbers of its first line and entry, and the place of the
 * latter; the second pass parses them. A piece stops at its first wrong line; the first such piece
 * determines the line that is reported.
 *
 * market_explain then reads the wrong line again, word by word: the fast parser gives no reason.
 */
#include "matrix/market/market_entries.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "matrix/market/market_header.h"
#include "matrix/market/market_number.h"
#include "matrix/market/market_text.h"
#include "matrix/market/market_unpack.h"

/* Finds the error in a line, word by word: slow, and only for the one line that is reported. */

enum { MOST = 3 };

static bool all_digits(struct cgs_market_word word)
{
    const size_t sign = word.text[0] == '-' || word.text[0] == '+';
    size_t i = sign;
    while (i < word.length && word.text[i] >= '0' && word.text[i] <= '9')
        i++;
    return i == word.length && i > sign;
}

/* Returns the word without quotes; it is known to be a plain number. */
static const char *bare(struct cgs_market_word word, char quoted[CGS_MARKET_QUOTED])
{
    cgs_market_quote(word, quoted);
    quoted[strlen(quoted) - 1] = '\0';
    return quoted + 1;
}

/* Returns true if 1 <= word <= most. */
static bool in_range(struct cgs_market_word word, int64_t most)
{
    int64_t n = 0;
    for (size_t i = word.text[0] == '+'; i < word.length; i++) {
        if (word.text[i] == '-' || n > most)
            return false;
        n = 10 * n + (word.text[i] - '0');
    }
    return n >= 1 && n <= most;
}

static enum cgs_status explain_index(struct cgs_market_text *text, int64_t line, const char *what,
                                     struct cgs_market_word word, int64_t most)
{
    char quoted[CGS_MARKET_QUOTED];
    if (!all_digits(word))
        return cgs_market_complain(text, line, "expected a %s index, found %s", what,
                                   cgs_market_quote(word, quoted));
    if (!in_range(word, most))
        return cgs_market_complain(text, line, "%s index %s outside 1 ... %" PRId64, what,
                                   bare(word, quoted), most);
    return CGS_OK;
}

/* Returns true for "inf", "+Infinity", "nan", "NaN(1)", ... */
static bool is_not_finite(struct cgs_market_word word)
{
    const size_t sign = word.text[0] == '-' || word.text[0] == '+';
    return word.length >= sign + 3 && (strncasecmp(word.text + sign, "inf", 3) == 0 ||
                                       strncasecmp(word.text + sign, "nan", 3) == 0);
}

static enum cgs_status explain_value(struct cgs_market_text *text, const struct cgs_market *market,
                                     int64_t line, struct cgs_market_word word, locale_t c)
{
    char quoted[CGS_MARKET_QUOTED];
    const char *at = word.text;
    double value = 0.0;
    const char *const found = cgs_market_quote(word, quoted);
    if (is_not_finite(word))
        return cgs_market_complain(text, line, "expected a finite number, found %s", found);
    if (market->field == CGS_MARKET_INTEGER && !all_digits(word))
        return cgs_market_complain(text, line, "expected a whole number, found %s", found);
    const bool number = cgs_market_number(&at, c, &value);
    if (!number && at == word.text + word.length && isinf(value))
        return cgs_market_complain(text, line, "%s is past the range of double precision", found);
    if (!number)
        return cgs_market_complain(text, line, "expected a decimal number, found %s", found);
    return cgs_market_complain(
        text, line, "expected 0 on the diagonal of a skew-symmetric matrix, found %s", found);
}

/* Returns where the number of entries was declared, for messages: " (line 2)"; size_line 0: by the
 * matrix, of a vector of numbers alone. */
static const char *market_declared(int64_t size_line, char declared[32])
{
    if (size_line == 0)
        return ", one for each row of the matrix";
    snprintf(declared, 32, " (line %" PRId64 ")", size_line);
    return declared;
}

/* Fails with the reason why a line (first character at `at`) is not a valid entry number
 * `entry`. */
static enum cgs_status market_explain(struct cgs_market_text *text, const struct cgs_market *market,
                                      int64_t size_line, int64_t line, const char *at,
                                      int64_t entry, locale_t c)
{
    static const char *const forms[] = {"ROW COLUMN VALUE", "ROW COLUMN", "one value"};
    const bool pattern = market->field == CGS_MARKET_PATTERN;
    const int expected = market->array ? 1 : pattern ? 2 : 3;
    struct cgs_market_word words[MOST] = {0};
    char quoted[CGS_MARKET_QUOTED], declared[32];
    const char *const begin = at;
    int count = 0;
    CGS_TRY(cgs_market_check_cr(text, line, begin));
    if (entry >= market->stored)
        return cgs_market_complain(text, line, "one entry too many: expected %" PRId64 "%s",
                                   market->stored, market_declared(size_line, declared));
    for (struct cgs_market_word word; (word = cgs_market_word(&at)).length > 0; count++)
        if (count < MOST)
            words[count] = word;
    /* A first word that is no index says more about binary data than the number of words does. */
    if (!market->array)
        CGS_TRY(explain_index(text, line, "row", words[0], market->rows));
    if (count != expected) {
        const struct cgs_market_word whole = {begin, strcspn(begin, "\r\n")};
        return cgs_market_complain(
            text, line, "expected %s, found %d word%s: %s%s", forms[market->array ? 2 : pattern],
            count, count == 1 ? "" : "s", cgs_market_quote(whole, quoted),
            size_line == 0 ? "; awk '{ print $1 }' FILE takes the first column of several" : "");
    }
    if (!market->array)
        CGS_TRY(explain_index(text, line, "column", words[1], market->columns));
    return explain_value(text, market, line, words[expected - 1], c);
}

/* The same for a symmetric file with entries on both sides of the diagonal; the first ones are in
 * lines `lower` and `upper`. */
static enum cgs_status market_explain_mixed(struct cgs_market_text *text,
                                            const struct cgs_market *market, int64_t lower,
                                            int64_t upper)
{
    const bool above = upper > lower; /* the later one */
    return cgs_market_complain(text, above ? upper : lower,
                               "an entry %s the diagonal, but line %" PRId64 " has one %s it: a "
                               "%ssymmetric file holds one triangle, so that it is clear which "
                               "entries are added",
                               above ? "above" : "below", above ? lower : upper,
                               above ? "below" : "above",
                               market->symmetry == CGS_MARKET_SKEW ? "skew-" : "");
}

struct piece {
    const char *begin, *end; /* whole lines */
    int64_t lines, entries;
    int64_t first_line, first_entry;
    const char *wrong; /* first line that is no entry, or NULL, and its numbers */
    int64_t wrong_line, wrong_entry;
    int64_t lower, upper; /* lines of the first entries below and above the diagonal, or
                             INT64_MAX */
    int64_t diagonal;
};

/* Data common to all stretches. */
struct reading {
    struct cgs_market_text *text;
    const struct cgs_market *market;
    const struct cgs_market_part *part; /* NULL: all entries are kept */
    locale_t c;
    int64_t lower, upper; /* as in a piece, over all so far */
    struct piece *pieces;
};

/* ---- cutting and counting ---- */

static const char *after_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

/* Returns the line's first nonblank character. */
static const char *after_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static bool holds_entry(const char *first)
{
    return !cgs_market_at_end(first) && *first != '%';
}

static int cut(const char *first, const char *last, size_t size, struct piece *pieces)
{
    int count = 0;
    for (const char *at = first; at < last; count++) {
        const char *end = (size_t)(last - at) > size ? after_line(at + size, last) : last;
        pieces[count] =
            (struct piece){.begin = at, .end = end, .lower = INT64_MAX, .upper = INT64_MAX};
        at = end;
    }
    return count;
}

static void count_lines(struct piece *piece)
{
    for (const char *at = piece->begin; at < piece->end; at = after_line(at, piece->end)) {
        piece->lines++;
        piece->entries += holds_entry(after_blanks(at));
    }
}

/* ---- one entry ---- */

/* Reads a positive number of at most 10 digits; else returns 0. */
static int64_t read_index(const char **at)
{
    const char *p = after_blanks(*at);
    int64_t index = 0;
    p += *p == '+';
    for (int digits = 0; *p >= '0' && *p <= '9'; p++)
        if ((index > 0 || *p != '0') && ++digits > 10)
            return 0;
        else
            index = 10 * index + (*p - '0');
    *at = p;
    return *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' ? index : 0;
}

static bool is_whole(const char *at)
{
    at += *at == '-' || *at == '+';
    while (*at >= '0' && *at <= '9')
        at++;
    return *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n';
}

static bool read_value(const struct reading *r, const char **at, double *value)
{
    *at = after_blanks(*at);
    if (r->market->field == CGS_MARKET_INTEGER && !is_whole(*at))
        return false;
    return cgs_market_number(at, r->c, value);
}

/* Reads the entry at `at` to place `to` of the block; *at advances to the line's end. */
static bool read_entry(const struct reading *r, const char **at, struct cgs_market_block *block,
                       int64_t to)
{
    double value = 1.0;
    if (!r->market->array) {
        const int64_t row = read_index(at), column = row > 0 ? read_index(at) : 0;
        if (row < 1 || row > r->market->rows || column < 1 || column > r->market->columns)
            return false;
        block->row[to] = (int32_t)(row - 1);
        block->column[to] = (int32_t)(column - 1);
    }
    if (block->value) {
        if (!read_value(r, at, &value))
            return false;
        block->value[to] = value;
    }
    *at = after_blanks(*at);
    if (!cgs_market_at_end(*at))
        return false;
    *at += **at == '\r';
    return (r->market->symmetry != CGS_MARKET_SKEW || r->market->array ||
            block->row[to] != block->column[to] || value == 0.0);
}

static void note_triangle(struct piece *piece, int32_t row, int32_t column, int64_t line)
{
    piece->diagonal += row == column;
    if (row > column && piece->lower == INT64_MAX)
        piece->lower = line;
    if (row < column && piece->upper == INT64_MAX)
        piece->upper = line;
}

static void parse(const struct reading *r, struct piece *piece, struct cgs_market_block *block)
{
    int64_t line = piece->first_line, entry = piece->first_entry;
    for (const char *at = piece->begin; at < piece->end; line++) {
        const char *const begin = at;
        at = after_blanks(at);
        if (!holds_entry(at)) {
            at = after_line(at, piece->end);
            continue;
        }
        const int64_t to = entry - block->first;
        if (entry >= r->market->stored || !read_entry(r, &at, block, to)) {
            piece->wrong = begin;
            piece->wrong_line = line;
            piece->wrong_entry = entry;
            return;
        }
        if (block->row)
            note_triangle(piece, block->row[to], block->column[to], line);
        entry++;
        at++;
    }
}

/* ---- a stretch ---- */

/* Returns the line at which entries of both triangles had been met, INT64_MAX if none. A symmetric
 * file must have one triangle: otherwise it is unclear whether (i, j) and (j, i) are to be
 * added. */
static int64_t mixed_line(struct reading *r, const struct piece *piece)
{
    r->lower = piece->lower < r->lower ? piece->lower : r->lower;
    r->upper = piece->upper < r->upper ? piece->upper : r->upper;
    return r->market->symmetry == CGS_MARKET_GENERAL ? INT64_MAX
           : r->lower > r->upper                     ? r->lower
                                                     : r->upper;
}

static enum cgs_status judge(struct reading *r, int64_t size_line, int count,
                             struct cgs_market_entries *entries)
{
    for (int i = 0; i < count; i++) {
        const struct piece *piece = &r->pieces[i];
        const int64_t mixed = mixed_line(r, piece);
        if (mixed < INT64_MAX && (!piece->wrong || mixed < piece->wrong_line))
            return market_explain_mixed(r->text, r->market, r->lower, r->upper);
        if (piece->wrong)
            return market_explain(r->text, r->market, size_line, piece->wrong_line, piece->wrong,
                                  piece->wrong_entry, r->c);
        entries->diagonal += piece->diagonal;
    }
    return CGS_OK;
}

/* Parses lines first ... last - 1, after `seen` entries, in *count pieces; *entries and *lines:
 * their number. */
static enum cgs_status parse_stretch(struct reading *r, const char *first, const char *last,
                                     int64_t seen, int *count, int64_t *entries, int64_t *lines,
                                     struct cgs_market_block **block)
{
    struct cgs_context *context = r->text->context;
    struct piece *const pieces = r->pieces;
    const int parts = cut(first, last, r->text->piece, pieces);
#pragma omp parallel for schedule(dynamic) num_threads(context->threads)
    for (int i = 0; i < parts; i++)
        count_lines(&pieces[i]);
    int64_t line = r->text->line, entry = seen;
    for (int i = 0; i < parts; i++) {
        pieces[i].first_line = line;
        pieces[i].first_entry = entry;
        line += pieces[i].lines;
        entry += pieces[i].entries;
    }
    const int64_t stop = entry < r->market->stored ? entry : r->market->stored;
    CGS_TRY(cgs_market_block_create(context, seen, stop > seen ? stop - seen : 0,
                                    r->market->field != CGS_MARKET_PATTERN, !r->market->array,
                                    block));
#pragma omp parallel for schedule(dynamic) num_threads(context->threads)
    for (int i = 0; i < parts; i++)
        parse(r, &pieces[i], *block);
    *count = parts;
    *entries = entry - seen;
    *lines = line - r->text->line;
    return CGS_OK;
}

/* Reads lines first ... last - 1; *seen counts entries. */
static enum cgs_status read_stretch(struct reading *r, int64_t size_line, const char *first,
                                    const char *last, int64_t *seen,
                                    struct cgs_market_entries *entries,
                                    struct cgs_market_block ***tail)
{
    int64_t found, lines;
    int count;
    CGS_TRY(parse_stretch(r, first, last, *seen, &count, &found, &lines, *tail));
    CGS_TRY(judge(r, size_line, count, entries));
    if (r->part)
        CGS_TRY(cgs_market_part_keep(r->text->context, r->market, r->part, &entries->kept, *tail));
    *tail = &(**tail)->next;
    *seen += found;
    cgs_market_text_skip(r->text, (size_t)(last - first), lines);
    return CGS_OK;
}

static enum cgs_status read_all(struct reading *r, int64_t size_line,
                                struct cgs_market_entries *entries)
{
    struct cgs_market_block **tail = &entries->blocks;
    char declared[32];
    int64_t seen = 0;
    for (;;) {
        const char *first, *last;
        CGS_TRY(cgs_market_text_lines(r->text, &first, &last));
        if (first == last)
            break;
        CGS_TRY(read_stretch(r, size_line, first, last, &seen, entries, &tail));
    }
    if (seen < r->market->stored)
        return cgs_market_complain(r->text, r->text->line,
                                   "the text ends after %lld %s: expected %lld%s", (long long)seen,
                                   seen == 1 ? "entry" : "entries", (long long)r->market->stored,
                                   market_declared(size_line, declared));
    return CGS_OK;
}

static enum cgs_status alloc_pieces(const struct cgs_market_text *text, struct piece **pieces)
{
    return cgs_alloc(text->context, (int64_t)(text->capacity / text->piece) + 1, sizeof **pieces,
                     "pieces of text", (void **)pieces);
}

enum cgs_status cgs_market_entries_read(struct cgs_market_text *text,
                                        const struct cgs_market *market, int64_t size_line,
                                        const struct cgs_market_part *part,
                                        struct cgs_market_entries *entries)
{
    struct reading r = {
        .text = text, .market = market, .part = part, .lower = INT64_MAX, .upper = INT64_MAX};
    struct cgs_market_entries read = {0};
    CGS_TRY(alloc_pieces(text, &r.pieces));
    r.c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    enum cgs_status status =
        r.c ? read_all(&r, size_line, &read)
            : cgs_fail(text->context, CGS_MEMORY, "%s: no memory for a locale", text->path);
    if (r.c)
        freelocale(r.c);
    cgs_free(text->context, r.pieces);
    if (status == CGS_OK)
        *entries = read;
    else
        cgs_market_entries_release(text->context, &read);
    return status;
}

void cgs_market_entries_release(struct cgs_context *context, struct cgs_market_entries *entries)
{
    for (struct cgs_market_block *block = entries->blocks, *next; block; block = next) {
        next = block->next;
        cgs_free(context, block);
    }
    *entries = (struct cgs_market_entries){0};
}

/* ---- a range ---- */

/* Allocates what a range with a text needs to be parsed. */
static enum cgs_status make_ready(struct cgs_market_range *range)
{
    const struct cgs_market_text *text = &range->text;
    CGS_TRY(alloc_pieces(text, &range->pieces));
    range->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return range->c ? CGS_OK
                    : cgs_fail(text->context, CGS_MEMORY, "%s: no memory for a locale", text->path);
}

enum cgs_status cgs_market_range_open(const struct cgs_market_text *text,
                                      const struct cgs_market *market, int64_t begin, int64_t end,
                                      int64_t stretch, struct cgs_market_range *range)
{
    *range = (struct cgs_market_range){.market = market, .sound = true};
    CGS_TRY(cgs_market_text_range(text, begin, end, stretch, &range->text));
    return make_ready(range);
}

enum cgs_status cgs_market_range_open_packed(const struct cgs_market_text *text,
                                             const struct cgs_market *market,
                                             struct cgs_market_range *range)
{
    struct cgs_market again;
    int64_t size_line;
    bool room;
    *range = (struct cgs_market_range){.market = market, .sound = true};
    CGS_TRY(cgs_market_text_open(text->context, text->path, text->settings, &range->text));
    range->packed = true;
    CGS_TRY(cgs_market_header(&range->text, &again, &size_line, &room));
    return make_ready(range);
}

/* Takes a wrong file for an unsound range: whoever reads all lines will say the same with the
 * line's number. */
static enum cgs_status forgive(struct cgs_market_range *range, enum cgs_status status)
{
    struct cgs_context *context = range->text.context;
    if (status != CGS_FILE)
        return status;
    context->status = CGS_OK;
    context->message[0] = '\0';
    range->sound = false;
    return CGS_OK;
}

enum cgs_status cgs_market_range_finish(struct cgs_market_range *range)
{
    return range->packed ? forgive(range, cgs_market_unpack_finish(&range->text)) : CGS_OK;
}

/* Notes what the pieces say of the stretch. */
static void note_stretch(struct cgs_market_range *range, int count, int64_t entries)
{
    for (int i = 0; i < count; i++) {
        range->sound = range->sound && !range->pieces[i].wrong;
        range->below = range->below || range->pieces[i].lower < INT64_MAX;
        range->above = range->above || range->pieces[i].upper < INT64_MAX;
    }
    range->entries += entries;
}

enum cgs_status cgs_market_range_next(struct cgs_market_range *range,
                                      struct cgs_market_block **block)
{
    struct reading r = {
        .text = &range->text, .market = range->market, .c = range->c, .pieces = range->pieces};
    struct cgs_context *context = range->text.context;
    const char *first, *last;
    int64_t entries, lines;
    int count;
    *block = NULL;
    if (!range->sound)
        return CGS_OK;
    CGS_TRY(forgive(range, cgs_market_text_lines(&range->text, &first, &last)));
    if (!range->sound || first == last)
        return CGS_OK;
    CGS_TRY(parse_stretch(&r, first, last, range->entries, &count, &entries, &lines, block));
    note_stretch(range, count, entries);
    if (!range->sound) {
        cgs_free(context, *block);
        *block = NULL;
    }
    cgs_market_text_skip(&range->text, (size_t)(last - first), lines);
    return CGS_OK;
}

void cgs_market_range_close(struct cgs_market_range *range)
{
    if (range->c)
        freelocale(range->c);
    if (!range->market)
        return;
    cgs_free(range->text.context, range->pieces);
    if (range->packed)
        cgs_market_text_close(&range->text);
    else
        cgs_free(range->text.context, range->text.buffer);
}
