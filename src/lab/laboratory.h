/* What the laboratories of products share: where they compute, and what they write. */
#ifndef CGS_SRC_LAB_LABORATORY_H
#define CGS_SRC_LAB_LABORATORY_H

#include "src/io/output.h"
#include "src/options/call.h"

/* What spmv and spgemm write beside text and figure. */
struct cgs_lab_outputs {
    struct cgs_output json, csv, matrix;
};
/* Makes sure of them, and that the figure can be drawn: before any work. `what`: "the matrix", of that
 * path. */
enum cgs_status cgs_lab_outputs_open(struct cgs_context *context, const struct cgs_files *files,
                                     const char *what, const char *path,
                                     struct cgs_lab_outputs *outputs);

#endif
