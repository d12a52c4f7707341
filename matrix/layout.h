/* Beginnings of the units (rows of CRS, chunks of SELL), from one parallel pass over row
 * lengths. */
#pragma once

#include "base/linkage.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Adds the host memory of cgs_matrix_create to the plan. Sorting needs another 8 bytes a row, less
 * than the entries and vectors that come after it. */
void cgs_matrix_plan(struct cgs_plan *plan, enum cgs_format format, int64_t rows, int32_t chunk,
                     int32_t sigma);

/* Lays the matrix out from all row lengths, in parallel, sorting rows if sigma > 1; the same for
 * any number of threads. Pointers and permutation are owned by the matrix. CGS_NONE has no layout,
 * and reads the lengths only if the source does not know its statistics.
 * chunk: 1 ... CGS_CHUNK_MOST; sigma: 1 or more, not necessarily a multiple of chunk; sigma >=
 * `rows` sorts all rows. CRS ignores both. CGS_USAGE: chunk or sigma out of range, or more rows to
 * sort than 32 bits. CGS_FILE: the source gives a length outside 0 ... columns. CGS_MEMORY. */
enum cgs_status cgs_matrix_create(struct cgs_context *context, const struct cgs_row_source *source,
                                  enum cgs_format format, int32_t chunk, int32_t sigma,
                                  struct cgs_matrix *matrix);

/* Returns the layout of CRS without pointers, for a device that computes these and the entries, of
 * a source that knows its statistics. Owns nothing. */
struct cgs_matrix cgs_matrix_outline(const struct cgs_row_source *source);

/* Releases what the matrix owns; an empty struct is allowed. */
void cgs_matrix_release(struct cgs_context *context, struct cgs_matrix *matrix);

CGS_END_C
