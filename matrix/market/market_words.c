#include "matrix/market/market_words.h"

#include <stdio.h>
#include <string.h>

struct cgs_market_word cgs_market_word(const char **at)
{
    const char *p = *at;
    while (*p == ' ' || *p == '\t')
        p++;
    const char *const begin = p;
    while (*p != ' ' && *p != '\t' && !cgs_market_at_end(p))
        p++;
    *at = p;
    return (struct cgs_market_word){begin, (size_t)(p - begin)};
}

enum cgs_status cgs_market_check_cr(struct cgs_market_text *text, int64_t line, const char *begin)
{
    const char *at = begin;
    while (*at != '\r' && *at != '\n')
        at++;
    if (cgs_market_at_end(at))
        return CGS_OK;
    return cgs_market_complain(
        text, line,
        "a CR (carriage return, \\x0d) within the line, byte %td of it: lines "
        "end with LF or CR LF",
        at - begin + 1);
}

const char *cgs_market_quote(struct cgs_market_word word, char quoted[CGS_MARKET_QUOTED])
{
    size_t length = 0;
    quoted[length++] = '"';
    for (size_t i = 0; i < word.length; i++) {
        if (length > CGS_MARKET_QUOTED - 10) {
            memcpy(quoted + length, "...", 3);
            length += 3;
            break;
        }
        const unsigned char c = (unsigned char)word.text[i];
        if (c >= ' ' && c < 127)
            quoted[length++] = (char)c;
        else
            length += (size_t)snprintf(quoted + length, 5, "\\x%02x", c);
    }
    quoted[length++] = '"';
    quoted[length] = '\0';
    return quoted;
}
