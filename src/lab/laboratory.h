/* Output files common to the benchmarks cgsolve spmv and cgsolve spgemm. */
#pragma once

#include "core/io/output.h"
#include "core/io/page.h"
#include "lab/command_line/call.h"

/* Outputs of spmv and spgemm other than text and figure. */
struct cgs_lab_outputs {
    struct cgs_output json, csv, matrix;
};
/* Checks before any work that the files can be written and the figure drawn. `path`: file for the
 * matrix, which messages call `what`. The caller commits or discards each output. */
enum cgs_status cgs_lab_outputs_open(struct cgs_context *context, const struct cgs_files *files,
                                     const char *what, const char *path,
                                     struct cgs_lab_outputs *outputs);

/* How a benchmark writes its table, *self. */
struct cgs_lab_table {
    const void *self;
    bool filled, drawn, told; /* there is something for the CSV, the figure, the text */
    void (*csv)(FILE *file, const void *self);
    enum cgs_status (*plot)(struct cgs_context *context, const void *self, const char *path);
    void (*text)(const struct cgs_page *page, const void *self);
    enum cgs_status (*json)(struct cgs_context *context, FILE *file, const void *self);
};
/* Writes CSV, figure, text and JSON, in this order, so that the JSON report includes the write
 * errors of the others. */
void cgs_lab_outputs_write(struct cgs_context *context, const struct cgs_call *call,
                           struct cgs_lab_outputs *outputs, const struct cgs_lab_table *table);
