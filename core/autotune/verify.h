/* Verifies a kernel's product row by row against a reference in long double.
 *
 * A row of n entries, added in any order with or without fused multiply-adds, may be off by
 *     |y_i - (A x)_i| <= (n + 3) eps sum_j |a_ij| |x_j| + (n + 1) tiny
 * (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.1: n u / (1 - n u), u = eps /
 * 2; twice that, plus the rounding of the reference itself), tiny being the least positive number.
 * Rows whose partial sums are exactly representable in any order must be exact. One input consists
 * of a few powers of two, which makes rows of integers and dyadic fractions exact, and many rows of
 * any matrix. */
#pragma once

#include "core/autotune/testbed.h"
#include "kernels/registry.h"
#include "matrix/crs.h"

/* One input and the reference result. The numbers of x are representable in the vectors' type. */
struct cgs_truth {
    double *x, *exact, *bound; /* owned: columns, rows, rows; bound infinite: the row overflows */
    int64_t exact_rows;        /* rows with bound 0 */
    const char *what;          /* description of the input, "random numbers" */
};

struct cgs_references {
    struct cgs_truth items[CGS_TESTBED_INPUTS]; /* three seeds, and powers of two */
    int count;
    const int64_t *pointers; /* of the matrix by rows; borrowed */
    bool wide;               /* the vectors are of double precision */
    /* a kernel without entries (kernels/kernel.h), or of cells of order p > 1, whose entries are
     * added up by direction: no row needs to be exact */
    bool loose;
};

void cgs_references_plan(struct cgs_plan *plan, int64_t rows, int64_t columns);

/* crs: its row pointers stay borrowed. CGS_MEMORY. */
enum cgs_status cgs_references_create(struct cgs_context *context, const struct cgs_crs *crs,
                                      enum cgs_precision precision,
                                      struct cgs_references *references);
/* Creates a testbed with the inputs of `references`; the caller releases it. */
enum cgs_status cgs_references_testbed(const struct cgs_references *references,
                                       const struct cgs_crs *crs, const struct cgs_backend *backend,
                                       struct cgs_queue *queue, enum cgs_precision precision,
                                       struct cgs_testbed *testbed);
void cgs_references_release(struct cgs_context *context, struct cgs_references *references);

struct cgs_judgement {
    bool right;
    int64_t wrong_row;  /* first wrong row; -1: none, or the fault is not in a row */
    double worst_error; /* max of |y_i - exact_i| / bound_i; infinite if a row that must be exact is
                           wrong or y_i is NaN */
    int64_t wrong_rows; /* how many there are */
    double wrong_sum;   /* of |y_i| of those that are finite */
    char reason[768];   /* the fault, a sentence without its full stop; "" if there is none */
};

/* Compares y (`rows` numbers) with the reference result of input `which`, in parallel. outside:
 * number of guard numbers around y that changed. */
struct cgs_judgement cgs_references_compare(const struct cgs_context *context,
                                            const struct cgs_references *references, int which,
                                            int64_t rows, const double *y, int outside);

/* Checks a kernel's product with input `which` on the testbed: y, its guards (filled by
 * cgs_testbed_wipe if `wiped`, else by cgs_testbed_poison), and that x is unchanged; restores x. */
enum cgs_status cgs_look(const struct cgs_testbed *testbed, const struct cgs_references *references,
                         int which, bool wiped, struct cgs_judgement *verdict);

/* A kernel's product y = A x, as in struct cgs_steps. */
typedef enum cgs_status cgs_product(const void *self, struct cgs_queue *queue,
                                    const struct cgs_cg_state *state, const void *x, void *y);

/* Applies a kernel to every input, then to the first one again, each time into poisoned memory;
 * stops at the first fault, and does that product again to see whether other rows are wrong
 * then: a tournament. Error statuses are the kernel's. */
enum cgs_status cgs_verify(const struct cgs_testbed *testbed,
                           const struct cgs_references *references, cgs_product *apply,
                           const void *self, struct cgs_judgement *verdict);
