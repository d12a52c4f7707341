/* Text report of a collection. */
#ifndef CGS_LAB_COLLECTION_COLLECTION_TEXT_H
#define CGS_LAB_COLLECTION_COLLECTION_TEXT_H

#include "lab/collection/collection.h"

void cgs_collection_text(const struct cgs_page *page, const struct cgs_collection *c,
                         const struct cgs_summary *s);

enum cgs_status cgs_collection_tables(struct cgs_collection *c, const struct cgs_summary *s);

#endif
