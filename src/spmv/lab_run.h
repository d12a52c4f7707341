/* Measures the rows of the table. */
#pragma once

#include <stdio.h>

#include "src/spmv/lab.h"

/* Opens users' kernels (where there are none yet) and the machine of the kernels that --kernel=
 * names. Statuses of cgs_user_kernels_open and cgs_machine_open_for. */
enum cgs_status cgs_lab_open_machine(struct cgs_context *context, struct cgs_options *options,
                                     struct cgs_user_kernels *user_kernels,
                                     struct cgs_machine *machine);

/* Opens the machine, reads the matrix and measures all rows; results so far stay in *lab on errors,
 * too. machine and input are those that *lab points at: zeroed before, closed and released by the
 * caller. */
enum cgs_status cgs_lab_run(struct cgs_context *context, struct cgs_options *options, FILE *verbose,
                            struct cgs_machine *machine, struct cgs_input *input,
                            struct cgs_lab *lab);
void cgs_lab_release(struct cgs_context *context, struct cgs_lab *lab);
