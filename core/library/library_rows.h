/* Rows made of a caller's entries: any order, duplicates, one triangle. */
#pragma once

#include "include/cgsolve/cgsolve.h"
#include "matrix/crs.h"

/* Arrays of a matrix that are not the caller's, by malloc; NULL: not there. To be released. */
struct cgs_library_rows {
    int64_t *pointers;
    int32_t *column;
    double *value;
    /* Places in `value` where the caller's entry k is added: slot[k], and mirror[k] unless that is
     * -1. NULL: the values are the caller's own. */
    int64_t entries, *slot, *mirror;
};

/* Makes rows of entries in any order, row by row with ascending columns, and of both triangles.
 * `rows` gets its slots; *crs borrows its arrays. CGS_FILE: an index is out of range or in the
 * other triangle, a value or sum is not finite: names the entry, from 0. CGS_MEMORY. */
enum cgs_status cgs_library_rows_make(struct cgs_context *context,
                                      const struct cgsolve_arrays *arrays,
                                      struct cgs_library_rows *rows, struct cgs_crs *crs,
                                      int64_t *nonzeros);
/* Adds the caller's values up in the slots. CGS_FILE: a value, or a sum of those at one place,
 * is not finite; CGS_MEMORY: nothing is changed. */
enum cgs_status cgs_library_rows_fill(struct cgs_context *context, const double *values,
                                      struct cgs_crs *crs, struct cgs_library_rows *rows);
/* Fails for the first of `count` numbers that is not finite. */
enum cgs_status cgs_library_check_finite(struct cgs_context *context, int64_t count,
                                         const double *values);
void cgs_library_rows_release(struct cgs_library_rows *rows);
