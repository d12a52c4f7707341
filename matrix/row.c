#include "matrix/row.h"

#include "base/memory.h"

enum cgs_status cgs_row_generate(struct cgs_context *context, const struct cgs_row_source *source,
                                 int64_t index, struct cgs_row *row)
{
    struct cgs_row drawn = {.index = index};
    source->lengths(source, index, index + 1, &drawn.length);
    CGS_TRY(cgs_alloc(context, drawn.length, sizeof *drawn.values, "matrix row",
                      (void **)&drawn.values));
    const enum cgs_status status = cgs_alloc(context, drawn.length, sizeof *drawn.columns,
                                             "matrix row", (void **)&drawn.columns);
    if (status != CGS_OK) {
        cgs_free(context, drawn.values);
        return status;
    }
    source->fill(source, index, index + 1, drawn.columns, drawn.values);
    *row = drawn;
    return CGS_OK;
}

void cgs_row_release(struct cgs_context *context, struct cgs_row *row)
{
    cgs_free(context, row->columns);
    cgs_free(context, row->values);
}

double cgs_row_entry(int32_t length, const int32_t *columns, const double *values, int64_t column,
                     bool *there)
{
    int32_t low = 0, high = length;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    *there = low < length && columns[low] == column;
    return *there ? values[low] : 0.0;
}

void cgs_row_sort(int64_t count, int32_t *columns, double *values)
{
    int64_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t e = gap; e < count; e++) {
            const int32_t own = columns[e];
            const double value = values[e];
            int64_t at = e;
            for (; at >= gap && columns[at - gap] > own; at -= gap) {
                columns[at] = columns[at - gap];
                values[at] = values[at - gap];
            }
            columns[at] = own;
            values[at] = value;
        }
}
