/* Vector spaces: memory, layout and ownership of vectors.
 *
 * A vector is an opaque pointer into the space's memory. Its layout is private to the space
 * (natural order; padded rows; ghost layers; ranks): put and get use natural order and double. Dot
 * products cover owned numbers. One table a device and number type.
 *
 * Functions that take a state are steps of an iteration: no-ops once the state has a reason to
 * stop; a NULL state always runs. They return once their work is queued; faults of the device show
 * at the next wait (look_finish, get, wait). Coefficients may be scalars of the state.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/plan.h"
#include "base/status.h"
#include "kernels/cg_state.h"
#include "kernels/halo.h"
#include "kernels/queue.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Layout of vectors. pitch = 0: natural order. Otherwise `rows` lines of `length` numbers, each
 * starting `pitch` numbers after the previous one, with `ghost` lines before and after. With a
 * portion a vector is a pointer to its first owned number, and the ghosts of other ranks lie
 * before and after these (matrix/ranks/portion.h), in whole lines if there are lines; steps act
 * on owned numbers. */
struct cgs_layout {
    int64_t size; /* owned numbers, in natural order */
    int64_t length, rows, pitch, ghost;
    const struct cgs_portion *portion; /* NULL: one owner has all; borrowed */
    /* sums go by planes of so many numbers, at which ranks are cut; 0: by blocks of any */
    int64_t plane;
};

struct cgs_space {
    const struct cgs_space_ops *ops;
    struct cgs_queue *queue; /* for put, get and other work outside iterations; borrowed */
    struct cgs_layout layout;
    int64_t size;            /* layout.size */
    /* numbers of a vector in memory: `size` and zero padding; on the CPU ghosts, too */
    int64_t extent;
    int64_t footprint;       /* bytes of one vector in this space's memory */
    enum cgs_number number;  /* of a vector's numbers */
    enum cgs_place place;    /* memory of the vectors */
};

/* One step of a polynomial smoother on A x = b, componentwise:
 *     y = on_x x + on_y y + c d (b - A x)
 * y holds the iterate before x on entry and the one after on exit; on_y = 0: y is not read. d: a
 * vector, e.g. 1 / a_ii; NULL: ones. x NULL: x = 0, so that y = c d b. */
struct cgs_relaxation {
    double on_x, on_y, c;
    const void *d, *b, *x;
    void *y;
};

struct cgs_space_ops {
    /* ---- memory ---- */
    /* Fills *space; only its vectors need releasing. CGS_USAGE: the space cannot do this layout. */
    enum cgs_status (*create)(struct cgs_queue *queue, const struct cgs_layout *layout,
                              struct cgs_space *space);
    /* Allocates a vector of zeros, owned by the caller. */
    enum cgs_status (*alloc)(const struct cgs_space *space, const char *what, void **vector);
    void (*free)(const struct cgs_space *space, void *vector); /* NULL is allowed */
    /* Copy entries first ... first + count - 1 of the natural order; both wait for completion. */
    enum cgs_status (*put)(const struct cgs_space *space, const double *natural, int64_t first,
                           int64_t count, void *vector);
    enum cgs_status (*get)(const struct cgs_space *space, const void *vector, int64_t first,
                           int64_t count, double *natural);

    /* ---- the state of CG, in this space's memory ---- */
    /* Copies *initial to the space's memory and allocates max_iterations + 1 records. */
    enum cgs_status (*state_create)(const struct cgs_space *space,
                                    const struct cgs_cg_state *initial,
                                    struct cgs_cg_state **state);
    void (*state_free)(const struct cgs_space *space, struct cgs_cg_state *state);
    /* Overwrites *state except sums and records, in order with the queue: for start and restart. */
    enum cgs_status (*state_set)(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const struct cgs_cg_state *from);
    /* Reads the state without stopping the queue: look_start queues a copy into one of two slots,
     * look_finish waits for that copy alone. Do not follow out->records. */
    enum cgs_status (*look_start)(const struct cgs_space *space, struct cgs_queue *queue,
                                  const struct cgs_cg_state *state, int slot);
    enum cgs_status (*look_finish)(const struct cgs_space *space, struct cgs_queue *queue, int slot,
                                   struct cgs_cg_state *out);
    /* Copies records first ... first + count - 1 to the host; waits. */
    enum cgs_status (*records_get)(const struct cgs_space *space, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, int64_t first, int64_t count,
                                   struct cgs_cg_record *records);

    /* ---- steps: required ---- */
    enum cgs_status (*set)(const struct cgs_space *space, struct cgs_queue *queue,
                           const struct cgs_cg_state *state, double constant, void *x);
    /* y = x */
    enum cgs_status (*copy)(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x, void *y);
    /* y = x for a y of the space `to`: same device and layout, another number type. */
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
    /* sums[sum] = x'y in a fixed order: the same bits in every run on the same device */
    enum cgs_status (*dot)(const struct cgs_space *space, struct cgs_queue *queue,
                           struct cgs_cg_state *state, const void *x, const void *y,
                           enum cgs_sum sum);
    /* One step of a smoother; q = A x, not read if x is NULL. */
    enum cgs_status (*relax)(const struct cgs_space *space, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step,
                             const void *q);
    /* Makes sums[first] ... sums[first + count - 1] complete over all owners; nothing to do if one
     * owner has all. */
    enum cgs_status (*reduce)(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, enum cgs_sum first, int count);
    /* cgs_cg_begin, cgs_cg_close and cgs_cg_conclude on the state. */
    enum cgs_status (*begin)(const struct cgs_space *space, struct cgs_queue *queue,
                             struct cgs_cg_state *state);
    enum cgs_status (*close)(const struct cgs_space *space, struct cgs_queue *queue,
                             struct cgs_cg_state *state);
    enum cgs_status (*conclude)(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state);
    /* cgs_cg_foresee on the state. NULL: this space has no CG of one reduction an iteration. */
    enum cgs_status (*foresee)(const struct cgs_space *space, struct cgs_queue *queue,
                               struct cgs_cg_state *state);
    /* Waits until the queue is empty; faults of the device show here. */
    enum cgs_status (*wait)(struct cgs_queue *queue);

    /* ---- steps: fused, NULL means composed from those above ---- */
    /* x = x + alpha p, r = r - alpha q, sums[RR] = r'r. */
    enum cgs_status (*update)(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *p, const void *q, void *x,
                              void *r);
    /* p = z + beta p, then conclude. */
    enum cgs_status (*direction)(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *z, void *p);

    /* Both for z = r: the second half of an unpreconditioned iteration; completes the sum over
     * all owners by itself. x may be one iteration late: state->x_deferred, completed by settle. */
    enum cgs_status (*update_direction)(const struct cgs_space *space, struct cgs_queue *queue,
                                        struct cgs_cg_state *state, void *p, const void *q,
                                        void *x, void *r);
    /* Vectors that update_direction moves in this space, on average; *written of these are
     * written. */
    double (*update_direction_passes)(const struct cgs_space *space, double *written);
    /* Completes a deferred x after the reason to stop is set (x_deferred = 0); p and r as
     * update_direction left them. NULL if x is never deferred. */
    enum cgs_status (*settle)(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *p, const void *r, void *x);

    /* ---- recording of steps (CUDA graphs): NULL if the device has none ---- */
    /* Between begin and end, queued steps are recorded instead of executed. end returns a recording
     * that replay queues as a whole, any number of times. */
    enum cgs_status (*record_begin)(struct cgs_queue *queue);
    enum cgs_status (*record_end)(struct cgs_queue *queue, void **recording);
    /* Replaces record_end if the device can repeat the recording by itself, `each` iterations a
     * time: until *state has a reason to stop, or its iteration has passed the next multiple of
     * `most`; at least once. NULL: not supported. */
    enum cgs_status (*record_end_while)(struct cgs_queue *queue, const struct cgs_cg_state *state,
                                        int64_t each, int64_t most, void **recording);
    enum cgs_status (*replay)(struct cgs_queue *queue, void *recording);
    void (*recording_free)(void *recording);

    const struct cgs_halo_ops *halo; /* NULL if the ranks' vectors are in the host's memory */

    /* ---- random numbers: NULL if the space's memory is the host's ---- */
    /* Finds the least positive number of x that is here, INFINITY if none is; waits. */
    enum cgs_status (*least)(const struct cgs_space *space, const void *x, double *least);
    /* b_i = scale / sqrt(x_i) cgs_random(first + i) in double, 0 where x_i is not positive. */
    enum cgs_status (*weigh)(const struct cgs_space *space, const void *x, double scale,
                             int64_t first, void *b);
};

/* Adds the memory of a state with max_iterations records to the plan, in the space's memory and on
 * the host. */
static inline void cgs_state_plan(struct cgs_plan *plan, enum cgs_place place,
                                  int64_t max_iterations)
{
    cgs_plan_add(plan, place, "state of CG", 1, sizeof(struct cgs_cg_state));
    cgs_plan_add(plan, place, "record of the iterations",
                 max_iterations < INT64_MAX ? max_iterations + 1 : max_iterations,
                 sizeof(struct cgs_cg_record));
}

CGS_END_C
