#include "matrix/market/market_npy.h"

#include <ctype.h>
#include <string.h>

static const char *skip(const char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

/* Returns the text after `word` and blanks; NULL if it is not there. */
static const char *past(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return text && strncmp(text, word, length) == 0 ? skip(text + length) : NULL;
}

static bool little_endian(void)
{
    return *(const unsigned char *)&(const uint16_t){1} == 1;
}

/* Reads '<f8' with its quotes. Returns NULL if it is no type of one number; type 0: one that is
 * not read here. */
static const char *read_type(struct cgs_npy *npy, const char *text)
{
    const char quote = *text, order = text[0] ? text[1] : '\0';
    const char *end = (quote == '\'' || quote == '"') && order ? strchr(text + 1, quote) : NULL;
    if (!end)
        return NULL;
    npy->type = '\0';
    if (end - text == 4 && strchr("<>|=", order) && isdigit((unsigned char)text[3])) {
        const char type = text[2];
        const int size = text[3] - '0';
        const bool whole =
            (type == 'i' || type == 'u') && (size == 1 || size == 2 || size == 4 || size == 8);
        if (whole || (type == 'f' && (size == 4 || size == 8))) {
            npy->type = type;
            npy->size = size;
            npy->swap = (order == '<' && !little_endian()) || (order == '>' && little_endian());
        }
    }
    return skip(end + 1);
}

static const char *read_shape(struct cgs_npy *npy, const char *text)
{
    text = past(text, "(");
    npy->dimensions = 0;
    while (text && *text != ')') {
        int64_t length = 0;
        if (!isdigit((unsigned char)*text) || npy->dimensions == CGS_NPY_DIMENSIONS)
            return NULL;
        for (; isdigit((unsigned char)*text); text++) {
            if (length > INT64_MAX / 10 - 1)
                return NULL;
            length = 10 * length + (*text - '0');
        }
        npy->shape[npy->dimensions++] = length;
        text = skip(text);
        if (*text == ',')
            text = skip(text + 1);
        else if (*text != ')' || npy->dimensions == 1) /* (5) is a number, not a shape */
            return NULL;
    }
    return past(text, ")");
}

/* Reads the value of key k, 'descr', 'fortran_order' or 'shape'. Returns the text after it;
 * NULL: malformed. */
static const char *read_value(struct cgs_npy *npy, int k, const char *text)
{
    if (k == 0)
        return read_type(npy, text);
    if (k == 2)
        return read_shape(npy, text);
    const char *rest = past(text, "True");
    npy->fortran = rest;
    return rest ? rest : past(text, "False");
}

bool cgs_npy_header(const char *text, struct cgs_npy *npy)
{
    static const char *const keys[3] = {"descr", "fortran_order", "shape"};
    bool found[3] = {false, false, false};
    text = past(skip(text), "{");
    while (text && *text != '}') {
        const char quote[2] = {*text, '\0'};
        const char *value = NULL;
        int k = -1;
        if (*text != '\'' && *text != '"')
            return false;
        while (!value && ++k < 3)
            value = past(past(past(text + 1, keys[k]), quote), ":");
        if (!value || found[k])
            return false;
        found[k] = true;
        text = read_value(npy, k, value);
        if (text && *text == ',')
            text = skip(text + 1);
        else if (text && *text != '}')
            return false;
    }
    text = past(text, "}");
    return text && (*text == '\0' || strcmp(text, "\n") == 0) && found[0] && found[1] && found[2];
}

double cgs_npy_number(const struct cgs_npy *npy, const unsigned char *bytes)
{
    unsigned char b[8] = {0};
    for (int i = 0; i < npy->size; i++)
        b[i] = bytes[npy->swap ? npy->size - 1 - i : i];
#define CGS_AS(type)                                                                               \
    do {                                                                                           \
        type number;                                                                               \
        memcpy(&number, b, sizeof number);                                                         \
        return (double)number;                                                                     \
    } while (0)
    if (npy->type == 'f') {
        if (npy->size == 4)
            CGS_AS(float);
        CGS_AS(double);
    }
    const bool sign = npy->type == 'i';
    switch (npy->size) {
    case 1:
        return sign ? (double)(int8_t)b[0] : (double)b[0];
    case 2:
        if (sign)
            CGS_AS(int16_t);
        CGS_AS(uint16_t);
    case 4:
        if (sign)
            CGS_AS(int32_t);
        CGS_AS(uint32_t);
    default:
        if (sign)
            CGS_AS(int64_t);
        CGS_AS(uint64_t);
    }
#undef CGS_AS
}
