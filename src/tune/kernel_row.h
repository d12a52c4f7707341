/* Rows of the tables of kernels, of the laboratory and of spgemm, as they stand in JSON reports. */
#ifndef CGS_SRC_TUNE_KERNEL_ROW_H
#define CGS_SRC_TUNE_KERNEL_ROW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The rows of a report of `cgsolve spmv` or `spgemm`; NULL where it has none. Borrowed. */
json_t *cgs_kernel_rows(json_t *report);

/* The row of `rows` that is the same kernel as `row`: with the same layout and threads, else one of
 * that name and format that stands for it, on all threads or as the baseline on one. NULL: none. */
json_t *cgs_kernel_row_find(json_t *rows, json_t *row);

/* "sell_chunk 8-1"; and "sell_chunk 8-1, cpu", ", 1 thread" for a baseline. */
const char *cgs_kernel_row_name(json_t *row, char *text, size_t size);
const char *cgs_kernel_row_label(json_t *row, char *text, size_t size);

/* One kernel on one matrix. */
struct cgs_kernel_point {
    double entries, median, least, most; /* of the matrix (spgemm: products); seconds */
    int threads;                         /* 0: not of the CPU */
    const char *device;                  /* borrowed */
};

/* Entries of the report's matrix, products of that of spgemm; 0: not known. */
double cgs_kernel_rows_entries(json_t *report);

/* False: the row was not timed. */
bool cgs_kernel_row_point(json_t *report, json_t *row, struct cgs_kernel_point *point);

#endif
