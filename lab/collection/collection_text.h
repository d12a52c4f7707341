/* Text report of a collection. */
#pragma once

#include "lab/collection/collection.h"

void cgs_collection_text(const struct cgs_page *page, const struct cgs_collection *c,
                         const struct cgs_summary *s);

enum cgs_status cgs_collection_tables(struct cgs_collection *c, const struct cgs_summary *s);
