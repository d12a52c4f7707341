/* Measures the rows of the table. */
#pragma once

#include <stdio.h>

#include "src/spgemm/multiply_table.h"

/* Opens the machine and the operands and measures all rows; results so far stay in *m on errors,
 * too. */
enum cgs_status cgs_multiply_run(struct cgs_multiply *m, FILE *verbose);
