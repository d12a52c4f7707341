/* Vectors: read as a matrix of one column or several, array or coordinate; written as an array. */
#pragma once

#include "base/linkage.h"
#include "matrix/market/market.h"

CGS_BEGIN_C

/* Reads vectors, a file of `rows` rows and a column for each, array or coordinate, or of one,
 * `rows` numbers alone, one a line, into *values, a block of cgs_alloc, one after the other; with
 * settings->cut this rank's rows. *columns: their number; NULL: only one is taken. Does not call
 * settings->accept. CGS_FILE also for another size. */
enum cgs_status cgs_market_read_vectors(struct cgs_context *context, const char *path,
                                        const struct cgs_market_settings *settings, int64_t rows,
                                        int64_t *columns, double **values);
/* Reads only the head of such a file: sets *columns, and *bytes to the peak memory of reading it,
 * apart from the vectors; settings, whose cut is taken: that of this rank's rows; NULL: of all.
 * Ranks do not meet here. CGS_FILE, as cgs_market_read_vectors. */
enum cgs_status cgs_market_head_vectors(struct cgs_context *context, const char *path,
                                        const struct cgs_market_settings *settings, int64_t rows,
                                        int64_t *columns, int64_t *bytes);
enum cgs_status cgs_market_write_vectors(struct cgs_context *context, FILE *file,
                                         const char *comment, int64_t rows, int64_t columns,
                                         const double *values);

CGS_END_C
