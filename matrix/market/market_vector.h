/* Vectors: read as a matrix of one column, array or coordinate; written as an array. */
#ifndef CGS_MATRIX_MARKET_MARKET_VECTOR_H
#define CGS_MATRIX_MARKET_MARKET_VECTOR_H

#include "base/linkage.h"
#include "matrix/market/market.h"

CGS_BEGIN_C

/* Reads a vector, a file of `rows` rows and one column, array or coordinate, or of `rows` numbers
 * alone, one a line, into values[0 ... rows - 1], with settings->cut those of this rank from
 * values[0] on. Does not call settings->accept. CGS_FILE also for another size. */
enum cgs_status cgs_market_read_vector(struct cgs_context *context, const char *path,
                                       const struct cgs_market_settings *settings, int64_t rows,
                                       double *values);
enum cgs_status cgs_market_write_vector(struct cgs_context *context, FILE *file,
                                        const char *comment, int64_t rows, const double *values);

CGS_END_C

#endif
