/* Rows whose parts are summed apart and added up afterwards (split_rows.cuh): the host's list. */
#ifndef CGS_KERNELS_SPMV_CRS_SPLIT_H
#define CGS_KERNELS_SPMV_CRS_SPLIT_H

#include <stdint.h>

/* A row in parts: their sums are slot ... slot of the next split row - 1. Behind the last row of a
 * list stands one more, whose slot is the number of slots. */
struct cgs_split {
    int64_t row, slot;
};

#endif
