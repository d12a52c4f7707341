#include <inttypes.h>
#include <math.h>

#include "matrix/crs_check.h"

/* A row is read only if its pointers are correct. */
static bool pointers_right(const struct cgs_crs *crs, int64_t i)
{
    const int64_t begin = crs->pointers[i], end = crs->pointers[i + 1];
    return begin >= 0 && begin <= end && end - begin <= crs->columns;
}

static bool entry_right(const struct cgs_crs *crs, int64_t i, int64_t k)
{
    const int32_t column = crs->column[k];
    return column >= 0 && column < crs->columns && isfinite(crs->value[k]) &&
           (k == crs->pointers[i] || crs->column[k - 1] < column);
}

static bool row_right(const struct cgs_crs *crs, int64_t i)
{
    for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++)
        if (!entry_right(crs, i, k))
            return false;
    return true;
}

static enum cgs_status refuse_pointers(struct cgs_context *context, const struct cgs_crs *crs,
                                       int64_t i)
{
    const int64_t begin = crs->pointers[i], end = crs->pointers[i + 1];
    if (end < begin)
        return cgs_fail(context, CGS_FILE,
                        "row %" PRId64 ": pointers[%" PRId64 "] = %" PRId64 " follows %" PRId64
                        ": expected pointers that do not descend",
                        i, i + 1, end, begin);
    return cgs_fail(context, CGS_FILE,
                    "row %" PRId64 " has %" PRId64 " entries by its pointers (%" PRId64
                    " ... %" PRId64 "), more than there are columns (%" PRId64 ")",
                    i, end - begin, begin, end, crs->columns);
}

static enum cgs_status refuse_row(struct cgs_context *context, const struct cgs_crs *crs, int64_t i)
{
    int64_t k = crs->pointers[i];
    while (entry_right(crs, i, k))
        k++;
    const int32_t column = crs->column[k];
    if (column < 0 || column >= crs->columns)
        return cgs_fail(context, CGS_FILE,
                        "row %" PRId64 ": columns[%" PRId64 "] = %" PRId32
                        " is out of range: expected 0 ... %" PRId64,
                        i, k, column, crs->columns - 1);
    if (!isfinite(crs->value[k]))
        return cgs_fail(context, CGS_FILE,
                        "row %" PRId64 ": values[%" PRId64 "] = %g in column %" PRId32
                        ": expected a finite number",
                        i, k, crs->value[k], column);
    return cgs_fail(context, CGS_FILE,
                    "row %" PRId64 ": columns[%" PRId64 "] = %" PRId32 " follows %" PRId32
                    ": expected columns in ascending order, each once",
                    i, k, column, crs->column[k - 1]);
}

enum cgs_status cgs_crs_check(struct cgs_context *context, const struct cgs_crs *crs,
                              int64_t nonzeros)
{
    const int64_t rows = crs->rows;
    int64_t first = rows;
    if (rows < 1 || crs->columns < 1 || crs->columns > INT32_MAX)
        return cgs_fail(context, CGS_FILE,
                        "a matrix of %" PRId64 " rows and %" PRId64 " columns: expected 1 or more, "
                        "and of columns at most %" PRId32,
                        rows, crs->columns, INT32_MAX);
    if (nonzeros < rows)
        return cgs_fail(context, CGS_FILE,
                        "a matrix of %" PRId64 " rows and %" PRId64
                        " entries: expected one or more in each row, that of the diagonal",
                        rows, nonzeros);
    if (crs->pointers[0] != 0)
        return cgs_fail(context, CGS_FILE, "pointers[0] = %" PRId64 ": expected 0",
                        crs->pointers[0]);
#pragma omp parallel for schedule(static) reduction(min : first) num_threads(context->threads)
    for (int64_t i = 0; i < rows; i++)
        if (!pointers_right(crs, i) && i < first)
            first = i;
    if (first < rows)
        return refuse_pointers(context, crs, first);
    if (crs->pointers[rows] != nonzeros)
        return cgs_fail(context, CGS_FILE,
                        "pointers[%" PRId64 "] = %" PRId64 ": expected %" PRId64
                        ", the number of entries",
                        rows, crs->pointers[rows], nonzeros);
#pragma omp parallel for schedule(static) reduction(min : first) num_threads(context->threads)
    for (int64_t i = 0; i < rows; i++)
        if (i < first && !row_right(crs, i))
            first = i;
    return first < rows ? refuse_row(context, crs, first) : CGS_OK;
}
