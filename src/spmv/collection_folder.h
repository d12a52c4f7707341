/* The folder of a collection: made, locked, filled, and gone on with. */
#pragma once

#include "src/spmv/collection.h"

/* Makes and locks the folder; with --resume takes over what is there. CGS_USAGE: it holds
 * something else, or results without --resume, or of other settings. */
enum cgs_status cgs_collection_open_folder(struct cgs_collection *c);
enum cgs_status cgs_collection_save(struct cgs_collection *c);
void cgs_collection_close_folder(struct cgs_collection *c);

/* Adds the rows of a matrix. */
void cgs_collection_note(struct cgs_collection *c, struct cgs_collection_item *item,
                         const struct cgs_lab *lab);

/* Adds the row of a matrix that was refused. */
void cgs_collection_refuse(struct cgs_collection *c, struct cgs_collection_item *item,
                           const struct cgs_lab *lab, const char *reason);
void cgs_collection_csv(FILE *file, const struct cgs_collection *c);
enum cgs_status cgs_collection_json(const struct cgs_collection *c, FILE *file);
