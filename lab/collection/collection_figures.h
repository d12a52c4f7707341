/* Figures of a collection, an SVG each in its folder. */
#pragma once

#include "lab/collection/collection.h"

/* Draws the figures; what cannot be drawn is said in remark. */
enum cgs_status cgs_collection_figures(struct cgs_collection *c, const struct cgs_summary *s);
