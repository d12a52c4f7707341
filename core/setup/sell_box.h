/* Counts the entries that SELL-C-sigma stores for the box, without walking all its rows. */
#pragma once

#include "fem/element/element.h"

/* Returns the entries that SELL-C-sigma stores for the rows of a box of any order, padding
 * included: exact, in time of order n[1] n[2]. */
int64_t cgs_box_stored(const struct cgs_mesh *mesh, int32_t chunk, int32_t sigma);
