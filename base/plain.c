#include "base/plain.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool cgs_printable(uint32_t code)
{
    static const uint32_t none[][2] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c},
        {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
    };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (code >= none[i][0] && code <= none[i][1])
            return false;
    return true;
}

/* Length of a character by its first byte; 0: invalid. */
static int length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

int cgs_character(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    const int length = size > 0 ? length_of(byte[0]) : 0;
    uint32_t number = length < 2 ? (size > 0 ? byte[0] : 0) : byte[0] & (0x7fu >> length);
    *code = 0;
    if (size == 0)
        return 0;
    for (int i = 1; i < length; i++) {
        if ((size_t)i >= size)
            return 0;
        if ((byte[i] & 0xc0) != 0x80)
            return 1;
        number = number << 6 | (byte[i] & 0x3f);
    }
    if (length == 0 || number < least[length] || number > 0x10ffff ||
        (number >= 0xd800 && number < 0xe000))
        return 1;
    *code = number;
    return length;
}

void cgs_make_plain(char *text)
{
    const char *const end = text + strlen(text) + 1; /* zero bytes follow a cut-off character */
    while (*text) {
        uint32_t code;
        const int length = cgs_character(text, (size_t)(end - text), &code);
        if (!cgs_printable(code))
            memset(text, '?', (size_t)length);
        text += length;
    }
}

static const char *dashes = "";

void cgs_name_options(void)
{
    dashes = "--";
}

void cgs_name_settings(char *text, size_t size)
{
    for (char *at = text; (at = strchr(at, '\1')) != NULL;) {
        const size_t before = strlen(dashes), room = size - (size_t)(at - text) - before - 1;
        const size_t kept = strnlen(at + 1, room);
        memmove(at + before, at + 1, kept);
        at[before + kept] = '\0';
        memcpy(at, dashes, before);
        for (; !before && (isalnum((unsigned char)*at) || *at == '-'); at++)
            if (*at == '-')
                *at = '_';
    }
}

const char *cgs_plain(const char *text, cgs_name copy)
{
    snprintf(copy, sizeof(cgs_name), "%s", text);
    cgs_make_plain(copy);
    return copy;
}

void cgs_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

const char *cgs_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *cgs_ordinal(int64_t number)
{
    const int64_t tens = number / 10 % 10, ones = number % 10;
    return tens == 1 ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
}
