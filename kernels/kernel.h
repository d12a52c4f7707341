/* Kernels: what applies a matrix.
 *
 * A kernel is one file that ends in its table (CGS_TABLE(struct cgs_kernel, ...)) and one line in
 * kernels/kernels.def. It draws what it needs from a cgs_matrix once, in `prepare`, and then
 * applies it on the queue that it is given. Optional entries may be NULL: the solver then composes
 * the step from the space's required ones and `apply`.
 *
 * x and y are vectors of the kernel's domain and range space, never the same one. Once the state
 * has a reason to stop, a step leaves sums and vectors as they are; only `apply` of a kernel that
 * can't look at the state (a vendor's) may still write y, which is scratch by then. A NULL state
 * always works.
 */
#ifndef CGS_KERNELS_KERNEL_H
#define CGS_KERNELS_KERNEL_H

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

/* The bytes that one product y = A x must move, each input read once and each output written once
 * (padding counts as moved). */
struct cgs_traffic {
    int64_t matrix;   /* values, indices, pointers read */
    int64_t padding;  /* of these, padding */
    int64_t vectors;  /* x read, y written */
    int64_t additions; /* multiply-adds that count (nonzeros) */
};

/* The vectors of CG. z is r without a preconditioner. work: as many as `work_vectors` says. */
struct cgs_cg_vectors {
    const void *b;
    void *x, *r, *z, *p, *q;
    void *work[2];
};

/* What a step of an iteration moves: whole vectors read and written, each once (on average, where a
 * step leaves something to every second iteration), and how often what traffic.matrix counts is
 * read. */
struct cgs_moves {
    double read, written, products;
};

/* What an operator can do. `self` is what prepare made. */
struct cgs_steps {
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
    /* A step of a smoother in one pass; x is not NULL. */
    enum cgs_status (*relax)(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step);
    /* p = z + beta p, q = A p, sums[PQ] = p'q in one pass, after the iteration before has been
     * concluded: beta is state->beta. An operator that needs two p's, and no q, has p and q by turns
     * (cgs_cg_direction_in_q). */
    enum cgs_status (*direction_apply_dot)(const void *self, struct cgs_queue *queue,
                                           struct cgs_cg_state *state,
                                           struct cgs_cg_vectors *vectors);
    /* x = x + alpha p, r = r - alpha A p, sums[RR] = r'r in one pass (A p from q or anew; x
     * perhaps later: then `finish` brings it up to date). */
    enum cgs_status (*update)(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              struct cgs_cg_vectors *vectors);
    /* The same and the end of the iteration (cgs_cg_conclude), unpreconditioned; of an operator whose
     * vectors have one owner, since nothing stands between sum and consumer. x may be late by one
     * iteration: state->x_deferred says so. */
    enum cgs_status (*update_conclude)(const void *self, struct cgs_queue *queue,
                                       struct cgs_cg_state *state, struct cgs_cg_vectors *vectors);
    /* k whole iterations in one go (a persistent kernel); unpreconditioned. */
    enum cgs_status (*advance)(const void *self, struct cgs_queue *queue,
                               struct cgs_cg_state *state, struct cgs_cg_vectors *vectors,
                               int64_t k);
    /* Whether advance can, in what prepare made; NULL where there is no advance. */
    bool (*can_advance)(const void *self);
    /* What these four move in an iteration, all vectors, p and q included; zeros: as much as the
     * steps that they stand for do with z, p, q in memory (solver/cg/cg_steps.c). */
    struct cgs_moves direction_moves, update_moves, update_conclude_moves, advance_moves;
    /* Completes what update or advance has left for later, after the reason to stop is set: x, and the
     * direction into p (x_deferred = 0, parity_base = iteration). CG may go on from there. */
    enum cgs_status (*finish)(const void *self, struct cgs_queue *queue,
                              struct cgs_cg_state *state, struct cgs_cg_vectors *vectors);
    /* `times` products y = A x one after the other; *seconds of all by a clock of the operator's own.
     * Of an operator whose work is not on `queue` (another process's); NULL: the queue's marks tell. */
    enum cgs_status (*time)(const void *self, struct cgs_queue *queue, const void *x, void *y,
                            int times, double *seconds);
    /* The largest array that apply reads, and its bytes: what a plain read of that very memory takes
     * is what a product is held against. NULL where the memory is the same everywhere (a device's). */
    const void *(*entries)(const void *self, int64_t *bytes);
    /* The bytes of one apply where only prepare could tell (a compressed matrix); NULL: as the
     * kernel's `traffic`, which then was exact. */
    struct cgs_traffic (*moved)(const void *self);
    void (*release)(void *self);
};

struct cgs_kernel {
    /* Why this build has no more than the kernel's name, and what to do; else NULL. `accepts` then
     * refuses with it. */
    const char *absent;
    bool capturable;   /* its steps may be recorded in a graph */
    bool reference;    /* a vendor's: what the others are held against */
    bool reproducible; /* the same bits in every run (a vendor's may add in any order) */
    /* Of CGS_NONE: it sums over cells without ever making an entry, so that where products with the
     * matrix's entries are exact, its own are right to rounding. */
    bool entryless;
    int work_vectors; /* vectors that its fused steps want beside the usual ones */
    /* CGS_OK, or the reason why this kernel cannot take that matrix, written by cgs_fail; NULL
     * takes every matrix of its format. */
    enum cgs_status (*accepts)(struct cgs_context *context, const struct cgs_matrix *matrix);
    /* What prepare will hold, before it exists; at most so much where steps.moved is there. `matrix` may be a forecast: pointers NULL. */
    void (*plan)(const struct cgs_matrix *matrix, struct cgs_plan *plan);
    /* How it wants vectors to lie; NULL: natural order. */
    void (*layout)(const struct cgs_matrix *matrix, struct cgs_layout *domain,
                   struct cgs_layout *range);
    /* Draws the entries from the matrix (the only upload) into *self, which it owns. */
    enum cgs_status (*prepare)(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self);
    /* The same of a table that came about while the program runs (a user's kernel): it is told which
     * table. NULL: `prepare`. */
    enum cgs_status (*prepare_own)(const struct cgs_kernel *kernel, struct cgs_queue *queue,
                                   const struct cgs_matrix *matrix, void **self);
    /* Of a kernel with a loop for each of several kinds of processors, else both NULL: the name of
     * the loop number `which` of those that this processor runs, the best first, NULL past the
     * last; and from now on the loop of that number in what prepare made, which took the first. */
    const char *(*variant)(int which);
    void (*use_variant)(void *self, int which);
    /* Of one apply, or what is expected where steps.moved is there. `matrix` may be a forecast, too. */
    struct cgs_traffic (*traffic)(const struct cgs_matrix *matrix);
    struct cgs_steps steps;
};

CGS_END_C

#endif
