/* Operands. */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_OPEN_H
#define CGS_SRC_SPGEMM_MULTIPLY_OPEN_H

#include <stdio.h>

#include "src/spgemm/multiply_table.h"

/* Reads or assembles A and B. CGS_USAGE: their shapes do not match; CGS_MEMORY: they do not fit. */
enum cgs_status cgs_multiply_open(struct cgs_multiply *m, FILE *verbose);

#endif
