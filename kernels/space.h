/* Spaces: who owns vectors.
 *
 * A vector is an opaque pointer into the space's memory. How its numbers lie there is the space's
 * secret (natural; rows padded for alignment; ghost layers; ranks): put and get speak natural
 * order and double. Dots go over what is owned. One table a device and number type.
 *
 * Functions that take a state are steps of an iteration: no-ops once the state has a reason to
 * stop; a NULL state always works. They return once their work is queued: faults of the device
 * show at the next wait (look_finish, get, wait). Coefficients may be scalars of the state.
 */
#ifndef CGS_KERNELS_SPACE_H
#define CGS_KERNELS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/plan.h"
#include "base/status.h"
#include "kernels/cg_state.h"
#include "kernels/queue.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* How vectors lie in memory. pitch = 0: natural order. Otherwise `rows` lines of `length` numbers, each
 * starting `pitch` numbers after the one before, with `ghost` lines before and after. */
struct cgs_layout {
    int64_t size; /* numbers owned, in natural order */
    int64_t length, rows, pitch, ghost;
};

struct cgs_space {
    const struct cgs_space_ops *ops;
    struct cgs_queue *queue; /* for put, get and other work outside iterations; borrowed */
    struct cgs_layout layout;
    int64_t size;            /* layout.size */
    int64_t extent;          /* numbers that a vector takes in memory, `size` and what pads it: zeros */
    int64_t footprint;       /* bytes of one vector in this space's memory */
    enum cgs_number number;  /* of a vector's numbers */
    enum cgs_place place;    /* where they stand */
};

/* A step of a polynomial smoother on A x = b, by components:
 *     y = on_x x + on_y y + c d (b - A x)
 * y comes in as the iterate before x and goes out as the one after. on_y = 0: what y held is not read.
 * d: a vector, say 1 / a_ii; NULL: ones. x NULL: x = 0, so that y = c d b. */
struct cgs_relaxation {
    double on_x, on_y, c;
    const void *d, *b, *x;
    void *y;
};

struct cgs_space_ops {
    /* ---- memory ---- */
    /* Fills *space; nothing to release but the vectors. CGS_USAGE: a layout this space can't do. */
    enum cgs_status (*create)(struct cgs_queue *queue, const struct cgs_layout *layout,
                              struct cgs_space *space);
    /* A vector of zeros, owned by the caller. */
    enum cgs_status (*alloc)(const struct cgs_space *space, const char *what, void **vector);
    void (*free)(const struct cgs_space *space, void *vector); /* NULL is fine */
    /* Entries first ... first + count - 1 of the natural order. Both wait for their copies. */
    enum cgs_status (*put)(const struct cgs_space *space, const double *natural, int64_t first,
                           int64_t count, void *vector);
    enum cgs_status (*get)(const struct cgs_space *space, const void *vector, int64_t first,
                           int64_t count, double *natural);

    /* ---- the state of CG, in this space's memory ---- */
    /* Copies *initial there and makes room for max_iterations + 1 records. */
    enum cgs_status (*state_create)(const struct cgs_space *space,
                                    const struct cgs_cg_state *initial,
                                    struct cgs_cg_state **state);
    void (*state_free)(const struct cgs_space *space, struct cgs_cg_state *state);
    /* Overwrites all of *state but sums, records: for start and restart. In order with the queue. */
    enum cgs_status (*state_set)(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const struct cgs_cg_state *from);
    /* Reads the state without stopping the queue: look_start queues a copy into one of two slots,
     * look_finish waits for that copy alone. out->records is not to be followed. */
    enum cgs_status (*look_start)(const struct cgs_space *space, struct cgs_queue *queue,
                                  const struct cgs_cg_state *state, int slot);
    enum cgs_status (*look_finish)(const struct cgs_space *space, struct cgs_queue *queue, int slot,
                                   struct cgs_cg_state *out);
    /* Records first ... first + count - 1 into the host's memory; waits. */
    enum cgs_status (*records_get)(const struct cgs_space *space, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, int64_t first, int64_t count,
                                   struct cgs_cg_record *records);

    /* ---- steps: required ---- */
    enum cgs_status (*set)(const struct cgs_space *space, struct cgs_queue *queue,
                           const struct cgs_cg_state *state, double constant, void *x);
    /* y = x */
    enum cgs_status (*copy)(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x, void *y);
    /* y = x for a y of another space `to`: the same device and layout, another number type. */
    enum cgs_status (*convert)(const struct cgs_space *space, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, const void *x,
                               const struct cgs_space *to, void *y);
    /* y = y + a x */
    enum cgs_status (*axpy)(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, struct cgs_coefficient a,
                            const void *x, void *y);
    /* y = x + b y */
    enum cgs_status (*xpby)(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x,
                            struct cgs_coefficient b, void *y);
    /* y_i = d_i x_i; and sums[sum] = x'y unless sum is CGS_SUM_NOWHERE */
    enum cgs_status (*multiply)(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state, const void *d, const void *x, void *y,
                                enum cgs_sum sum);
    /* sums[sum] = x'y, in a fixed order: the same bits in every run on the same device */
    enum cgs_status (*dot)(const struct cgs_space *space, struct cgs_queue *queue,
                           struct cgs_cg_state *state, const void *x, const void *y,
                           enum cgs_sum sum);
    /* A step of a smoother; q = A x, not read where x is NULL. */
    enum cgs_status (*relax)(const struct cgs_space *space, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step,
                             const void *q);
    /* Makes sums[first] ... sums[first + count - 1] complete over all owners; nothing to do where
     * one owner has all. */
    enum cgs_status (*reduce)(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, enum cgs_sum first, int count);
    /* cgs_cg_begin and cgs_cg_conclude on the state. */
    enum cgs_status (*begin)(const struct cgs_space *space, struct cgs_queue *queue,
                             struct cgs_cg_state *state);
    enum cgs_status (*conclude)(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state);
    /* Waits until the queue is empty; here faults of the device show. */
    enum cgs_status (*wait)(struct cgs_queue *queue);

    /* ---- steps: fused, NULL means composed from those above ---- */
    /* x = x + alpha p, r = r - alpha q, sums[RR] = r'r. */
    enum cgs_status (*update)(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *p, const void *q, void *x,
                              void *r);
    /* p = z + beta p, then conclude. */
    enum cgs_status (*direction)(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *z, void *p);

    /* Both, for z = r: the second half of an unpreconditioned iteration in one go. Only of a space
     * where one owner has all, since nothing stands between sum and consumer. x may be late by one
     * iteration: state->x_deferred says so, and settle completes it. */
    enum cgs_status (*update_direction)(const struct cgs_space *space, struct cgs_queue *queue,
                                        struct cgs_cg_state *state, void *p, const void *q,
                                        void *x, void *r);
    /* Vectors that update_direction moves in this space, on average; *written of them it writes. */
    double (*update_direction_passes)(const struct cgs_space *space, double *written);
    /* Completes x where it is owed, after the reason to stop is set (x_deferred = 0); p and r as
     * update_direction has left them. NULL where nothing is ever owed. */
    enum cgs_status (*settle)(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *p, const void *r, void *x);

    /* ---- recording of steps (CUDA graphs): NULL where the device has none ---- */
    /* Between begin and end the steps queued are recorded instead of done. end gives a recording
     * that replay queues as a whole, as often as wanted. */
    enum cgs_status (*record_begin)(struct cgs_queue *queue);
    enum cgs_status (*record_end)(struct cgs_queue *queue, void **recording);
    /* Instead of record_end, where the device repeats by itself what was recorded, `each` iterations a
     * time: until *state has a reason to stop, or as soon as its iteration has passed the next
     * multiple of `most`. Once at least; NULL: it can't. */
    enum cgs_status (*record_end_while)(struct cgs_queue *queue, const struct cgs_cg_state *state,
                                        int64_t each, int64_t most, void **recording);
    enum cgs_status (*replay)(struct cgs_queue *queue, void *recording);
    void (*recording_free)(void *recording);
};

/* What a state with room for max_iterations records takes of the space's memory, and on the host. */
void cgs_state_plan(struct cgs_plan *plan, enum cgs_place place, int64_t max_iterations);

CGS_END_C

#endif
