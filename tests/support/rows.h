/* For tests: a whole matrix gathered from a row source, in plain arrays. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/row_source.h"
#include "tests/support/check.h"

struct rows {
    int64_t count, entries;
    int32_t *length;  /* [count] */
    int64_t *start;   /* [count + 1] */
    int32_t *columns; /* [entries] */
    double *values;   /* [entries] */
};

/* Filled `piece` rows at a time; what a piece must not write stays poisoned. */
static inline struct rows rows_gather(const struct cgs_row_source *source, int64_t piece)
{
    struct rows rows = {.count = source->rows};
    rows.length = malloc((size_t)rows.count * sizeof *rows.length);
    rows.start = malloc((size_t)(rows.count + 1) * sizeof *rows.start);
    memset(rows.length, 0xff, (size_t)rows.count * sizeof *rows.length);
    for (int64_t first = 0; first < rows.count; first += piece) {
        const int64_t last = first + piece < rows.count ? first + piece : rows.count;
        source->lengths(source, first, last, rows.length + first);
    }
    rows.start[0] = 0;
    for (int64_t i = 0; i < rows.count; i++)
        rows.start[i + 1] = rows.start[i] + rows.length[i];
    rows.entries = rows.start[rows.count];
    rows.columns = malloc((size_t)rows.entries * sizeof *rows.columns);
    rows.values = malloc((size_t)rows.entries * sizeof *rows.values);
    memset(rows.columns, 0xff, (size_t)rows.entries * sizeof *rows.columns);
    memset(rows.values, 0xff, (size_t)rows.entries * sizeof *rows.values);
    for (int64_t first = 0; first < rows.count; first += piece) {
        const int64_t last = first + piece < rows.count ? first + piece : rows.count;
        source->fill(source, first, last, rows.columns + rows.start[first],
                     rows.values + rows.start[first]);
    }
    return rows;
}

static inline void rows_free(struct rows *rows)
{
    free(rows->length);
    free(rows->start);
    free(rows->columns);
    free(rows->values);
}

static inline void rows_multiply(const struct rows *rows, const double *x, double *y)
{
    for (int64_t i = 0; i < rows->count; i++) {
        double sum = 0.0;
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            sum += rows->values[k] * x[rows->columns[k]];
        y[i] = sum;
    }
}

/* a_ij by search; 0 where the row has no such column. */
static inline double rows_entry(const struct rows *rows, int64_t i, int64_t j)
{
    for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        if (rows->columns[k] == j)
            return rows->values[k];
    return 0.0;
}
