/* Vectors in the host's memory: natural order, one array each, steps by OpenMP.
 *
 * Every step runs over the same blocks (sum_cpu.h) with the same static division among threads, in
 * which `alloc` first touches the pages: each thread's part is in memory near it. Bytes that a step
 * moves per number, with s = sizeof(real), write-allocate not counted:
 *     set s   copy 2 s   axpy, xpby, multiply 3 s   dot 2 s   update 6 s   direction 3 s
 *     relax 5 s, with on_y = 0 4 s, from x = 0 2 s, and s more with a vector d
 */
#include <assert.h>
#include <stddef.h>

#include "base/memory.h"
#include "kernels/precision.h"
#include "kernels/space.h"
#include "kernels/vector/convert.h"
#include "kernels/vector/loops_cpu.h"
#include "kernels/vector/state_cpu.h"
#include "kernels/vector/sum_cpu.h"

static struct cgs_blocks blocks_of(const struct cgs_space *space)
{
    const struct cgs_portion *portion = space->layout.portion;
    const int64_t all = portion ? portion->whole : space->size, plane = space->layout.plane;
    const int64_t least = cgs_block_least(all, CGS_VECTOR_BLOCK);
    return plane ? cgs_blocks_of_planes(portion, space->size, plane, least)
                 : cgs_blocks_here(portion, space->size, least);
}

/* for each block, in parallel: `statement` sees begin, count (of numbers) and block */
#define FOR_BLOCKS(space, queue, statement)                                                        \
    do {                                                                                           \
        const struct cgs_blocks blocks_ = blocks_of(space);                                        \
        const int threads_ = (queue)->context->threads;                                            \
        _Pragma("omp parallel for num_threads(threads_) schedule(static)") for (int64_t block = 0; \
                                                                                block <            \
                                                                                blocks_.count;     \
                                                                                block++)           \
        {                                                                                          \
            const int64_t begin = cgs_block_begin(&blocks_, block);                                \
            const int64_t count = cgs_block_begin(&blocks_, block + 1) - begin;                    \
            statement;                                                                             \
        }                                                                                          \
    } while (0)

/* Adds the blocks' sums in the queue's partials into the state. */
static void add_up(const struct cgs_space *space, struct cgs_queue *queue,
                   struct cgs_cg_state *state, enum cgs_sum sum)
{
    const struct cgs_blocks blocks = blocks_of(space);
    cgs_cpu_add_up(queue, state, sum, space->layout.portion, &blocks);
}

/* ---- memory ---- */

static enum cgs_status create(struct cgs_queue *queue, const struct cgs_layout *layout,
                              struct cgs_space *space);

/* Room before the owned numbers, which begin at a cache line. */
static int64_t room_before(const struct cgs_space *space)
{
    enum { LINE = CGS_ALIGNMENT / sizeof(real) };
    const struct cgs_portion *portion = space->layout.portion;
    return portion ? (portion->before + LINE - 1) / LINE * LINE : 0;
}

static enum cgs_status alloc(const struct cgs_space *space, const char *what, void **vector)
{
    real *made = NULL;
    CGS_TRY(cgs_alloc(space->queue->context, space->extent, sizeof *made, what, (void **)&made));
    made += room_before(space);
    FOR_BLOCKS(space, space->queue, cgs_loop_set(count, (real)0, made + begin));
    *vector = made;
    return CGS_OK;
}

static void free_vector(const struct cgs_space *space, void *vector)
{
    if (vector)
        cgs_free(space->queue->context, (real *)vector - room_before(space));
}

static enum cgs_status put(const struct cgs_space *space, const double *natural, int64_t first,
                           int64_t count, void *vector)
{
    assert(first >= 0 && count >= 0 && first + count <= space->size);
    cgs_convert_from_double(space->queue->context->threads, natural, count, CGS_REAL_NUMBER,
                            (real *)vector + first);
    return CGS_OK;
}

static enum cgs_status get(const struct cgs_space *space, const void *vector, int64_t first,
                           int64_t count, double *natural)
{
    assert(first >= 0 && count >= 0 && first + count <= space->size);
    cgs_convert_to_double(space->queue->context->threads, CGS_REAL_NUMBER,
                          (const real *)vector + first, count, natural);
    return CGS_OK;
}

/* ---- steps ---- */

static enum cgs_status set(const struct cgs_space *space, struct cgs_queue *queue,
                           const struct cgs_cg_state *state, double constant, void *x)
{
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    FOR_BLOCKS(space, queue, cgs_loop_set(count, (real)constant, (real *)x + begin));
    return CGS_OK;
}

static enum cgs_status copy(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x, void *y)
{
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    FOR_BLOCKS(space, queue, cgs_loop_copy(count, (const real *)x + begin, (real *)y + begin));
    return CGS_OK;
}

/* One of the two types is double, or both are equal. */
static enum cgs_status convert(const struct cgs_space *space, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, const void *x,
                               const struct cgs_space *to, void *y)
{
    const int threads = queue->context->threads;
    assert(to->size == space->size && to->place == space->place);
    if (to->number == space->number)
        return copy(space, queue, state, x, y);
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    if (to->number == CGS_F64)
        cgs_convert_to_double(threads, CGS_REAL_NUMBER, x, space->size, y);
    else
        cgs_convert_from_double(threads, x, space->size, to->number, y);
    return CGS_OK;
}

/* A factor of 0 leaves y unchanged, whatever x holds (as in the BLAS). */
static enum cgs_status axpy(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, struct cgs_coefficient a,
                            const void *x, void *y)
{
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    const real factor = (real)cgs_coefficient_value(a, state);
    if (factor != 0)
        FOR_BLOCKS(space, queue,
                   cgs_loop_axpy(count, factor, (const real *)x + begin, (real *)y + begin));
    return CGS_OK;
}

/* A factor of 0 makes it a copy, whatever y held. */
static enum cgs_status xpby(const struct cgs_space *space, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x,
                            struct cgs_coefficient b, void *y)
{
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    const real factor = (real)cgs_coefficient_value(b, state);
    if (factor == 0)
        return copy(space, queue, state, x, y);
    FOR_BLOCKS(space, queue,
               cgs_loop_xpby(count, (const real *)x + begin, factor, (real *)y + begin));
    return CGS_OK;
}

static enum cgs_status multiply(const struct cgs_space *space, struct cgs_queue *queue,
                                struct cgs_cg_state *state, const void *d, const void *x, void *y,
                                enum cgs_sum sum)
{
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    FOR_BLOCKS(space, queue,
               queue->partials[block] = cgs_loop_multiply(
                   count, (const real *)d + begin, (const real *)x + begin, (real *)y + begin));
    if (sum != CGS_SUM_NOWHERE)
        add_up(space, queue, state, sum);
    return CGS_OK;
}

static enum cgs_status dot(const struct cgs_space *space, struct cgs_queue *queue,
                           struct cgs_cg_state *state, const void *x, const void *y,
                           enum cgs_sum sum)
{
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    FOR_BLOCKS(space, queue,
               queue->partials[block] =
                   cgs_loop_dot(count, (const real *)x + begin, (const real *)y + begin));
    add_up(space, queue, state, sum);
    return CGS_OK;
}

static const real *from(const void *x, int64_t begin)
{
    return x ? (const real *)x + begin : NULL;
}

static enum cgs_status relax(const struct cgs_space *space, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step,
                             const void *q)
{
    const real on_x = (real)step->on_x, on_y = (real)step->on_y, c = (real)step->c;
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    FOR_BLOCKS(space, queue,
               cgs_loop_relax(count, on_x, on_y, c, from(step->d, begin), from(step->b, begin),
                              from(q, begin), from(step->x, begin), (real *)step->y + begin));
    return CGS_OK;
}

/* alpha = 0 (p'A p <= 0 or not a number) leaves x and r as they are. */
static enum cgs_status update(const struct cgs_space *space, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *p, const void *q, void *x,
                              void *r)
{
    if (cgs_cpu_stopped(state))
        return CGS_OK;
    const real alpha = (real)cgs_cg_alpha(state);
    if (alpha == 0)
        return dot(space, queue, state, r, r, CGS_SUM_RR);
    FOR_BLOCKS(space, queue,
               queue->partials[block] =
                   cgs_loop_update(count, alpha, (const real *)p + begin, (const real *)q + begin,
                                   (real *)x + begin, (real *)r + begin));
    add_up(space, queue, state, CGS_SUM_RR);
    return CGS_OK;
}

static enum cgs_status direction(const struct cgs_space *space, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *z, void *p)
{
    CGS_TRY(xpby(space, queue, state, z, cgs_scalar(CGS_BETA), p));
    return cgs_cpu_conclude(space, queue, state);
}

CGS_TABLE(struct cgs_space_ops, cgs_cpu_space) = {
    .create = create,
    .alloc = alloc,
    .free = free_vector,
    .put = put,
    .get = get,
    .state_create = cgs_cpu_state_create,
    .state_free = cgs_cpu_state_free,
    .state_set = cgs_cpu_state_set,
    .look_start = cgs_cpu_look_start,
    .look_finish = cgs_cpu_look_finish,
    .records_get = cgs_cpu_records_get,
    .set = set,
    .copy = copy,
    .convert = convert,
    .axpy = axpy,
    .xpby = xpby,
    .multiply = multiply,
    .dot = dot,
    .relax = relax,
    .reduce = cgs_cpu_reduce,
    .begin = cgs_cpu_begin,
    .close = cgs_cpu_close,
    .conclude = cgs_cpu_conclude,
    .foresee = cgs_cpu_foresee,
    .wait = cgs_cpu_wait,
    .update = update,
    .direction = direction,
};

static enum cgs_status create(struct cgs_queue *queue, const struct cgs_layout *layout,
                              struct cgs_space *space)
{
    if (layout->pitch != 0 || layout->ghost != 0 || layout->size < 0)
        return cgs_fail(
            queue->context, CGS_USAGE,
            "vectors of the CPU lie in natural order: pitch %lld, ghost %lld, size %lld "
            "cannot be had",
            (long long)layout->pitch, (long long)layout->ghost, (long long)layout->size);
    *space = (struct cgs_space){.ops = &CGS_NAMED(cgs_cpu_space),
                                .queue = queue,
                                .layout = *layout,
                                .size = layout->size,
                                .number = CGS_REAL_NUMBER,
                                .place = CGS_HOST};
    space->extent =
        room_before(space) + layout->size + (layout->portion ? layout->portion->after : 0);
    space->footprint = space->extent * (int64_t)sizeof(real);
    return CGS_OK;
}
