/* Writes a matrix to a Matrix Market file. */
#ifndef CGS_MATRIX_MARKET_MARKET_WRITE_H
#define CGS_MATRIX_MARKET_MARKET_WRITE_H

#include "base/linkage.h"
#include "matrix/market/market.h"

CGS_BEGIN_C

/* Both write so that the same numbers are read back; failures show in ferror(file). The matrix
 * is coordinate real, the lower triangle as `symmetric` if source->symmetric, else `general`.
 * comment: written below the banner, line by line. A source that is a rank's part of the rows
 * (source->whole) is written by all ranks at once, file NULL on all but rank 0, which writes the
 * bytes of a process that has all; none ever holds more than its part and a round of text. */
enum cgs_status cgs_market_write(struct cgs_context *context, FILE *file, const char *comment,
                                 const struct cgs_row_source *source);

CGS_END_C

#endif
