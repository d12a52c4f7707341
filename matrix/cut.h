/* Cuts the rows of a matrix among ranks: portions (matrix/portion.h), and their rows as sources. */
#ifndef CGS_MATRIX_CUT_H
#define CGS_MATRIX_CUT_H

#include "base/context.h"
#include "matrix/portion.h"

CGS_BEGIN_C

/* Cuts `whole` rows into ranges for `ranks` ranks at multiples of `unit` rows, as equal as can be.
 * cuts: ranks + 1 numbers. A rank is left without rows if there are fewer units than ranks. */
void cgs_portion_cut(int64_t whole, int64_t unit, int ranks, int64_t *cuts);

/* Makes the portion of a rank of a square matrix: cuts and, from one parallel pass over its rows,
 * ghosts. Owns both; borrows the source of the whole. CGS_USAGE: fewer units than ranks.
 * CGS_MEMORY: no room for a bit a column. */
enum cgs_status cgs_portion_create(struct cgs_context *context, const struct cgs_row_source *whole,
                                int64_t unit, int rank, int ranks, struct cgs_portion *portion);

/* Returns the source of the portion's rows, which borrows the portion: `rows` = count, `columns` = count +
 * above, columns from -below on. It has no mesh. Its diagonal is that of the whole, to the bit. */
struct cgs_row_source cgs_portion_source(const struct cgs_portion *portion);

/* Frees what the portion owns; an empty struct is allowed. */
void cgs_portion_release(struct cgs_context *context, struct cgs_portion *portion);

CGS_END_C

#endif
