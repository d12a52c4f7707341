/* The CUDA space: vectors in device memory, and the steps of CG on them.
 *
 * A vector is in natural order or, if an operator asks for it, in lines with aligned starts.
 * Padding is zero from the beginning and stays zero, so that steps run over everything as one long
 * vector, without effect on sums.
 */
#include "kernels/device/wait_cuda.cuh"
#include "kernels/space.h"
#include "kernels/vector/fixed_sums.cuh"
#include "kernels/vector/iteration_end.cuh"
#include "kernels/vector/late_steps.cuh"
#include "kernels/vector/ranks_cuda.cuh"
#include "kernels/vector/state_cuda.cuh"
#include "kernels/vector/vectors_cuda.cuh"
#include "kernels/vector/weigh.cuh"
#include "matrix/ranks/portion.h"

namespace
{

real *of(void *x)
{
    return static_cast<real *>(x);
}

const real *of(const void *x)
{
    return static_cast<const real *>(x);
}

} // namespace

static enum cgs_status set(const struct cgs_space *space, struct cgs_queue *queue,
                           const struct cgs_cg_state *state, double constant, void *x)
{
    const struct cgs_layout *layout = &space->layout;
    CGS_TRY(launch(queue, space->extent, state, set_step{(real)constant, of(x)}, "set"));
    if (constant != 0.0 && layout->pitch > layout->length) /* padding stays zero */
        CGS_CUDA_TRY(queue->context,
                     cudaMemset2DAsync(of(x) + layout->length, (size_t)layout->pitch * sizeof(real),
                                       0, (size_t)(layout->pitch - layout->length) * sizeof(real),
                                       (size_t)layout->rows, cgs_cuda_stream(queue)));
    return CGS_OK;
}

static enum cgs_status copy(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x, void *y)
{
    return launch(queue, space->extent, state, copy_step{of(x), of(y)}, "copy");
}

static enum cgs_status convert(const struct cgs_space *space, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, const void *x,
                               const struct cgs_space *to, void *y)
{
    if (to->number == space->number)
        return copy(space, queue, state, x, y);
    return launch(queue, space->extent, state, convert_step{of(x), static_cast<other *>(y)},
                  "convert");
}

static enum cgs_status axpy(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, struct cgs_coefficient a,
                            const void *x, void *y)
{
    const combine_step<NOTHING> step = {a, cgs_constant(1.0), of(x), of(y), 0, 0};
    return launch(queue, space->extent, state, step, "axpy");
}

static enum cgs_status xpby(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x,
                            struct cgs_coefficient b, void *y)
{
    const combine_step<NOTHING> step = {cgs_constant(1.0), b, of(x), of(y), 0, 0};
    return launch(queue, space->extent, state, step, "xpby");
}

static enum cgs_status multiply(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state, const void *d, const void *x, void *y,
                                enum cgs_sum sum)
{
    if (sum == CGS_SUM_NOWHERE || queue->fixed)
        CGS_TRY(launch(queue, space->extent, state,
                       multiply_step<NOTHING>{of(d), of(x), of(y), sum}, "multiply"));
    if (sum == CGS_SUM_NOWHERE)
        return CGS_OK;
    if (queue->fixed)
        return fixed_dot(space, queue, state, of(x), of(y), sum);
    return launch(queue, space->extent, state, multiply_step<SUM>{of(d), of(x), of(y), sum},
                  "multiply with dot");
}

static enum cgs_status dot(const struct cgs_space *space, struct cgs_queue *queue,
                           struct cgs_cg_state *state, const void *x, const void *y,
                           enum cgs_sum sum)
{
    if (queue->fixed)
        return fixed_dot(space, queue, state, of(x), of(y), sum);
    return launch(queue, space->extent, state, dot_step{of(x), of(y), sum}, "dot");
}

template <bool HAS_X, bool BEFORE>
static enum cgs_status relax_as(const struct cgs_space *space, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const struct cgs_relaxation *s,
                                const void *q)
{
    const real on_x = (real)s->on_x, on_y = (real)s->on_y, c = (real)s->c;
    const real *d = of(s->d), *b = of(s->b), *x = of(s->x);
    if (d)
        return launch(queue, space->extent, state,
                      relax_step<HAS_X, BEFORE, true>{on_x, on_y, c, d, b, of(q), x, of(s->y)},
                      "relax");
    return launch(queue, space->extent, state,
                  relax_step<HAS_X, BEFORE, false>{on_x, on_y, c, d, b, of(q), x, of(s->y)},
                  "relax");
}

static enum cgs_status relax(const struct cgs_space *space, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step,
                             const void *q)
{
    if (!step->x)
        return relax_as<false, false>(space, queue, state, step, q);
    if (step->on_y == 0.0)
        return relax_as<true, false>(space, queue, state, step, q);
    return relax_as<true, true>(space, queue, state, step, q);
}

static enum cgs_status update(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *p, const void *q, void *x,
                              void *r)
{
    const update_step step = {of(p), of(q), of(x), of(r), 0, CGS_SUM_RR};
    if (queue->fixed) {
        CGS_TRY(axpy(space, queue, state, cgs_scalar(CGS_ALPHA), p, x));
        CGS_TRY(axpy(space, queue, state, cgs_scalar(CGS_MINUS_ALPHA), q, r));
        return fixed_dot(space, queue, state, of(r), of(r), CGS_SUM_RR);
    }
    return launch(queue, space->extent, state, step, "update");
}

static enum cgs_status direction(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *z, void *p)
{
    const combine_step<CONCLUDE> step = {
        cgs_constant(1.0), cgs_scalar(CGS_BETA), of(z), of(p), 0, 0};
    return launch(queue, space->extent, state, step, "direction");
}

/* Blocks of the kernel that does all in one launch; 0: several do, as where other ranks have a
 * part of the sum. */
static int64_t together_blocks(const struct cgs_space *space)
{
    return space->layout.portion || space->queue->fixed
               ? 0
               : iteration_end_blocks(space->queue, space->extent);
}

/* Returns true if x is updated every second time. */
static bool defers(const struct cgs_space *space)
{
    return is_long(space->queue, space->extent) && !space->queue->fixed;
}

static enum cgs_status update_direction(const struct cgs_space *space, struct cgs_queue *queue,
                                        struct cgs_cg_state *state, void *p, const void *q, void *x,
                                        void *r)
{
    const int64_t blocks = together_blocks(space);
    if (blocks > 0)
        return cgs_launch_together(queue, "end of an iteration", iteration_end, {blocks},
                                   space->extent, state, of(p), of(q), of(x), of(r),
                                   queue->partials, queue->ticket, queue->ticket + CGS_EPOCH);
    if (!defers(space)) {
        CGS_TRY(update(space, queue, state, p, q, x, r));
        CGS_TRY(cgs_cuda_reduce(space, queue, state, CGS_SUM_RR, 1));
        return direction(space, queue, state, r, p);
    }
    const late_update_step late = {state, of(p), of(q), of(x), of(r), 0, 0, 0, CGS_SUM_RR, false};
    const late_direction_step next = {state, of(r), of(p), of(x), 0, 0, false};
    CGS_TRY(launch(queue, space->extent, state, late, "late update"));
    CGS_TRY(cgs_cuda_reduce(space, queue, state, CGS_SUM_RR, 1));
    return launch(queue, space->extent, state, next, "direction");
}

static double update_direction_passes(const struct cgs_space *space, double *written)
{
    const bool together = together_blocks(space) > 0;
    const bool late = !together && defers(space);
    *written = late ? 2.5 : 3.0;
    return together ? 7.0 : late ? 7.5 : 9.0;
}

static enum cgs_status settle(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *p, const void *r, void *x)
{
    const settle_step step = {state, of(p), of(r), of(x)};
    CGS_TRY(launch(queue, space->extent, NULL, step, "settle"));
    return cgs_launch(queue, "settled", settled, 1, state);
}

static enum cgs_status create(struct cgs_queue *queue, const struct cgs_layout *layout,
                              struct cgs_space *space);

extern "C" const struct cgs_halo_ops cgs_cuda_halo;

CGS_TABLE(struct cgs_space_ops, cgs_cuda_space) = {
    .create = create,
    .alloc = cgs_cuda_vector_alloc,
    .free = cgs_cuda_vector_free,
    .put = cgs_cuda_vector_put,
    .get = cgs_cuda_vector_get,
    .state_create = cgs_cuda_state_create,
    .state_free = cgs_cuda_state_free,
    .state_set = cgs_cuda_state_set,
    .look_start = cgs_cuda_look_start,
    .look_finish = cgs_cuda_look_finish,
    .records_get = cgs_cuda_records_get,
    .set = set,
    .copy = copy,
    .convert = convert,
    .axpy = axpy,
    .xpby = xpby,
    .multiply = multiply,
    .dot = dot,
    .relax = relax,
    .reduce = cgs_cuda_reduce,
    .begin = cgs_cuda_begin,
    .close = cgs_cuda_close,
    .conclude = cgs_cuda_conclude,
    .wait = cgs_cuda_wait,
    .update = update,
    .direction = direction,
    .update_direction = update_direction,
    .update_direction_passes = update_direction_passes,
    .settle = settle,
    .record_begin = cgs_cuda_record_begin,
    .record_end = cgs_cuda_record_end,
    .record_end_while = cgs_cuda_record_end_while,
    .replay = cgs_cuda_replay,
    .recording_free = cgs_cuda_recording_free,
    .halo = &cgs_cuda_halo,
    .least = least,
    .weigh = weigh,
};

static enum cgs_status create(struct cgs_queue *queue, const struct cgs_layout *layout,
                              struct cgs_space *space)
{
    if (layout->pitch != 0 && (layout->ghost != 0 || layout->pitch < layout->length ||
                               layout->length * layout->rows != layout->size))
        return cgs_fail(
            queue->context, CGS_USAGE,
            "this space keeps vectors in natural order or in padded lines: %lld lines of "
            "%lld numbers, %lld apart, %lld ghosts, can't be had for %lld numbers",
            (long long)layout->rows, (long long)layout->length, (long long)layout->pitch,
            (long long)layout->ghost, (long long)layout->size);
    space->ops = &CGS_NAMED(cgs_cuda_space);
    space->queue = queue;
    space->layout = *layout;
    space->size = layout->size;
    space->extent = layout->pitch != 0 ? layout->pitch * layout->rows : layout->size;
    const struct cgs_portion *portion = layout->portion;
    const int64_t room =
        portion ? cgs_cuda_room(layout, portion->before) + cgs_cuda_room(layout, portion->after)
                : 0;
    space->footprint = cgs_bytes(space->extent + room, sizeof(real));
    space->number = CGS_REAL_NUMBER;
    space->place = CGS_DEVICE_MEMORY;
    return CGS_OK;
}
