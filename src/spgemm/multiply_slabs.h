/* What a product of matrices will hold, and how its rows are cut so that it fits. */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_SLABS_H
#define CGS_SRC_SPGEMM_MULTIPLY_SLABS_H

#include "src/spgemm/multiply.h"

/* Everything on host and device at the peak of a run of that kernel with slabs of these rows:
 * operands, counts, the check, C where it is kept, and the slab: C and the kernel's own. */
void cgs_multiply_plan(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                       int64_t first, int64_t last, struct cgs_plan *plan);

/* Cuts the rows into slabs: one where all rows fit into `part` (0 ... 1) of the room that is left beside
 * the operands; else each as long as fits into half of that, so that other processes keep memory, or into
 * all of it where the user has set the limit: starts[0] = 0 ... starts[count] = rows. starts is owned by the caller.
 * CGS_MEMORY: not even one row fits: says which, how much, and what there is. */
enum cgs_status cgs_multiply_cut(struct cgs_multiply *m, const struct cgs_multiply_row *row,
                                 double part, int64_t **starts, int *count);

/* CGS_OK, or why the kernel does not take one of row->slabs slabs. */
enum cgs_status cgs_multiply_ask(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                                 struct cgs_queue *queue, const int64_t *starts);

#endif
