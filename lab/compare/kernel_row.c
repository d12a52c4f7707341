#include "lab/compare/kernel_row.h"

#include <stdio.h>

/* Returns the text under `key`, "" if a malformed file has something else there. */
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

/* Returns true for a single-threaded baseline, which is distinct from the same kernel on all
 * threads. */
static bool is_baseline(json_t *row)
{
    return json_is_true(json_object_get(row, "beside")) &&
           json_integer_value(json_object_get(row, "threads")) == 1 &&
           !json_is_true(json_object_get(row, "default_kernel"));
}

static bool same_kernel(json_t *a, json_t *b, bool strict)
{
    return same(a, b, "name") && same(a, b, "device") && same(a, b, "format") &&
           is_baseline(a) == is_baseline(b) &&
           (!strict || (same(a, b, "chunk") && same(a, b, "sigma") && same(a, b, "threads")));
}

json_t *cgs_kernel_row_find(json_t *rows, json_t *row)
{
    for (int strict = 1; strict >= 0; strict--) {
        size_t index;
        json_t *other;
        json_array_foreach(rows, index, other)
        {
            if (same_kernel(row, other, strict))
                return other;
        }
    }
    return NULL;
}

json_t *cgs_kernel_rows(json_t *report)
{
    json_t *spmv = json_object_get(report, "spmv");
    return json_object_get(spmv ? spmv : report, "kernels");
}

const char *cgs_kernel_row_name(json_t *row, char *text, size_t size)
{
    char layout[48] = "";
    if (json_object_get(row, "chunk"))
        snprintf(layout, sizeof layout, " %lld-%lld",
                 (long long)json_integer_value(json_object_get(row, "chunk")),
                 (long long)json_integer_value(json_object_get(row, "sigma")));
    snprintf(text, size, "%s%s", word(row, "name"), layout);
    return text;
}

const char *cgs_kernel_row_label(json_t *row, char *text, size_t size)
{
    char name[128];
    snprintf(text, size, "%s, %s%s", cgs_kernel_row_name(row, name, sizeof name),
             word(row, "device"), is_baseline(row) ? ", 1 thread" : "");
    return text;
}

double cgs_kernel_rows_entries(json_t *report)
{
    json_t *matrix = json_object_get(json_object_get(report, "spmv"), "matrix");
    json_t *product = json_object_get(report, "product");
    return json_number_value(product ? json_object_get(product, "products")
                                     : json_object_get(matrix, "nonzeros"));
}

bool cgs_kernel_row_point(json_t *report, json_t *row, struct cgs_kernel_point *p)
{
    *p = (struct cgs_kernel_point){
        .entries = cgs_kernel_rows_entries(report),
        .median = json_number_value(json_object_get(row, "median_seconds")),
        .least = json_number_value(json_object_get(row, "min_seconds")),
        .most = json_number_value(json_object_get(row, "max_seconds")),
        .threads = (int)json_integer_value(json_object_get(row, "threads")),
        .device = json_string_value(json_object_get(row, "device")),
    };
    return p->entries > 0.0 && p->median > 0.0 && p->least > 0.0 && p->most > 0.0 && p->device;
}
