/* Operators: linear maps with a domain and a range space, independent of device, format and
 * precision. */
#pragma once

#include "base/status.h"
#include "kernels/registry.h"

struct cgs_operator {
    const struct cgs_steps *steps;
    void *self; /* owned; steps->release */
    struct cgs_space domain, range;
    bool capturable;
    int work_vectors;
    double norm;               /* infinity norm, for rounding bounds; 0 where unknown */
    bool prefer_short_batches; /* strong preconditioner: iterations are few and long, so that hardly
                                  any should be queued past the end */
    bool narrow;               /* a preconditioner of doubles that computes in floats */
    bool flexible;             /* a preconditioner that varies: CG needs CGS_FLEXIBLE */
    bool inverse;              /* a preconditioner that is A's inverse but for rounding */
    struct cgs_moves moves;    /* a preconditioner's traffic per apply, in its vectors and products
                                  of A, with r'z if it has apply_dot; zeros: that of a diagonal */
};

/* Makes the operator of a matrix: spaces in the kernel's layout, entries generated once. The
 * matrix may be released afterwards unless the kernel works from source->mesh. That of a portion
 * is made on all ranks at once (solver/ranks.h); the portion must outlive the operator and its
 * vectors. A matrix that is not square has the portion of its domain; its range is then of no
 * use but for its size. */
enum cgs_status cgs_operator_create(struct cgs_queue *queue, const struct cgs_backend *backend,
                                    const struct cgs_kernel *kernel, enum cgs_precision precision,
                                    const struct cgs_matrix *matrix, struct cgs_operator *op);

/* The same where *op may be the operator of another matrix with the same pattern and layout. If it
 * is of the same kernel, and the new entries fit its form, they are written into it; else it is
 * released first. *op: empty, or that one; empty after a failure. */
enum cgs_status cgs_operator_renew(struct cgs_queue *queue, const struct cgs_backend *backend,
                                   const struct cgs_kernel *kernel, enum cgs_precision precision,
                                   const struct cgs_matrix *matrix, struct cgs_operator *op);

/* Traffic of one apply of the operator that `kernel` makes of the matrix; the kernel's forecast if
 * op does not exist yet. */
struct cgs_traffic cgs_operator_traffic(const struct cgs_operator *op,
                                        const struct cgs_kernel *kernel,
                                        const struct cgs_matrix *matrix);

void cgs_operator_release(struct cgs_operator *op);

/* y = A x. */
enum cgs_status cgs_operator_apply(const struct cgs_operator *op, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *x, void *y);

/* y = A x and sums[sum] = x'y, complete over all owners; composed if the operator has no fused
 * step. Square operators only. */
enum cgs_status cgs_operator_apply_dot(const struct cgs_operator *op, struct cgs_queue *queue,
                                       struct cgs_cg_state *state, const void *x, void *y,
                                       enum cgs_sum sum);

/* The same with this owner's part of the sum: the caller reduces. */
enum cgs_status cgs_operator_apply_part(const struct cgs_operator *op, struct cgs_queue *queue,
                                        struct cgs_cg_state *state, const void *x, void *y,
                                        enum cgs_sum sum);

/* r = b - A x. */
enum cgs_status cgs_operator_residual(const struct cgs_operator *op, struct cgs_queue *queue,
                                      const struct cgs_cg_state *state, const void *b,
                                      const void *x, void *r);
