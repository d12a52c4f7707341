/* What a product should be, and whether a kernel's is that: by rows, against long double.
 *
 * Rounding allows a row with n entries, added in any order with or without fused multiply-adds,
 *     |y_i - (A x)_i| <= (n + 3) eps sum_j |a_ij| |x_j| + (n + 1) tiny
 * (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.1: n u / (1 - n u), u = eps /
 * 2; twice that, and what the right answer's own rounding takes), tiny being the least number that
 * is not 0. Where all partial sums of a row are exactly representable in any order, nothing is
 * allowed: one input is made of few powers of two, so that this is so for whole numbers and dyadic
 * fractions, and for many rows of any matrix. */
#ifndef CGS_SRC_TUNE_VERIFY_H
#define CGS_SRC_TUNE_VERIFY_H

#include "kernels/registry.h"
#include "matrix/crs.h"
#include "src/tune/stand.h"

/* One input and the right answer. x holds numbers of the kernels' own type. */
struct cgs_truth {
    double *x, *exact, *bound; /* owned: columns, rows, rows; bound infinite: the row overflows */
    int64_t exact_rows;        /* bound 0 */
    const char *what;          /* "random numbers" */
};

struct cgs_truths {
    struct cgs_truth items[CGS_STAND_INPUTS]; /* two or three seeds, and the exact case */
    int count;
    bool loose; /* of a kernel without entries (kernels/kernel.h): nothing need be exact */
};

void cgs_truths_plan(struct cgs_plan *plan, int64_t rows, int64_t columns);
enum cgs_status cgs_truths_create(struct cgs_context *context, const struct cgs_crs *crs,
                                  enum cgs_precision precision, struct cgs_truths *truths);
/* The stand with their inputs. */
enum cgs_status cgs_truths_stand(const struct cgs_truths *truths, const struct cgs_crs *crs,
                                 const struct cgs_backend *backend, struct cgs_queue *queue,
                                 enum cgs_precision precision, struct cgs_stand *stand);
void cgs_truths_release(struct cgs_context *context, struct cgs_truths *truths);

struct cgs_judgement {
    bool right;
    int64_t wrong_row;  /* the first one; -1: none, or no row's fault */
    double worst_error; /* |y_i - exact_i| / bound_i at its worst, over rows with a bound; infinite
                           where an exact row is wrong or a number is no number */
    char reason[400];   /* what is wrong, a sentence without its end; "" where nothing is */
};

/* y against the answer to input `which`. In parallel. `outside`: numbers around y that changed. */
struct cgs_judgement cgs_truths_compare(const struct cgs_context *context,
                                      const struct cgs_truths *truths, int which, int64_t rows,
                                      const double *y, int outside);

/* What a kernel has just made of input `which` on the stand: y, what is around it (`wiped` before,
 * or poisoned), and x, which is put right again. */
enum cgs_status cgs_look(const struct cgs_stand *stand, const struct cgs_truths *truths, int which,
                         bool wiped, struct cgs_judgement *verdict);

/* What applies a matrix: a kernel's product, as operators have it. */
typedef enum cgs_status cgs_product(const void *self, struct cgs_queue *queue,
                                    const struct cgs_cg_state *state, const void *x, void *y);

/* Tries a kernel on every input, each into poisoned memory, and on the first one again. Ends with
 * the first fault. A status is the kernel's own failure. */
enum cgs_status cgs_verify(const struct cgs_stand *stand, const struct cgs_truths *truths,
                           cgs_product *apply, const void *self, struct cgs_judgement *verdict);

#endif
