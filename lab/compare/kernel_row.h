/* Reads the kernel tables in JSON reports of `cgsolve spmv` and `cgsolve spgemm`. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns the report's array of kernel rows, borrowed; NULL if it has none. */
json_t *cgs_kernel_rows(json_t *report);

/* Finds the kernel of `row` in `rows`: the row with the same layout and threads, else one with the
 * same name, device and format. A single-threaded baseline matches baselines only. Borrowed; NULL:
 * none. */
json_t *cgs_kernel_row_find(json_t *rows, json_t *row);

/* Write "sell_chunk 8-1" and "sell_chunk 8-1, cpu", the label with ", 1 thread" for a baseline.
 * Both return `text`. */
const char *cgs_kernel_row_name(json_t *row, char *text, size_t size);
const char *cgs_kernel_row_label(json_t *row, char *text, size_t size);

/* Measurement of one kernel on one matrix. */
struct cgs_kernel_point {
    double entries, median, least, most; /* nonzeros (spgemm: multiplications); seconds */
    int threads;                         /* 0: not a CPU kernel */
    const char *device;                  /* borrowed */
};

/* Nonzeros of the report's matrix, or the multiplications of an spgemm report; 0: unknown. */
double cgs_kernel_rows_entries(json_t *report);

/* Reads a row's measurement. Returns false if the row was not timed. */
bool cgs_kernel_row_point(json_t *report, json_t *row, struct cgs_kernel_point *point);
