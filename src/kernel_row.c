#include "src/kernel_row.h"

#include <stdbool.h>
#include <stdio.h>

/* A file's text is pure chance where it should be a word. */
static const char *word(json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static bool same(json_t *a, json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key)) ||
           (!json_object_get(a, key) && !json_object_get(b, key));
}

/* The baseline on one thread is another kernel than the same on all. */
static bool is_baseline(json_t *row)
{
    return json_is_true(json_object_get(row, "baseline"));
}

json_t *cgs_kernel_row_find(json_t *rows, json_t *row)
{
    for (int strict = 1; strict >= 0; strict--) {
        size_t index;
        json_t *other;
        json_array_foreach(
            rows, index,
            other) if (same(row, other, "name") && same(row, other, "device") &&
                       same(row, other, "format") && is_baseline(row) == is_baseline(other) &&
                       (!strict || (same(row, other, "chunk") && same(row, other, "sigma") &&
                                    same(row, other, "threads")))) return other;
    }
    return NULL;
}

json_t *cgs_report_kernels(json_t *report)
{
    return json_object_get(json_object_get(report, "spmv"), "kernels");
}

const char *cgs_kernel_label(json_t *row, char *text, size_t size)
{
    char layout[48] = "";
    if (json_object_get(row, "chunk"))
        snprintf(layout, sizeof layout, " %lld-%lld",
                 (long long)json_integer_value(json_object_get(row, "chunk")),
                 (long long)json_integer_value(json_object_get(row, "sigma")));
    snprintf(text, size, "%s%s, %s%s", word(row, "name"), layout, word(row, "device"),
             is_baseline(row) ? ", 1 thread" : "");
    return text;
}
