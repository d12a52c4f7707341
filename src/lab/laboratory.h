/* What the laboratories of products share: where they compute, and what they write. */
#ifndef CGS_SRC_LAB_LABORATORY_H
#define CGS_SRC_LAB_LABORATORY_H

#include "src/io/output.h"
#include "src/options/options.h"
#include "src/plan/forecast.h"
#include "src/setup/machine.h"

/* Opens the machine of a run whose --kernel= names kernels of these devices (a bit each): those of one
 * device alone settle where to compute. Decides options, and measures the room. */
enum cgs_status cgs_lab_open_machine(struct cgs_context *context, struct cgs_options *options,
                                     int devices, struct cgs_machine *machine,
                                     struct cgs_room *room);

/* What spmv and spgemm write beside text and figure. */
struct cgs_lab_outputs {
    struct cgs_output json, csv, matrix;
};
/* Makes sure of them, and that the figure can be drawn: before any work. `what`: "the matrix", of that
 * path. */
enum cgs_status cgs_lab_outputs_open(struct cgs_context *context, const struct cgs_options *options,
                                     const char *what, const char *path,
                                     struct cgs_lab_outputs *outputs);

#endif
