#include "src/expect.h"

#include <stdio.h>
#include <string.h>

#include "src/values.h"

static const char *const names[CGS_NORMS] = {
    [CGS_NORM_L2] = "l2",
    [CGS_NORM_NODAL_L2] = "nodal_l2",
    [CGS_NORM_H1] = "h1",
    [CGS_NORM_MAX] = "max",
};

const char *cgs_norm_name(enum cgs_norm norm)
{
    return names[norm];
}

/* A number of `length` characters, 0 < value < 20. */
static bool read_number(const char *text, size_t length, double *value)
{
    char number[64];
    if (length >= sizeof number)
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    return cgs_value_real(number, 0.0, 20.0, value) == CGS_VALUE_FINE;
}

/* "l2:2" or "l2:2:0.03", `length` characters. */
static bool read_one(const char *text, size_t length, struct cgs_expectation *e)
{
    const char *const end = text + length;
    const char *colon = memchr(text, ':', length);
    if (!colon)
        return false;
    for (int i = 0; i < CGS_NORMS; i++) {
        if (strlen(names[i]) != (size_t)(colon - text) ||
            strncmp(text, names[i], strlen(names[i])) != 0)
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
