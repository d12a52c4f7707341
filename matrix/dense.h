/* Dense inverses of small matrices on the host, for the coarsest grid of a hierarchy. */
#pragma once

#include "base/plan.h"
#include "matrix/row_source.h"

CGS_BEGIN_C

/* Treatment of constants. A matrix may consist of parts, which no entry joins; constants on a part
 * solve A x = 0 where each row of the part adds up to 0 within rounding. */
enum cgs_dense_kind {
    CGS_DENSE_REGULAR, /* they solve it on no part: rows are not looked at */
    /* On parts where they solve it, the pseudo-inverse: the numbers of x add up to 0, and A x is b
     * without its mean. (That of A plus the part's trace in its first entry of the diagonal,
     * without means.) */
    CGS_DENSE_PSEUDO,
    /* The same, plus 1 / trace in each entry of the part's square: positive definite, as a
     * preconditioner of CG is. */
    CGS_DENSE_DEFINITE
};

/* Computes inverse = A^-1, rows x rows numbers row by row, of a symmetric positive definite source,
 * or a semidefinite one as `kind` says: symmetric to the bit, the same for any number of threads.
 * Takes of the order of rows^3 multiply-adds.
 * CGS_BREAKDOWN: not positive definite; the message has the row. CGS_MEMORY. CGS_FILE: as
 * cgs_matrix_fill. */
enum cgs_status cgs_dense_inverse(struct cgs_context *context, const struct cgs_row_source *source,
                                  enum cgs_dense_kind kind, double *inverse);

/* Adds the inverse of n rows and CHOLMOD's memory, an upper bound, to the plan: the factor, and for
 * each thread a block of columns of b and two of x. */
void cgs_dense_plan(struct cgs_plan *plan, int64_t n, int threads);

/* Memory that the first inverse of a process needs in addition and does not release: pages of
 * CHOLMOD's code and data, its own blocks, the stacks of its callers. */
int64_t cgs_dense_library_bytes(void);

CGS_END_C
