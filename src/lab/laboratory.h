/* What the laboratories of products share: how a kernel's row ended, and what they write. */
#ifndef CGS_SRC_LAB_LABORATORY_H
#define CGS_SRC_LAB_LABORATORY_H

#include "src/io/output.h"
#include "src/options/call.h"

enum cgs_lab_state {
    CGS_LAB_TIMED,   /* verified and timed */
    CGS_LAB_FAILED,  /* verified and found wrong, or it crashed, hung, ...: never timed */
    CGS_LAB_SKIPPED, /* not for this matrix, precision or machine: not a failure */
    CGS_LAB_DROPPED  /* verified, but far slower than others: its trial was cut short */
};

/* "timed", "failed", ... */
const char *cgs_lab_state_name(enum cgs_lab_state state);

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
