/* Parts of a matrix that a caller has cut among ranks, and how they move: sums want cuts at
 * multiples of a block (kernels/vector/blocks.h), the caller may cut anywhere, and ranges of rows
 * overlap:
 *
 *     the caller's cuts    | rank 0 ........ | 1 | 2 ........................ |
 *     the solver's         | 0 ..... | 1 ............... | 2 ................ |
 *
 * Each rank fetches the rows of its new range from those who have them: lengths, then columns and
 * values, of which as much as two ranges have in common stays where it is. Vectors go the same way,
 * and back. A process alone copies.
 */
#pragma once

#include "core/setup/external.h"
#include "matrix/crs.h"

/* Checks this rank's arrays, of `nonzeros` entries; part->cuts is not read. CGS_FILE: pointers
 * do not go from 0 to nonzeros, or descend; columns are out of range or do not ascend in their
 * row; a value is not finite. The message names the first such row, by its number in the whole
 * from 0. */
enum cgs_status cgs_part_check(struct cgs_context *context, const struct cgs_caller_part *part,
                               int64_t nonzeros);

/* Makes the rows cuts[r] ... cuts[r + 1] - 1 of this rank r, of parts that have been checked; on
 * all ranks at once, which agree. part->whole: below 2^31. Bytes that move: 12 an entry and 8 a
 * row. CGS_MEMORY. */
enum cgs_status cgs_part_take(struct cgs_context *context, const struct cgs_caller_part *part,
                              const int64_t *cuts, struct cgs_crs *crs);

/* Takes the values again into rows that were made of that part; on all ranks at once. */
void cgs_part_take_values(struct cgs_context *context, const struct cgs_caller_part *part,
                          struct cgs_crs *crs);

/* Moves a vector from one cut to another: numbers from[rank] ... from[rank + 1] - 1 in `mine`
 * become those of to[rank] ... in `there`; on all ranks at once. Alone: copies to[1] numbers. */
void cgs_part_move(struct cgs_context *context, const int64_t *from, const double *mine,
                   const int64_t *to, double *there);
