/* Banner and size line:
 *
 *     %%MatrixMarket matrix coordinate real general        the first line of the file
 *     % comments and empty lines, as many as there are
 *     ROWS COLUMNS ENTRIES                                 without ENTRIES where it says `array`
 *
 * The banner's words are in upper or lower case. Choices left open by the format:
 * doc/matrix-market.md. */
#include "matrix/market/market_header.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "matrix/market/market_boeing.h"
#include "matrix/market/market_foreign.h"
#include "matrix/market/market_npz.h"
#include "matrix/market/market_words.h"

enum { WORDS = 5, LITTLE = 1 << 22 };

static bool is(struct cgs_market_word word, const char *what)
{
    return word.length == strlen(what) && strncasecmp(word.text, what, word.length) == 0;
}

/* Returns the index of the word in `names`, or `count`. */
static int which(struct cgs_market_word word, const char *const *names, int count)
{
    int i = 0;
    while (i < count && !is(word, names[i]))
        i++;
    return i;
}

/* ---- banner ---- */

enum field { REAL, INTEGER, PATTERN, COMPLEX, FIELDS };
enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN, SYMMETRIES };

static enum cgs_status banner_words(struct cgs_market_text *text, const char *line,
                                    struct cgs_market_word *words)
{
    static const char MAGIC[] = "%%MatrixMarket";
    char quoted[CGS_MARKET_QUOTED];
    int count = 0;
    if (strncasecmp(line, MAGIC, sizeof MAGIC - 1) == 0) /* else it is no such file at all */
        CGS_TRY(cgs_market_check_cr(text, 1, line));
    for (struct cgs_market_word word; (word = cgs_market_word(&line)).length > 0; count++)
        if (count < WORDS)
            words[count] = word;
    if (count == 0 || !is(words[0], MAGIC)) {
        cgs_market_complain(
            text, 1,
            "expected the banner \"%%%%MatrixMarket matrix ...\" as the first line, found %s",
            count == 0 ? "an empty line" : cgs_market_quote(words[0], quoted));
        cgs_market_name_foreign(text);
        return CGS_FILE;
    }
    if (count != WORDS)
        return cgs_market_complain(text, 1,
                                   "expected the five words %%%%MatrixMarket matrix "
                                   "coordinate|array real|integer|pattern "
                                   "general|symmetric|skew-symmetric, found %d words",
                                   count);
    return CGS_OK;
}

static enum cgs_status unknown(struct cgs_market_text *text, struct cgs_market_word word,
                               const char *what, const char *known)
{
    char quoted[CGS_MARKET_QUOTED];
    return cgs_market_complain(text, 1, "unknown %s %s: expected %s", what,
                               cgs_market_quote(word, quoted), known);
}

static enum cgs_status check_combination(struct cgs_market_text *text, bool array, int field,
                                         int symmetry)
{
    if (field == COMPLEX)
        return cgs_market_complain(text, 1, "the matrix is complex: cgsolve solves real systems");
    if (symmetry == HERMITIAN)
        return cgs_market_complain(text, 1,
                                   "hermitian matrices are complex, and cgsolve solves real "
                                   "systems: a real one is called symmetric");
    if (field == PATTERN && array)
        return cgs_market_complain(text, 1,
                                   "an array cannot be a pattern: its values are all that "
                                   "it holds; expected real or integer");
    if (field == PATTERN && symmetry == SKEW)
        return cgs_market_complain(text, 1,
                                   "a pattern cannot be skew-symmetric: it has no signs; "
                                   "expected general or symmetric");
    return CGS_OK;
}

static const char *const formats[] = {"coordinate", "array"};
static const char *const fields[] = {"real", "integer", "pattern", "complex"};
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

const char *cgs_market_format_name(const struct cgs_market *market)
{
    return formats[market->array];
}

const char *cgs_market_field_name(const struct cgs_market *market)
{
    return fields[market->field];
}

const char *cgs_market_symmetry_name(const struct cgs_market *market)
{
    return symmetries[market->symmetry];
}

static enum cgs_status read_banner(struct cgs_market_text *text, const char *line,
                                   struct cgs_market *market)
{
    struct cgs_market_word words[WORDS];
    if (memcmp(line, "\xef\xbb\xbf", 3) == 0) /* the byte order mark of some editors, in UTF-8 */
        line += 3;
    CGS_TRY(banner_words(text, line, words));
    if (!is(words[1], "matrix"))
        return unknown(text, words[1], "object", "matrix");
    const int format = which(words[2], formats, 2);
    if (format == 2)
        return unknown(text, words[2], "format", "coordinate or array");
    const int field = which(words[3], fields, FIELDS);
    if (field == FIELDS)
        return unknown(text, words[3], "field", "real, integer or pattern");
    const int symmetry = which(words[4], symmetries, SYMMETRIES);
    if (symmetry == SYMMETRIES)
        return unknown(text, words[4], "symmetry", "general, symmetric or skew-symmetric");
    CGS_TRY(check_combination(text, format == 1, field, symmetry));
    market->array = format == 1;
    market->field = (enum cgs_market_field)field;
    market->symmetry = (enum cgs_market_symmetry)symmetry;
    return CGS_OK;
}

/* ---- size line ---- */

static enum cgs_status size_number(struct cgs_market_text *text, struct cgs_market_word word,
                                   const char *what, int64_t *number)
{
    char quoted[CGS_MARKET_QUOTED];
    const bool sign = word.text[0] == '-' || word.text[0] == '+';
    int64_t n = 0;
    bool fits = true;
    for (size_t i = sign; i < word.length; i++) {
        const char c = word.text[i];
        if (c < '0' || c > '9' || (sign && word.length == 1))
            return cgs_market_complain(text, text->line, "expected the number of %s, found %s",
                                       what, cgs_market_quote(word, quoted));
        fits =
            fits && !__builtin_mul_overflow(n, 10, &n) && !__builtin_add_overflow(n, c - '0', &n);
    }
    if (!fits)
        return cgs_market_complain(text, text->line, "the number of %s, %s, does not fit 64 bits",
                                   what, cgs_market_quote(word, quoted));
    if (word.text[0] == '-' && n > 0)
        return cgs_market_complain(text, text->line, "the number of %s is negative: -%" PRId64,
                                   what, n);
    *number = n;
    return CGS_OK;
}

static enum cgs_status check_dimension(struct cgs_market_text *text, const char *what, int64_t n)
{
    if (n < 1)
        return cgs_market_complain(text, text->line, "no %s: a matrix here has at least one", what);
    if (n > INT32_MAX)
        return cgs_market_complain(text, text->line,
                                   "%" PRId64 " %s: cgsolve counts columns in 32 bits and takes "
                                   "matrices of at most 2147483647 rows and columns",
                                   n, what);
    return CGS_OK;
}

static int64_t stored_in_array(const struct cgs_market *market)
{
    switch (market->symmetry) {
    case CGS_MARKET_SYMMETRIC:
        return market->rows * (market->rows + 1) / 2;
    case CGS_MARKET_SKEW:
        return market->rows * (market->rows - 1) / 2;
    case CGS_MARKET_GENERAL:
        break;
    }
    return market->rows * market->columns;
}

static enum cgs_status read_size(struct cgs_market_text *text, const char *line,
                                 struct cgs_market *market)
{
    static const char *const what[] = {"rows", "columns", "entries"};
    const int expected = market->array ? 2 : 3;
    int64_t numbers[3];
    int count = 0;
    CGS_TRY(cgs_market_check_cr(text, text->line, line));
    for (struct cgs_market_word word; (word = cgs_market_word(&line)).length > 0; count++)
        if (count < expected)
            CGS_TRY(size_number(text, word, what[count], &numbers[count]));
    if (count != expected)
        return cgs_market_complain(text, text->line, "expected %s, found %d numbers",
                                   market->array ? "the two numbers ROWS COLUMNS"
                                                 : "the three numbers ROWS COLUMNS ENTRIES",
                                   count);
    market->rows = numbers[0];
    market->columns = numbers[1];
    CGS_TRY(check_dimension(text, "rows", market->rows));
    CGS_TRY(check_dimension(text, "columns", market->columns));
    if (market->symmetry != CGS_MARKET_GENERAL && market->rows != market->columns)
        return cgs_market_complain(
            text, text->line,
            "%s, but %" PRId64 " rows and %" PRId64 " columns: expected as many rows as columns",
            market->symmetry == CGS_MARKET_SKEW ? "skew-symmetric" : "symmetric", market->rows,
            market->columns);
    market->stored = market->array ? stored_in_array(market) : numbers[2];
    return CGS_OK;
}

/* Checks that the file can hold what it declares: an entry is at least "1 1 1\n", in a pattern "1
 * 1\n", in an array "1\n"; the last line may lack its end. A short file is read nevertheless, for a
 * better message at its first wrong line, or at its end. */
static enum cgs_status check_room(struct cgs_market_text *text, const struct cgs_market *market,
                                  bool *room)
{
    const int64_t least = market->array ? 2 : market->field == CGS_MARKET_PATTERN ? 4 : 6;
    const int64_t consumed = text->bytes - (int64_t)(text->end - text->begin);
    const int64_t rest = text->text_bytes > consumed ? text->text_bytes - consumed : 0;
    *room = text->text_bytes == INT64_MAX || market->stored <= (rest + 1) / least;
    if (*room || rest <= LITTLE)
        return CGS_OK;
    return cgs_market_complain(text, text->line - 1,
                               "%" PRId64 " entries expected, but the %" PRId64
                               " bytes that follow have room for at most %" PRId64,
                               market->stored, rest, (rest + 1) / least);
}

/* ---- both ---- */

/* Takes a text that begins with a number, behind empty lines and comments by # or %, for one of
 * settings->plain numbers, one a line. Returns false if it is none, or none is wanted. */
static bool read_plain(struct cgs_market_text *text, struct cgs_market *market)
{
    const char *const begin = text->buffer + text->begin, *const end = text->buffer + text->whole;
    const char *line = begin;
    int64_t lines = 0;
    if (!text->settings || text->settings->plain == 0)
        return false;
    for (; line < end; lines++) {
        const char *first = line + strspn(line, " \t\r");
        if (!strchr("#%\n", *first) || strncmp(first, "%%", 2) == 0)
            break;
        line = (const char *)memchr(first, '\n', (size_t)(end - first)) + 1;
    }
    if (line == end) /* comments fill the buffer, behind which is no text */
        return false;
    const char first = line[strspn(line, " \t")];
    if (first == '\0' || !strchr("+-.0123456789", first))
        return false;
    cgs_market_text_skip(text, (size_t)(line - begin), lines);
    market->array = true;
    market->rows = market->stored = text->settings->plain;
    market->columns = 1;
    return true;
}

/* Reads the next line, expected to be `what`. */
static enum cgs_status next_line(struct cgs_market_text *text, const char *what, const char **line,
                                 const char **end)
{
    const char *last;
    CGS_TRY(cgs_market_text_lines(text, line, &last));
    if (*line == last)
        return cgs_market_complain(text, text->line, "the text ends here: expected %s", what);
    *end = memchr(*line, '\n', (size_t)(last - *line));
    return CGS_OK;
}

enum cgs_status cgs_market_header(struct cgs_market_text *text, struct cgs_market *market,
                                  int64_t *size_line, bool *room)
{
    struct cgs_market read = {0};
    struct cgs_market_amgx amgx = {0};
    const char *line = NULL, *end = NULL, *at;
    *size_line = 0;
    if (text->zip) {
        *room = true;
        return cgs_market_npz_header(text, market);
    }
    memcpy(read.member, text->member, sizeof read.member);
    enum cgs_status status =
        next_line(text, "the banner \"%%MatrixMarket matrix ...\"", &line, &end);
    if (status == CGS_FILE) /* a first line without an end */
        cgs_market_name_foreign(text);
    CGS_TRY(status);
    if (cgs_market_is_boeing(text)) {
        *room = true;
        return cgs_market_boeing_header(text, market);
    }
    if (read_plain(text, &read)) {
        *room = true;
        *market = read;
        return CGS_OK;
    }
    CGS_TRY(read_banner(text, line, &read));
    for (;;) {
        cgs_market_text_skip(text, (size_t)(end - line) + 1, 1);
        CGS_TRY(next_line(text, "the size line", &line, &end));
        at = line;
        const struct cgs_market_word first = cgs_market_word(&at);
        if (first.length > 0 && first.text[0] != '%')
            break;
        cgs_market_note_amgx(line, text->line, &amgx);
    }
    CGS_TRY(read_size(text, line, &read));
    *size_line = text->line;
    cgs_market_text_skip(text, (size_t)(end - line) + 1, 1);
    CGS_TRY(cgs_market_check_amgx(text, &read, &amgx));
    CGS_TRY(check_room(text, &read, room));
    *market = read;
    return CGS_OK;
}
