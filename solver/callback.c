#include "solver/callback.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"

struct called {
    const struct cgs_callback *callback;
    int64_t rows;
    struct cgs_queue *queue;
};

/* Waits for the device; nothing to do on the host. */
static enum cgs_status settle(struct cgs_queue *queue)
{
    return queue->stream ? cgs_backend(CGS_CUDA)->rows->settle(queue) : CGS_OK;
}

/* Returns the place of the first number that is not finite; `length`: none. */
static int64_t find_odd(int64_t length, const double *v)
{
    int64_t i = 0;
    while (i < length && isfinite(v[i]))
        i++;
    return i;
}

/* Fails where the function made NaN or Inf of finite numbers, which CG would meet in a sum without
 * knowing whence. On a device it does. */
static enum cgs_status check(const struct called *called, const double *x, const double *y)
{
    const int64_t i = called->queue->stream ? called->rows : find_odd(called->rows, y);
    if (i == called->rows || find_odd(called->rows, x) < called->rows)
        return CGS_OK;
    return cgs_fail(called->queue->context, CGS_BREAKDOWN,
                    "breakdown: the caller's %s made y[%" PRId64
                    "] = %g of a vector x of finite numbers",
                    called->callback->what, i, y[i]);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct called *called = self;
    const struct cgs_callback *callback = called->callback;
    if (!queue->stream && state && !cgs_cg_going_on(state))
        return CGS_OK;
    CGS_TRY(settle(queue));
    const int answer = callback->apply(callback->user, called->rows, x, y);
    if (answer != 0)
        return cgs_fail(queue->context, CGS_INTERRUPTED, "the caller's %s returned %d",
                        callback->what, answer);
    CGS_TRY(settle(queue));
    return check(called, x, y);
}

static void release(void *self)
{
    struct called *called = self;
    cgs_free(called->queue->context, called);
}

static enum cgs_status make(struct cgs_queue *queue, int64_t rows,
                            const struct cgs_callback *callback, void **self)
{
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof(struct called), "callback", self));
    *(struct called *)*self = (struct called){callback, rows, queue};
    return CGS_OK;
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    return make(queue, matrix->rows, matrix->source->self, self);
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    (void)matrix, (void)plan; /* what the caller's function takes is not known */
}

static struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    return (struct cgs_traffic){.vectors = 2 * matrix->rows * (int64_t)sizeof(double)};
}

static const struct cgs_kernel kernel = {
    .plan = plan,
    .prepare = prepare,
    .traffic = traffic,
    .steps = {.apply = apply, .release = release},
};

const struct cgs_kernel_entry *cgs_callback_entry(enum cgs_device device)
{
    static const struct cgs_kernel_entry entries[CGS_DEVICES] = {
#define CGS_CALLBACK(which)                                                                        \
    [which] = {                                                                                    \
        .name = "callback",                                                                        \
        .device = which,                                                                           \
        .format = CGS_NONE,                                                                        \
        .description = "a function of the caller",                                                 \
        .tables = {[CGS_PRECISION_F64] = &kernel}                                                  \
    }
        CGS_CALLBACK(CGS_CPU), CGS_CALLBACK(CGS_CUDA)};
    return &entries[device];
}

static void statistics(const struct cgs_row_source *source, struct cgs_row_statistics *statistics)
{
    (void)source;
    *statistics = (struct cgs_row_statistics){0};
}

struct cgs_row_source cgs_callback_source(const struct cgs_callback *callback)
{
    return (struct cgs_row_source){.rows = callback->rows,
                                   .columns = callback->rows,
                                   .symmetric = true, /* the caller says so */
                                   .self = callback,
                                   .statistics = statistics};
}

enum cgs_status cgs_callback_operator(struct cgs_queue *queue, const struct cgs_space *space,
                                      const struct cgs_callback *callback, struct cgs_operator *op)
{
    static const struct cgs_steps steps = {.apply = apply, .release = release};
    struct cgs_operator made = {
        .steps = &steps, .domain = *space, .range = *space, .flexible = true};
    CGS_TRY(make(queue, space->size, callback, &made.self));
    *op = made;
    return CGS_OK;
}
