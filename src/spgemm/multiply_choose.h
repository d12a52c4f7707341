/* Kernels of the table. */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_CHOOSE_H
#define CGS_SRC_SPGEMM_MULTIPLY_CHOOSE_H

#include "src/spgemm/multiply_table.h"

/* Adds a row for each kernel of --kernel= and for the device's reference kernels. */
enum cgs_status cgs_multiply_choose(struct cgs_multiply *m);
/* Sets a bit for each device that the words of --kernel= can run on. CGS_USAGE: unknown kernel. */
enum cgs_status cgs_multiply_devices(struct cgs_multiply *m, int *devices);

#endif
