/* A single row: generated for messages that name entries, searched, sorted. */
#pragma once

#include "base/context.h"
#include "matrix/row_source.h"

struct cgs_row {
    int64_t index;
    int32_t length;
    int32_t *columns; /* length, ascending */
    double *values;   /* length */
};

/* Generates row `index` of the source; to be released. CGS_MEMORY. */
enum cgs_status cgs_row_generate(struct cgs_context *context, const struct cgs_row_source *source,
                                 int64_t index, struct cgs_row *row);
void cgs_row_release(struct cgs_context *context, struct cgs_row *row);

/* Returns the entry in that column by binary search, 0 if there is none. *there: true if there is
 * one. */
double cgs_row_entry(int32_t length, const int32_t *columns, const double *values, int64_t column,
                     bool *there);

/* Sorts a row by columns, which differ (D. L. Shell, Commun. ACM 2 (1959) 30-32). */
void cgs_row_sort(int64_t count, int32_t *columns, double *values);
