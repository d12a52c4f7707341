/* Rows of a collection as JSON and CSV, from facts_collection_row.def. */
#ifndef CGS_SRC_SPMV_COLLECTION_ROWS_H
#define CGS_SRC_SPMV_COLLECTION_ROWS_H

#include "src/spmv/collection.h"

/* Adds the rows of a matrix. */
void cgs_collection_note(struct cgs_collection *c, struct cgs_collection_item *item,
                         const struct cgs_lab *lab);

/* Adds the row of a matrix that was refused. */
void cgs_collection_refuse(struct cgs_collection *c, struct cgs_collection_item *item,
                           const struct cgs_lab *lab, const char *reason);
void cgs_collection_csv(FILE *file, const struct cgs_collection *c);
enum cgs_status cgs_collection_json(const struct cgs_collection *c, FILE *file);

#endif
