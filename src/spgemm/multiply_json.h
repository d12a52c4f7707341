/* The table as JSON and CSV. */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_JSON_H
#define CGS_SRC_SPGEMM_MULTIPLY_JSON_H

#include <stdio.h>

#include "src/spgemm/multiply_table.h"

void cgs_multiply_csv(FILE *file, const struct cgs_multiply *m);
/* Writes the JSON report. CGS_MEMORY: it could not be built. */
enum cgs_status cgs_multiply_json(struct cgs_context *context, FILE *file,
                                  const struct cgs_multiply *m);

#endif
