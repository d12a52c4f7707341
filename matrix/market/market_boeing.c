/* A Harwell-Boeing file (I. S. Duff, R. G. Grimes, J. G. Lewis, "Users' guide for the
 * Harwell-Boeing sparse matrix collection", 1992) has cards for Fortran:
 *
 *     title, key
 *     lines in all, of pointers, of indices, of values, of right-hand sides
 *     type (RUA: real, unsymmetric, assembled), rows, columns, entries
 *     formats of pointers, indices and values: (16I5) (20I4) (1P,4D20.12)
 *     a line on right-hand sides, if there are any; these are not read
 *     where each column begins, from 1; the row of each entry, from 1; the values
 *
 * A Rutherford-Boeing file has no right-hand sides, and nothing of them in its second line.
 * Numbers stand in columns of the width that the format says, with or without blanks between; some
 * programs keep to the number of a line alone. */
#include "matrix/market/market_boeing.h"

#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "matrix/market/market_number.h"
#include "matrix/market/market_words.h"

enum { WIDEST = 64 /* characters of a number, at most */ };

/* ---- recognition ---- */

/* Returns the begin of the next line, NULL if it is not in the buffer. */
static const char *next_line(const struct cgs_market_text *text, const char *line)
{
    const char *const end = text->buffer + text->whole;
    const char *newline = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    return newline && newline + 1 < end ? newline + 1 : NULL;
}

/* Reads up to `most` whole numbers, which is all that the line has. Returns their number; -1 if
 * there is another word, or a number of more than 18 digits. */
static int read_whole_numbers(const char *line, int most, int64_t *numbers)
{
    int count = 0;
    for (struct cgs_market_word word; (word = cgs_market_word(&line)).length > 0; count++) {
        int64_t number = 0;
        for (size_t i = 0; i < word.length; i++) {
            if (!isdigit((unsigned char)word.text[i]) || word.length > 18)
                return -1;
            number = 10 * number + (word.text[i] - '0');
        }
        if (count < most)
            numbers[count] = number;
    }
    return count;
}

bool cgs_market_is_boeing(const struct cgs_market_text *text)
{
    const char *second = next_line(text, text->buffer + text->begin);
    const char *third = second ? next_line(text, second) : NULL;
    if (!third || read_whole_numbers(second, 0, NULL) < 4)
        return false;
    const struct cgs_market_word type = cgs_market_word(&third);
    return type.length == 3 && strchr("RCPIQrcpiq", type.text[0]) &&
           strchr("SUHZRsuhzr", type.text[1]) && strchr("AEae", type.text[2]) &&
           read_whole_numbers(third, 0, NULL) >= 3;
}

/* ---- lines and fields ---- */

/* Takes the next line, expected to have `what`; text->line - 1 is its number then. */
static enum cgs_status take_line(struct cgs_market_text *text, const char *what, const char **line,
                                 const char **end)
{
    const char *last;
    CGS_TRY(cgs_market_text_lines(text, line, &last));
    if (*line == last)
        return cgs_market_complain(text, text->line, "the text ends here: expected %s", what);
    *end = memchr(*line, '\n', (size_t)(last - *line));
    cgs_market_text_skip(text, (size_t)(*end - *line) + 1, 1);
    return CGS_OK;
}

static int64_t read_digits(const char **at)
{
    int64_t number = 0;
    for (; isdigit((unsigned char)**at) && number < 10000; (*at)++)
        number = 10 * number + (**at - '0');
    return number;
}

/* Reads a format of Fortran's, "(20I4)", "(1P,4D20.12)", "(3E24.16E3)"; *at advances behind it.
 * Returns false if it is another one. */
static bool read_format(const char **at, struct cgs_market_fields *fields)
{
    const char *c = *at + strspn(*at, " \t");
    if (*c++ != '(')
        return false;
    c += strspn(c, " ");
    int64_t count = read_digits(&c);
    const bool scaled = toupper((unsigned char)*c) == 'P';
    if (scaled) {
        c += 1 + strspn(c + 1, ", ");
        count = read_digits(&c);
    }
    const int letter = toupper((unsigned char)*c);
    if (!letter || !strchr("IEDFG", letter))
        return false;
    c++;
    const int64_t width = read_digits(&c);
    if (*c == '.') {
        c++;
        read_digits(&c);
        if (toupper((unsigned char)*c) == 'E') {
            c++;
            read_digits(&c);
        }
    }
    c += strspn(c, " ");
    if (*c != ')' || width < 1 || width > WIDEST || (scaled && letter == 'F'))
        return false;
    *fields = (struct cgs_market_fields){
        .count = count > 0 ? (int)count : 1, .width = (int)width, .whole = letter == 'I'};
    *at = c + 1;
    return true;
}

/* A place in a table of `all` numbers, fields->count a line. */
struct table {
    struct cgs_market_text *text;
    const struct cgs_market_fields *fields;
    const char *what; /* each is: "row index" */
    int64_t next, all;
    const char *line, *end;
    const char *word; /* the rest of a line of as many words as numbers; NULL: read by columns */
};

static enum cgs_status wrong_field(const struct table *table, const char *field, size_t length,
                                   const char *expected)
{
    char quoted[CGS_MARKET_QUOTED];
    return cgs_market_complain(
        table->text, table->text->line - 1, "expected %s, %s %" PRId64 " of %" PRId64 ", found %s",
        expected, table->what, table->next, table->all,
        length == 0 ? "blanks" : cgs_market_quote((struct cgs_market_word){field, length}, quoted));
}

/* Takes the next line. Programs other than Fortran's (SciPy 1.17) write fields that are narrower
 * than their format says, with blanks between: columns count only where numbers touch. */
static enum cgs_status take_row(struct table *table)
{
    const int64_t left = table->all - table->next;
    int64_t words = 0;
    CGS_TRY(take_line(table->text, table->what, &table->line, &table->end));
    for (const char *at = table->line; cgs_market_word(&at).length > 0;)
        words++;
    table->word =
        words == (left < table->fields->count ? left : table->fields->count) ? table->line : NULL;
    return CGS_OK;
}

/* Returns the characters in the columns of a place, without blanks around them. */
static struct cgs_market_word columns_of(const struct table *table, int64_t place)
{
    const int64_t there = table->end - table->line, begin = place * table->fields->width;
    const char *first = table->line + (begin < there ? begin : there);
    const char *last =
        begin + table->fields->width < there ? first + table->fields->width : table->end;
    while (first < last && memchr(" \t\r", *first, 3))
        first++;
    while (first < last && memchr(" \t\r", last[-1], 3))
        last--;
    return (struct cgs_market_word){first, (size_t)(last - first)};
}

/* Takes the next number as text without blanks around it, its end marked by '\n'. */
static enum cgs_status take_field(struct table *table, char field[WIDEST + 3], size_t *length)
{
    const int64_t place = table->next % table->fields->count;
    if (place == 0)
        CGS_TRY(take_row(table));
    const struct cgs_market_word word =
        table->word ? cgs_market_word(&table->word) : columns_of(table, place);
    table->next++;
    *length = word.length;
    if (*length > WIDEST)
        return wrong_field(table, word.text, *length, "a number of at most 64 characters");
    memcpy(field, word.text, *length);
    memcpy(field + *length, "\n", 2);
    return CGS_OK;
}

/* Takes a whole number of least ... most. */
static enum cgs_status take_whole(struct table *table, int64_t least, int64_t most, int64_t *number)
{
    char field[WIDEST + 3], expected[80];
    size_t length;
    int64_t read = -1;
    CGS_TRY(take_field(table, field, &length));
    if (read_whole_numbers(field, 1, &read) == 1 && read >= least && read <= most) {
        *number = read;
        return CGS_OK;
    }
    snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %" PRId64, least, most);
    return wrong_field(table, field, length, expected);
}

/* Writes the E that Fortran leaves out before exponents of three digits, 1.5-101. */
static void complete_exponent(char field[WIDEST + 3])
{
    char *sign = strpbrk(field + 1, "+-");
    if (!sign || strpbrk(field, "eEdD"))
        return;
    memmove(sign + 1, sign, strlen(sign) + 1);
    *sign = 'E';
}

static enum cgs_status take_value(struct table *table, locale_t c, double *value)
{
    char field[WIDEST + 3];
    size_t length;
    CGS_TRY(take_field(table, field, &length));
    if (length > 0 && !table->fields->whole && !strchr(field, '.'))
        return wrong_field(table, field, length,
                           "a number with its point, which Fortran would put elsewhere");
    if (length > 0)
        complete_exponent(field);
    const char *at = field;
    if (length == 0 || !cgs_market_number(&at, c, value) || *at != '\n')
        return wrong_field(table, field, length, "a finite number");
    return CGS_OK;
}

/* ---- header ---- */

static enum cgs_status read_type(struct cgs_market_text *text, const char *line, int64_t sizes[4],
                                 struct cgs_market *market)
{
    const struct cgs_market_word type = cgs_market_word(&line);
    const int values = toupper((unsigned char)type.text[0]);
    const int symmetry = toupper((unsigned char)type.text[1]);
    if (toupper((unsigned char)type.text[2]) != 'A')
        return cgs_market_complain(text, 3,
                                   "a Harwell-Boeing file, type %.3s, of elements: their matrices "
                                   "have to be assembled first",
                                   type.text);
    if (strchr("CQ", values) || strchr("HZ", symmetry))
        return cgs_market_complain(text, 3,
                                   "a Harwell-Boeing file, type %.3s: CG needs a real symmetric "
                                   "matrix",
                                   type.text);
    read_whole_numbers(line, 4, sizes);
    market->field = values == 'R'   ? CGS_MARKET_REAL
                    : values == 'I' ? CGS_MARKET_INTEGER
                                    : CGS_MARKET_PATTERN;
    market->symmetry = symmetry == 'S' ? CGS_MARKET_SYMMETRIC : CGS_MARKET_GENERAL;
    return CGS_OK;
}

/* Checks sizes against each other, and against the bytes that follow: a column has a pointer, an
 * entry an index, of a digit each at least. */
static enum cgs_status check_sizes(struct cgs_market_text *text, const struct cgs_market *market)
{
    const int64_t rest = text->text_bytes == INT64_MAX
                             ? INT64_MAX
                             : text->text_bytes - text->bytes + (int64_t)(text->end - text->begin);
    if (market->rows < 1 || market->columns < 1 || market->rows > INT32_MAX ||
        market->columns > INT32_MAX)
        return cgs_market_complain(
            text, 3, "%" PRId64 " rows and %" PRId64 " columns: expected 1 ... 2147483647 of both",
            market->rows, market->columns);
    if (market->symmetry == CGS_MARKET_SYMMETRIC && market->rows != market->columns)
        return cgs_market_complain(text, 3,
                                   "symmetric, but %" PRId64 " rows and %" PRId64
                                   " columns: expected as many rows as columns",
                                   market->rows, market->columns);
    if (market->stored > rest || market->columns > rest)
        return cgs_market_complain(text, 3,
                                   "%" PRId64 " columns with %" PRId64
                                   " entries expected, but %" PRId64 " bytes follow",
                                   market->columns, market->stored, rest);
    return CGS_OK;
}

enum cgs_status cgs_market_boeing_header(struct cgs_market_text *text, struct cgs_market *market)
{
    struct cgs_market_boeing *boeing = &text->boeing;
    struct cgs_market read = {0};
    int64_t lines[5] = {0}, sizes[4];
    const char *line, *end;
    memcpy(read.member, text->member, sizeof read.member);
    CGS_TRY(take_line(text, "the title", &line, &end));
    CGS_TRY(take_line(text, "numbers of lines", &line, &end));
    read_whole_numbers(line, 5, lines);
    CGS_TRY(take_line(text, "type and sizes", &line, &end));
    CGS_TRY(read_type(text, line, sizes, &read));
    read.rows = sizes[0];
    read.columns = sizes[1];
    read.stored = sizes[2];
    CGS_TRY(take_line(text, "the formats of the numbers", &line, &end));
    if (!read_format(&line, &boeing->pointers) || !boeing->pointers.whole ||
        !read_format(&line, &boeing->indices) || !boeing->indices.whole ||
        (read.field != CGS_MARKET_PATTERN && !read_format(&line, &boeing->values)))
        return cgs_market_complain(text, 4,
                                   "expected the formats of pointers, indices and values, as "
                                   "(16I5) (20I4) (1P,4D20.12)");
    if (lines[4] > 0)
        CGS_TRY(take_line(text, "a line on right-hand sides", &line, &end));
    CGS_TRY(check_sizes(text, &read));
    boeing->known = true;
    *market = read;
    return CGS_OK;
}

/* ---- entries ---- */

/* Reads pointers, and gives the entries of each column its number. */
static enum cgs_status read_pointers(struct cgs_market_text *text, const struct cgs_market *market,
                                     struct cgs_market_block *block)
{
    struct table table = {.text = text,
                          .fields = &text->boeing.pointers,
                          .what = "column pointer",
                          .all = market->columns + 1};
    int64_t begin = 1, end = 1;
    CGS_TRY(take_whole(&table, 1, 1, &begin));
    for (int64_t j = 0; j < market->columns; j++) {
        const bool last = j == market->columns - 1;
        CGS_TRY(take_whole(&table, last ? market->stored + 1 : begin, market->stored + 1, &end));
        for (; begin < end; begin++)
            block->column[begin - 1] = (int32_t)j;
    }
    return CGS_OK;
}

/* Reads indices; *diagonal: entries there. */
static enum cgs_status read_indices(struct cgs_market_text *text, const struct cgs_market *market,
                                    struct cgs_market_block *block, int64_t *diagonal)
{
    struct table table = {
        .text = text, .fields = &text->boeing.indices, .what = "row index", .all = market->stored};
    bool below = false, above = false;
    for (int64_t k = 0; k < market->stored; k++) {
        int64_t row;
        CGS_TRY(take_whole(&table, 1, market->rows, &row));
        block->row[k] = (int32_t)(row - 1);
        *diagonal += block->row[k] == block->column[k];
        below = below || block->row[k] > block->column[k];
        above = above || block->row[k] < block->column[k];
        if (below && above && market->symmetry == CGS_MARKET_SYMMETRIC)
            return cgs_market_complain(text, text->line - 1,
                                       "the file is symmetric and has entries on both sides of the "
                                       "diagonal, here (%" PRId64 ", %d): expected one side alone",
                                       row, block->column[k] + 1);
    }
    return CGS_OK;
}

static enum cgs_status read_values(struct cgs_market_text *text, const struct cgs_market *market,
                                   struct cgs_market_block *block)
{
    struct table table = {
        .text = text, .fields = &text->boeing.values, .what = "value", .all = market->stored};
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    enum cgs_status status =
        c ? CGS_OK : cgs_fail(text->context, CGS_MEMORY, "%s: no memory for a locale", text->path);
    for (int64_t k = 0; k < market->stored && block->value && status == CGS_OK; k++)
        status = take_value(&table, c, &block->value[k]);
    if (c)
        freelocale(c);
    return status;
}

enum cgs_status cgs_market_boeing_entries(struct cgs_market_text *text,
                                          const struct cgs_market *market,
                                          const struct cgs_market_part *part,
                                          struct cgs_market_entries *entries)
{
    struct cgs_context *context = text->context;
    struct cgs_market_entries read = {0};
    struct cgs_market_block *block;
    CGS_TRY(cgs_market_block_create(context, 0, market->stored, market->field != CGS_MARKET_PATTERN,
                                    true, &block));
    enum cgs_status status = read_pointers(text, market, block);
    if (status == CGS_OK)
        status = read_indices(text, market, block, &read.diagonal);
    if (status == CGS_OK)
        status = read_values(text, market, block);
    if (status == CGS_OK && part)
        status = cgs_market_part_keep(context, market, part, &read.kept, &block);
    if (status != CGS_OK) {
        cgs_free(context, block);
        return status;
    }
    read.blocks = block;
    *entries = read;
    return CGS_OK;
}
