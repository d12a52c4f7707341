/* The folder of a collection: made, locked, filled, and gone on with. */
#ifndef CGS_SRC_SPMV_COLLECTION_FOLDER_H
#define CGS_SRC_SPMV_COLLECTION_FOLDER_H

#include "src/spmv/collection.h"

/* Makes and locks the folder; with --resume takes over what is there. CGS_USAGE: it holds
 * something else, or results without --resume, or of other settings. */
enum cgs_status cgs_collection_open_folder(struct cgs_collection *c);
enum cgs_status cgs_collection_save(struct cgs_collection *c);
void cgs_collection_close_folder(struct cgs_collection *c);

#endif
