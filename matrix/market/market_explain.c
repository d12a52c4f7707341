/* Finds the error in a line, word by word: slow, and only for the one line that is reported. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "matrix/market/market_explain.h"
#include "matrix/market/market_number.h"
#include "matrix/market/market_words.h"

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

const char *cgs_market_declared(int64_t size_line, char declared[32])
{
    if (size_line == 0)
        return ", one for each row of the matrix";
    snprintf(declared, 32, " (line %" PRId64 ")", size_line);
    return declared;
}

enum cgs_status cgs_market_explain(struct cgs_market_text *text, const struct cgs_market *market,
                                   int64_t size_line, int64_t line, const char *at, int64_t entry,
                                   locale_t c)
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
                                   market->stored, cgs_market_declared(size_line, declared));
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

enum cgs_status cgs_market_explain_mixed(struct cgs_market_text *text,
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
