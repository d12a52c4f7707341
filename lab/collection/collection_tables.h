/* tables.md and tables.tex: the means by kernel, and GFLOP/s by matrix and kernel. */
#ifndef CGS_LAB_COLLECTION_COLLECTION_TABLES_H
#define CGS_LAB_COLLECTION_COLLECTION_TABLES_H

#include "lab/collection/collection.h"

enum cgs_status cgs_collection_tables(struct cgs_collection *c, const struct cgs_summary *s);

#endif
