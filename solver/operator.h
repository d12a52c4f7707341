/* Operators: something linear that can be applied, with its domain and range space. It never says
 * on which device, in which format or precision. */
#ifndef CGS_SOLVER_OPERATOR_H
#define CGS_SOLVER_OPERATOR_H

#include "base/status.h"
#include "kernels/registry.h"

struct cgs_operator {
    const struct cgs_steps *steps;
    void *self;                /* owned; steps->release */
    struct cgs_space domain, range;
    bool capturable;
    int work_vectors;
    double norm;               /* infinity norm, for rounding bounds; 0 where unknown */
    bool prefer_short_batches; /* a preconditioner so strong that iterations are few, and long: none
                                  is to run in vain */
    bool flexible;             /* a preconditioner that CG needs CGS_FLEXIBLE for */
    struct cgs_moves moves;    /* of a preconditioner: its apply, in its vectors and products of A;
                                  with r'z where apply_dot is there. Zeros: as a diagonal one */
};

/* Makes the operator of a matrix: spaces as the kernel wants them, entries drawn once. The
 * matrix may be released afterwards unless the kernel works from source->mesh. */
enum cgs_status cgs_operator_create(struct cgs_queue *queue, const struct cgs_backend *backend,
                                    const struct cgs_kernel *kernel, enum cgs_precision precision,
                                    const struct cgs_matrix *matrix, struct cgs_operator *op);

/* M = D^-1, D the diagonal that `source` gives; in op's domain space.
 * CGS_BREAKDOWN: an entry of the diagonal is not positive; says the row and its value. */
enum cgs_status cgs_jacobi_create(struct cgs_queue *queue, const struct cgs_operator *op,
                                  const struct cgs_row_source *source, struct cgs_operator *jacobi);

/* The same for the matrix of a mesh, computed by the device that op's vectors are on. */
enum cgs_status cgs_jacobi_compute(struct cgs_queue *queue, const struct cgs_operator *op,
                                   const struct cgs_assembly_ops *box, const struct cgs_mesh *mesh,
                                   struct cgs_operator *jacobi);

/* Of an operator that cgs_jacobi_create made: the vector D^-1, which it keeps. */
const void *cgs_jacobi_inverse(const struct cgs_operator *jacobi);

/* What one apply of an operator that `kernel` made of the matrix moves; the kernel's forecast where
 * op is not made yet. */
struct cgs_traffic cgs_operator_traffic(const struct cgs_operator *op,
                                        const struct cgs_kernel *kernel,
                                        const struct cgs_matrix *matrix);

void cgs_operator_release(struct cgs_operator *op);

/* y = A x. */
enum cgs_status cgs_operator_apply(const struct cgs_operator *op, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *x, void *y);

/* y = A x and sums[sum] = x'y, complete over all owners; composed where the operator has no fused
 * step. Square operators only. */
enum cgs_status cgs_operator_apply_dot(const struct cgs_operator *op, struct cgs_queue *queue,
                                       struct cgs_cg_state *state, const void *x, void *y,
                                       enum cgs_sum sum);

#endif
