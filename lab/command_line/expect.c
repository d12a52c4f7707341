#include "lab/command_line/expect.h"

#include <stdio.h>
#include <string.h>

#include "core/options/values.h"

const struct cgs_norm_row cgs_norms[CGS_NORMS] = {
#define CGS_NORM(ID, name, head, title) {#name, head, title},
#include "lab/command_line/norms.def"
#undef CGS_NORM
};

/* Reads a number of `length` characters, 0 < value < 20. */
static bool read_number(const char *text, size_t length, double *value)
{
    char number[64];
    if (length >= sizeof number)
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    return cgs_value_real(number, 0.0, 20.0, value) == CGS_VALUE_FINE;
}

/* Reads "l2:2" or "l2:2:0.03", `length` characters. */
static bool read_one(const char *text, size_t length, struct cgs_expectation *e)
{
    const char *const end = text + length;
    const char *colon = memchr(text, ':', length);
    if (!colon)
        return false;
    for (int i = 0; i < CGS_NORMS; i++) {
        const char *name = cgs_norms[i].name;
        if (strlen(name) != (size_t)(colon - text) || strncmp(text, name, strlen(name)) != 0)
            continue;
        const char *order = colon + 1, *second = memchr(order, ':', (size_t)(end - order));
        const char *stop = second ? second : end;
        if (e->given[i] || !read_number(order, (size_t)(stop - order), &e->order[i]) ||
            (second && !read_number(second + 1, (size_t)(end - second - 1), &e->tolerance[i])))
            return false;
        e->given[i] = true;
        return true;
    }
    return false;
}

bool cgs_expectation_read(const char *text, struct cgs_expectation *out)
{
    struct cgs_expectation e = {.theory = strcmp(text, "theory") == 0};
    if (!e.theory && strcmp(text, "none") != 0)
        for (const char *at = text;; at++) {
            const size_t length = strcspn(at, ",");
            if (!read_one(at, length, &e))
                return false;
            at += length;
            if (*at == '\0')
                break;
        }
    *out = e;
    return true;
}
