/* DIR/report.html: a collection as one page that needs no other file. */
#ifndef CGS_LAB_COLLECTION_COLLECTION_PAGE_H
#define CGS_LAB_COLLECTION_COLLECTION_PAGE_H

#include "lab/collection/collection.h"

enum cgs_status cgs_collection_page(struct cgs_collection *c, const struct cgs_summary *s);

#endif
