/* DIR/report.html: a collection as one page that needs no other file. */
#pragma once

#include "lab/collection/collection.h"

enum cgs_status cgs_collection_page(struct cgs_collection *c, const struct cgs_summary *s);
