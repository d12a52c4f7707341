/* Grids that are distributed over ranks. */
#pragma once

#include "core/precond/amg_level.h"

/* Makes the shared grids from the rows of `source`, the finest grid, whose operator exists. *l: the
 * last grid made. *whole: all rows of that grid if it is replicated and may be coarsened further,
 * owned by the caller; else empty. */
enum cgs_status cgs_amg_make_shared(struct cgs_amg_setup *setup,
                                    const struct cgs_row_source *source, int *l,
                                    struct cgs_crs *whole);
