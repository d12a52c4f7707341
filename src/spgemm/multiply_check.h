/* Whether C is A B. Two checks, both against the operands as the kernel has them, in double:
 *
 *     entries      every row is computed again, Gustavson's way with dense accumulators: the same
 *                  columns, and |c_ij - sum_k a_ik b_kj| <= (l + 2) (eps sum_k |a_ik b_kj| + tiny),
 *                  l the entries of row i of A: as many products can meet in one entry
 *     projection   R. Freivalds (IFIP 1977): C x = A (B x) for a random x, within
 *                  (l + longest row of B + entries of row i of C + 4) eps (|A| (|B| |x|))_i
 *
 * eps of the kernel's numbers; tiny the least positive one, for what underflows; where
 * sum_k |a_ik| |b_kj| overflows, any value is right.
 */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_CHECK_H
#define CGS_SRC_SPGEMM_MULTIPLY_CHECK_H

#include "src/spgemm/multiply.h"

struct cgs_multiply_check;

/* What counting and checking will hold on the host. */
void cgs_multiply_check_plan(const struct cgs_multiply *m, struct cgs_plan *plan);

/* The check, owned by the caller, and m->products, entries, size: counted in parallel. CGS_MEMORY.
 */
enum cgs_status cgs_multiply_check_create(struct cgs_multiply *m,
                                          struct cgs_multiply_check **check);
void cgs_multiply_check_release(struct cgs_multiply_check *check); /* NULL is fine */

struct cgs_multiply_verdict {
    int64_t wrong_row;  /* of C, the first one; -1: none */
    double worst_error; /* of what the bounds allow */
    double projected;
    char reason[256]; /* what is wrong with that row, a sentence without its end */
};

/* Rows first, first + 1, ... of C, as many as `c` has: into *verdict, which starts as {-1} and
 * goes from slab to slab. `sorted`: columns have to ascend. In parallel. After an interrupt rows are
 * left out (billions of entries take minutes): the caller looks whether one has come. */
void cgs_multiply_check_rows(struct cgs_multiply_check *check, int64_t first,
                             const struct cgs_crs *c, bool sorted,
                             struct cgs_multiply_verdict *verdict);

#endif
