#include "src/tune/break_even.h"

#include <math.h>
#include <string.h>

#include "src/io/format.h"
#include "src/tune/noise.h"

/* A way to solve: seconds of what is made once, and of a solve. */
struct way {
    double once, solve;
};

static struct way way_of(const json_t *report)
{
    const json_t *solves = json_object_get(report, "solves");
    return (struct way){json_number_value(json_object_get(solves, "once_seconds")),
                        json_number_value(json_object_get(solves, "median_seconds"))};
}

json_t *cgs_break_even(json_t *a, json_t *b)
{
    const struct way ways[2] = {way_of(a), way_of(b)};
    const int faster = ways[1].solve < ways[0].solve;
    const struct way *quick = &ways[faster], *slow = &ways[!faster];
    if (!(quick->solve > 0.0) || slow->solve < (1.0 + CGS_NOISE) * quick->solve)
        return NULL;
    /* quick->once + k quick->solve < slow->once + k slow->solve */
    const double k = (quick->once - slow->once) / (slow->solve - quick->solve);
    json_t *o = json_object();
    json_object_set_new(o, "faster", json_string(faster ? "b" : "a"));
    json_object_set_new(o, "solves", json_integer(k < 1.0 ? 1 : (json_int_t)floor(k) + 1));
    json_object_set_new(o, "once_seconds", json_real(quick->once));
    json_object_set_new(o, "once_seconds_other", json_real(slow->once));
    json_object_set_new(o, "solve_seconds", json_real(quick->solve));
    json_object_set_new(o, "solve_seconds_other", json_real(slow->solve));
    return o;
}

static const char *seconds_of(json_t *o, const char *key, cgs_text text)
{
    return cgs_seconds_text(json_number_value(json_object_get(o, key)), text);
}

void cgs_break_even_text(const struct cgs_page *page, json_t *o)
{
    const bool b = strcmp(json_string_value(json_object_get(o, "faster")), "b") == 0;
    const long long solves = json_integer_value(json_object_get(o, "solves"));
    cgs_text text[4], from;
    snprintf(from, sizeof from, solves == 1 ? "from the first solve" : "from %lld solves on",
             solves);
    cgs_page_section(page, "Pays");
    fprintf(page->file, "%s %s: made once in %s, a solve %s; %s: %s, %s\n", b ? "B" : "A", from,
            seconds_of(o, "once_seconds", text[0]), seconds_of(o, "solve_seconds", text[1]),
            b ? "A" : "B", seconds_of(o, "once_seconds_other", text[2]),
            seconds_of(o, "solve_seconds_other", text[3]));
}
