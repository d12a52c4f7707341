/* A matrix in host memory by rows, from a file or a generator; a row source for every format. */
#pragma once

#include "base/plan.h"
#include "matrix/row_source.h"

CGS_BEGIN_C

/* Row i has entries pointers[i] ... pointers[i + 1] - 1, columns 0-based and strictly ascending.
 * The arrays are owned, by cgs_alloc; an empty struct owns nothing. */
struct cgs_crs {
    int64_t rows, columns;
    int64_t first, whole; /* as in a row source: these are rows first ... of `whole`; 0: all */
    int64_t *pointers;    /* rows + 1 */
    int32_t *column;      /* pointers[rows] of each */
    double *value;
    bool symmetric; /* known to be symmetric to the bit */
    double norm;    /* max_i sum_j |a_ij|; 0: unknown */
};

/* Allocates the matrix, contents undefined except rows and columns. CGS_MEMORY: nothing is
 * allocated. */
enum cgs_status cgs_crs_alloc(struct cgs_context *context, int64_t rows, int64_t columns,
                              int64_t nonzeros, struct cgs_crs *crs);
void cgs_crs_plan(struct cgs_plan *plan, int64_t rows, int64_t nonzeros);
void cgs_crs_release(struct cgs_context *context, struct cgs_crs *crs);

/* norm = max_i sum_j |a_ij|, in parallel. */
void cgs_crs_measure(struct cgs_context *context, struct cgs_crs *crs);

/* Generates all rows of a source once, in parallel. CGS_FILE: the source is wrong
 * (cgs_matrix_fill). CGS_MEMORY. */
enum cgs_status cgs_crs_generate(struct cgs_context *context, const struct cgs_row_source *source,
                                 struct cgs_crs *crs);

/* Returns *crs as a row source; *crs must not move. */
struct cgs_row_source cgs_crs_source(const struct cgs_crs *crs);

/* Returns the matrix that a source has all rows of, NULL if it is another kind of source. */
const struct cgs_crs *cgs_crs_of(const struct cgs_row_source *source);

CGS_END_C
