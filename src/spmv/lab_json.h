/* The table as JSON and CSV. */
#ifndef CGS_SRC_SPMV_LAB_JSON_H
#define CGS_SRC_SPMV_LAB_JSON_H

#include <stdio.h>

#include "src/spmv/lab.h"

void cgs_lab_csv(FILE *file, const struct cgs_lab *lab);
/* Writes the JSON report. CGS_MEMORY: it could not be built; write errors show in ferror(file). */
enum cgs_status cgs_lab_json(struct cgs_context *context, FILE *file, const struct cgs_lab *lab);

#endif
