/* Kernels: operators y = A x of a matrix format on a device.
 *
 * A kernel is one file that ends in its table (CGS_TABLE(struct cgs_kernel, ...)) and one line in
 * kernels/kernels.def. `prepare` generates what it needs from a cgs_matrix once; the steps then run
 * on a given queue. Optional entries may be NULL: the solver then composes the step from `apply`
 * and the space's required steps.
 *
 * x and y are distinct vectors of the kernel's domain and range space. Once the state has a reason
 * to stop, a step leaves sums and vectors unchanged; only `apply` of a kernel that cannot read the
 * state (a vendor's) may still write y, which is scratch by then. A NULL state always runs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/plan.h"
#include "base/status.h"
#include "kernels/cg_state.h"
#include "kernels/queue.h"
#include "kernels/space.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Bytes that one product y = A x must move, each input read once, each output written once, padding
 * included, and its operations. */
struct cgs_traffic {
    int64_t matrix;   /* values, indices, pointers read */
    int64_t padding;  /* of these, padding */
    int64_t vectors;  /* x read, y written */
    /* Floating-point operations: two an entry; of cells of order p > 1 those of the kernel. */
    int64_t operations;
};

/* Vectors of CG. z is r without a preconditioner; work has `work_vectors` vectors. */
struct cgs_cg_vectors {
    const void *b;
    void *x, *r, *z, *p, *q;
    void *work[2];
};

/* Traffic of a step: whole vectors read and written, each once (an average if a step defers work to
 * every second iteration), and how often traffic.matrix is read. */
struct cgs_moves {
    double read, written, products;
};

/* Steps of an operator. `self` is made by prepare. */
struct cgs_steps {
    /* Its steps take an x whose ghosts are on their way, queue->arrival, and end when they are
     * there. False: they expect all of x. */
    bool overlaps;
    /* direction_apply_dot and update complete their sums over all owners by themselves, as
     * update_conclude does. False: the caller reduces. */
    bool completes;
    /* y = A x */
    enum cgs_status (*apply)(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y);
    /* y = A x, sums[sum] = x'y (this rank's part: the caller reduces) */
    enum cgs_status (*apply_dot)(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum);
    /* r = b - A x in one pass. */
    enum cgs_status (*residual)(const void *self, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const void *b, const void *x,
                                void *r);
    /* sums[sum] = ||b - A x||^2 in one pass that writes no vector (this rank's part: the caller
     * reduces). */
    enum cgs_status (*residual_norm)(const void *self, struct cgs_queue *queue,
                                     struct cgs_cg_state *state, const void *b, const void *x,
                                     enum cgs_sum sum);
    /* A step of a smoother in one pass; x is not NULL. */
    enum cgs_status (*relax)(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step);
    /* The same of an operator that needs room for A x; instead of relax. */
    enum cgs_status (*relax_with)(const void *self, struct cgs_queue *queue,
                                  const struct cgs_cg_state *state,
                                  const struct cgs_relaxation *step, void *product);
    /* p = z + beta p, q = A p, sums[PQ] = p'q in one pass, after the previous iteration has been
     * concluded: beta is state->beta. Where it is 0, as at first, p = z, whatever the previous
     * direction holds. An operator that needs two directions and no q uses p and q by turns
     * (cgs_cg_direction_in_q). */
    enum cgs_status (*direction_apply_dot)(const void *self, struct cgs_queue *queue,
                                           struct cgs_cg_state *state,
                                           struct cgs_cg_vectors *vectors);
    /* x = x + alpha p, r = r - alpha A p, sums[RR] = r'r in one pass, with A p from q or
     * recomputed. x may be deferred; `finish` then completes it. */
    enum cgs_status (*update)(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              struct cgs_cg_vectors *vectors);
    /* The same and the end of the iteration (cgs_cg_conclude), unpreconditioned; completes the
     * sum over all owners by itself. x may be one iteration late: state->x_deferred. */
    enum cgs_status (*update_conclude)(const void *self, struct cgs_queue *queue,
                                       struct cgs_cg_state *state, struct cgs_cg_vectors *vectors);
    /* Does k whole iterations in one launch (a persistent kernel); unpreconditioned. On several
     * ranks it fetches ghosts and completes sums by itself, on all at once. */
    enum cgs_status (*advance)(const void *self, struct cgs_queue *queue,
                               struct cgs_cg_state *state, struct cgs_cg_vectors *vectors,
                               int64_t k);
    /* Returns true if advance can run with what prepare made; NULL if there is no advance. */
    bool (*can_advance)(const void *self);
    /* Traffic of these four per iteration, p and q included. Zeros: that of the composed steps with
     * z, p, q in memory (solver/cg/cg_steps.c). */
    struct cgs_moves direction_moves, update_moves, update_conclude_moves, advance_moves;
    /* Completes what update or advance has deferred, after the reason to stop is set: x, and the
     * direction in p (x_deferred = 0, parity_base = iteration). CG may continue afterwards. */
    enum cgs_status (*finish)(const void *self, struct cgs_queue *queue,
                              struct cgs_cg_state *state, struct cgs_cg_vectors *vectors);
    /* Does `times` products y = A x one after the other; *seconds of all by the operator's own
     * clock. For operators whose work is not on `queue` (another process); NULL: use the queue's
     * marks. */
    enum cgs_status (*time)(const void *self, struct cgs_queue *queue, const void *x, void *y,
                            int times, double *seconds);
    /* Returns the largest array that apply reads, and its bytes: a plain read of that memory is the
     * baseline of a product. NULL if memory is uniform (a device's). */
    const void *(*entries)(const void *self, int64_t *bytes);
    /* Traffic of one apply if it is known only after prepare (a compressed matrix); NULL: the
     * kernel's `traffic` is exact. */
    struct cgs_traffic (*moved)(const void *self);
    /* Writes the entries of a matrix with the pattern and layout of the one that self was made of.
     * *renewed false: they do not fit its form; self can then only be released, as after a failure.
     * NULL: it is never renewed. CGS_FILE, CGS_MEMORY. */
    enum cgs_status (*renew)(void *self, struct cgs_queue *queue, const struct cgs_matrix *matrix,
                             bool *renewed);
    void (*release)(void *self);
};

struct cgs_kernel {
    /* Reason why this build has only the kernel's name, and the remedy; else NULL. `accepts` then
     * fails with it. */
    const char *absent;
    bool capturable;   /* its steps may be recorded in a graph */
    bool reference;    /* a vendor's kernel: the baseline of the others */
    bool reproducible; /* same bits in every run (a vendor's may add in any order) */
    /* of a device: a row's sum has the same bits wherever its entries lie, beside whatever other
     * rows, and so on any number of devices */
    bool by_rows;
    /* takes a portion of a matrix: sums go over blocks of rows, which ranks share */
    bool shared;
    /* Matrix-free kernels only: accumulates cell by cell, so results equal the assembled product
     * only up to rounding, even where that product is exact. */
    bool entryless;
    int work_vectors; /* work vectors of its fused steps */
    /* Returns CGS_OK, or fails with the reason why this kernel cannot take that matrix. NULL: it
     * takes every matrix of its format. */
    enum cgs_status (*accepts)(struct cgs_context *context, const struct cgs_matrix *matrix);
    /* Adds the memory of prepare to the plan; an upper bound if there is steps.moved. `matrix` may
     * be a forecast: pointers NULL. */
    void (*plan)(const struct cgs_matrix *matrix, struct cgs_plan *plan);
    /* Sets the layout of vectors; NULL: natural order. */
    void (*layout)(const struct cgs_matrix *matrix, struct cgs_layout *domain,
                   struct cgs_layout *range);
    /* Generates the entries of the matrix (the only upload) into *self, which owns them. */
    enum cgs_status (*prepare)(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self);
    /* The same for a kernel table made at run time (a user's kernel), which it gets. NULL:
     * `prepare`. */
    enum cgs_status (*prepare_user)(const struct cgs_kernel *kernel, struct cgs_queue *queue,
                                    const struct cgs_matrix *matrix, void **self);
    /* For kernels with a loop for each of several kinds of processors, else both NULL. variant:
     * name of loop number `which` of those that this processor runs, the best first; NULL past the
     * last. use_variant: switches to that loop; prepare chose the first. */
    const char *(*variant)(int which);
    void (*use_variant)(void *self, int which);
    /* Traffic of one apply; an estimate if there is steps.moved. `matrix` may be a forecast. */
    struct cgs_traffic (*traffic)(const struct cgs_matrix *matrix);
    struct cgs_steps steps;
};

CGS_END_C
