/* A kernel at work on C = A B, in slabs: verified first, then timed in turn with others. */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_TRIAL_H
#define CGS_SRC_SPGEMM_MULTIPLY_TRIAL_H

#include "src/spgemm/multiply_check.h"

/* A device with the operands in its memory. */
struct cgs_multiply_side {
    const struct cgs_backend *backend; /* NULL: not made */
    struct cgs_queue *queue;           /* borrowed */
    const struct cgs_sparse_ops *ops;
    struct cgs_sparse a, b;
    bool borrowed; /* the arrays are those of the host's rows */
    bool same;     /* b is a */
};

enum { CGS_MULTIPLY_STAGED = 3 }; /* products whose stages are timed */

struct cgs_multiply_trial {
    struct cgs_multiply *m;
    struct cgs_multiply_row *row;
    const struct cgs_multiply_side *side;
    int64_t *starts; /* owned; slabs: row->slabs + 1 */
    double *seconds; /* owned; of each product timed */
    int taken, staged;
    double stages[CGS_SPGEMM_STAGES][CGS_MULTIPLY_STAGED];
    double spent; /* seconds of all products so far */
};

/* Operands to the device. CGS_MEMORY. */
enum cgs_status cgs_multiply_side_make(struct cgs_multiply *m, const struct cgs_backend *backend,
                                       struct cgs_queue *queue, struct cgs_multiply_side *side);
void cgs_multiply_side_release(struct cgs_multiply_side *side);

/* Cuts the rows, computes all slabs and checks each; the row's state says what came of it. Where
 * memory runs out although the plan had fitted, or the kernel refuses a slab, slabs are made shorter. C is kept in m->c where
 * `keep` is. A status is the run's own failure: an interrupt. */
enum cgs_status cgs_multiply_trial_verify(struct cgs_multiply_trial *trial,
                                          struct cgs_multiply_check *check, bool keep);
/* One more product, timed, and one with its stages if those are still wanted. CGS_MEMORY, an
 * interrupt: the run's failure. */
enum cgs_status cgs_multiply_trial_time(struct cgs_multiply_trial *trial);
/* Medians and what follows from them into the row. */
void cgs_multiply_trial_note(struct cgs_multiply_trial *trial);
void cgs_multiply_trial_release(struct cgs_multiply_trial *trial);

#endif
