/* Verifies C = A B by two checks in double, with operands rounded to the kernel's type:
 *
 *     entries      recomputes every row by Gustavson's algorithm with dense accumulators: same
 *                  columns, and |c_ij - sum_k a_ik b_kj| <= (l + 2) (eps sum_k |a_ik b_kj| + tiny),
 *                  l = entries of row i of A, the most products that one entry can sum
 *     projection   R. Freivalds (IFIP 1977): C x = A (B x) for a random x, within
 *                  (l + longest row of B + entries of row i of C + 4) eps (|A| (|B| |x|))_i
 *
 * eps and tiny, the least positive number, are those of the kernel's type; tiny allows for
 * underflow. If sum_k |a_ik| |b_kj| overflows, any value is right.
 */
#pragma once

#include "src/spgemm/multiply_table.h"

struct cgs_multiply_check;

/* Adds the host memory of counting and checking to the plan. */
void cgs_multiply_check_plan(const struct cgs_multiply *m, struct cgs_plan *plan);

/* Creates the check, owned by the caller, and counts m->products, m->entries and m->size in
 * parallel. CGS_MEMORY. */
enum cgs_status cgs_multiply_check_create(struct cgs_multiply *m,
                                          struct cgs_multiply_check **check);
void cgs_multiply_check_release(struct cgs_multiply_check *check); /* NULL is fine */

struct cgs_multiply_verdict {
    int64_t wrong_row;  /* first wrong row of C; -1: none */
    double worst_error; /* max of error / bound, of the entries */
    double projected;   /* max of error / bound, of the projection */
    char reason[256];   /* the fault of that row, a sentence without its full stop */
};

/* Checks a slab `c`, which holds the rows of C from `first` on, in parallel, and adds the result to
 * *verdict, which the caller initialises with .wrong_row = -1 and passes to every slab. sorted:
 * columns must ascend. Skips rows after an interrupt, since billions of entries take minutes; the
 * caller checks for one. */
void cgs_multiply_check_rows(struct cgs_multiply_check *check, int64_t first,
                             const struct cgs_crs *c, bool sorted,
                             struct cgs_multiply_verdict *verdict);
