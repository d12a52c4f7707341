#include "core/options/values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the decimal number at the start of text; *rest: the text after it. Returns 0 if there is
 * none. Unlike strtod, rejects blanks, hexadecimal, "nan" and "inf". */
static int decimal(const char *text, double *value, const char **rest)
{
    const char *p = text + (*text == '+' || *text == '-');
    if (!isdigit((unsigned char)p[0]) && !(p[0] == '.' && isdigit((unsigned char)p[1])))
        return 0;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        *value = 0.0;
        *rest = p + 1;
        return 1;
    }
    char *end;
    *value = strtod(text, &end);
    *rest = end;
    return 1;
}

enum cgs_value_fault cgs_value_whole(const char *text, double least, double most, int64_t *value)
{
    double number;
    const char *rest;
    if (!decimal(text, &number, &rest) || *rest != '\0')
        return CGS_VALUE_NOT_A_NUMBER;
    if (number < least || number > most)
        return CGS_VALUE_OUT_OF_RANGE;
    if (number != floor(number))
        return CGS_VALUE_NOT_WHOLE;
    *value = (int64_t)number;
    return CGS_VALUE_FINE;
}

enum cgs_value_fault cgs_value_real(const char *text, double least, double most, double *value)
{
    double number;
    const char *rest;
    if (!decimal(text, &number, &rest) || *rest != '\0')
        return CGS_VALUE_NOT_A_NUMBER;
    if (!(number > least && number < most))
        return CGS_VALUE_OUT_OF_RANGE;
    *value = number;
    return CGS_VALUE_FINE;
}

void cgs_value_write(double value, char *text, size_t size)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

enum cgs_value_fault cgs_value_size(const char *text, double least, double most, int64_t *value)
{
    static const char letters[] = "KMGT";
    double number, base = 1e3;
    const char *rest;
    if (!decimal(text, &number, &rest))
        return CGS_VALUE_NOT_A_NUMBER;
    const char *letter = *rest ? strchr(letters, toupper((unsigned char)*rest)) : NULL;
    if (letter) {
        rest++;
        if (*rest == 'i') {
            base = 1024.0;
            rest++;
        }
        number *= pow(base, (double)(letter - letters + 1));
    }
    if (*rest == 'B' || *rest == 'b')
        rest++;
    if (*rest != '\0')
        return CGS_VALUE_NOT_A_NUMBER;
    if (!(number >= least && number <= most))
        return CGS_VALUE_OUT_OF_RANGE;
    *value = (int64_t)number;
    return CGS_VALUE_FINE;
}

static bool ends_in(const char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

bool cgs_plugin_named(const char *name)
{
    return strchr(name, '/') || ends_in(name, ".so") || ends_in(name, ".c") || ends_in(name, ".cu");
}
