/* Trial of a kernel on C = A B in slabs: verified first, then timed in turn with others. */
#pragma once

#include "src/spgemm/multiply_check.h"

/* A device with the operands in its memory. */
struct cgs_multiply_side {
    const struct cgs_backend *backend; /* NULL: not created */
    struct cgs_queue *queue;           /* borrowed */
    const struct cgs_sparse_ops *ops;
    struct cgs_sparse a, b;
    bool borrowed; /* arrays of a and b belong to the operands on the host */
    bool same;     /* b is a */
};

enum { CGS_MULTIPLY_STAGED = 3 }; /* number of products timed stage by stage */

struct cgs_multiply_trial {
    struct cgs_multiply *m;
    struct cgs_multiply_row *row;
    const struct cgs_multiply_side *side;
    int64_t *starts;   /* owned; first rows of the slabs, row->slabs + 1 */
    double *seconds;   /* owned; one per timed product */
    int taken, staged; /* products timed as a whole and stage by stage */
    double stages[CGS_SPGEMM_STAGES][CGS_MULTIPLY_STAGED];
    double spent; /* seconds of all products so far */
};

/* Sends the operands to the device, or borrows them from the host. CGS_MEMORY. */
enum cgs_status cgs_multiply_side_make(struct cgs_multiply *m, const struct cgs_backend *backend,
                                       struct cgs_queue *queue, struct cgs_multiply_side *side);
void cgs_multiply_side_release(struct cgs_multiply_side *side);

/* Cuts the rows, computes all slabs and checks each; sets the row's state. Retries with shorter
 * slabs if memory runs out although the plan fits, or if the kernel refuses a slab. keep: copies C
 * to m->c. Returns errors of the run only: an interrupt. */
enum cgs_status cgs_multiply_trial_verify(struct cgs_multiply_trial *trial,
                                          struct cgs_multiply_check *check, bool keep);
/* Times one product, and before it one stage by stage until there are CGS_MULTIPLY_STAGED. Returns
 * errors of the run only: CGS_MEMORY, an interrupt. */
enum cgs_status cgs_multiply_trial_time(struct cgs_multiply_trial *trial);
/* Writes the medians and the rates derived from them to the row. */
void cgs_multiply_trial_note(struct cgs_multiply_trial *trial);
void cgs_multiply_trial_release(struct cgs_multiply_trial *trial);
