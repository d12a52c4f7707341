/* Cuts the rows of a matrix among ranks: portions (matrix/ranks/portion.h), and their rows as
 * sources. */
#pragma once

#include "base/context.h"
#include "matrix/ranks/portion.h"

CGS_BEGIN_C

/* Cuts `whole` rows into ranges for `ranks` ranks at multiples of `unit` rows, as equal as can be.
 * cuts: ranks + 1 numbers. A rank is left without rows if there are fewer units than ranks. */
void cgs_portion_cut(int64_t whole, int64_t unit, int ranks, int64_t *cuts);

/* CGS_USAGE: `rows` rows have fewer units than there are ranks. */
enum cgs_status cgs_portion_accept(struct cgs_context *context, int64_t rows, int64_t unit,
                                   int ranks);

/* Makes the portion of a rank of a square matrix: cuts and, from one parallel pass over its
 * rows, ghosts. Owns both; borrows the source, of the whole or of a part that has the rank's
 * rows. Where there are fewer units than ranks, some have no rows (cgs_portion_accept).
 * CGS_MEMORY: no room for a bit a column. */
enum cgs_status cgs_portion_create(struct cgs_context *context, const struct cgs_row_source *source,
                                   int64_t unit, int rank, int ranks, struct cgs_portion *portion);

/* Makes the portion of a rank of a mesh's matrix that is cut at `cuts` (ranks + 1 numbers,
 * copied), whether or not all ranks have rows. CGS_MEMORY. */
enum cgs_status cgs_portion_of_mesh(struct cgs_context *context, const struct cgs_row_source *whole,
                                    const int64_t *cuts, int rank, int ranks,
                                    struct cgs_portion *portion);

/* Makes room in vectors for `numbers` on either side of the owned ones, as far as there are any.
 * For transfers between grids, before vectors are made. */
void cgs_portion_widen(struct cgs_portion *portion, int64_t numbers);

/* Returns the source of the portion's rows, which borrows the portion: `rows` = count, `columns`
 * = count + above, columns from -below on. Its mesh is that of the whole, and so is its
 * diagonal, to the bit. */
struct cgs_row_source cgs_portion_source(const struct cgs_portion *portion);

/* Frees what the portion owns; an empty struct is allowed. */
void cgs_portion_release(struct cgs_context *context, struct cgs_portion *portion);

CGS_END_C
