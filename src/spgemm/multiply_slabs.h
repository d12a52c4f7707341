/* Memory plan of an SpGEMM, and the cut of its rows into slabs that fit. */
#pragma once

#include "src/spgemm/multiply_table.h"

/* Plans the peak memory on host and device for that kernel and the slab of rows first ... last - 1:
 * operands, counts, the check, all of C if --output keeps it, the slab of C and the kernel's own
 * memory. */
void cgs_multiply_plan(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                       int64_t first, int64_t last, struct cgs_plan *plan);

/* Cuts the rows into slabs, starts[0] = 0 ... starts[count] = rows; starts is owned by the caller.
 * The budget is `part` (0 ... 1) of the memory left by the operands. One slab if all rows fit into
 * it; else each slab is as long as fits into half of the budget, which leaves memory to other
 * processes, or into all of it if the user has set a limit. CGS_MEMORY: a single row does not fit;
 * the message has its number and the bytes. */
enum cgs_status cgs_multiply_cut(struct cgs_multiply *m, const struct cgs_multiply_row *row,
                                 double part, int64_t **starts, int *count);

/* Asks the kernel whether it takes each of the row->slabs slabs; returns its error if not. */
enum cgs_status cgs_multiply_ask(const struct cgs_multiply *m, const struct cgs_multiply_row *row,
                                 struct cgs_queue *queue, const int64_t *starts);
