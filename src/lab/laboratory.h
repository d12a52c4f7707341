/* Output files common to the benchmarks cgsolve spmv and cgsolve spgemm. */
#ifndef CGS_SRC_LAB_LABORATORY_H
#define CGS_SRC_LAB_LABORATORY_H

#include "core/io/output.h"
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

#endif
