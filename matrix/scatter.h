/* Scatters rows of a block into the slots of a chunk. */
#ifndef CGS_MATRIX_SCATTER_H
#define CGS_MATRIX_SCATTER_H

#include "matrix/block.h"

/* Writes rows begin ... end - 1 of the block, all of one chunk, to their slots, with padding.
 * Returns false if a row is longer than the chunk is wide. */
bool cgs_block_scatter(const struct cgs_matrix *matrix, const struct cgs_block *block,
                       const struct cgs_block_buffer *buffer, enum cgs_number number, int64_t begin,
                       int64_t end, const struct cgs_slots *slots);

#endif
