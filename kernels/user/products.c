/* Products in the worker: unpredictable inputs, poisoned outputs, and checks of everything that the
 * kernel must not change. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/contention.h"
#include "kernels/user/working.h"

/* A kernel whose work continues after its stream is empty works elsewhere: limits in seconds, and
 * as a part of the stream's own time. */
static const double ELSEWHERE_SECONDS = 1e-4, ELSEWHERE_PART = 0.2;

static enum cgs_status put_input(struct worker *w, enum cgs_job_array which,
                                 const struct cgs_fenced *to)
{
    const struct cgs_foreign_memory *memory = w->backend->foreign;
    if (memory->protect)
        memory->protect(to, false);
    CGS_TRY(
        w->domain.ops->put(&w->domain, cgs_job_array(w->job, which), 0, w->domain.size, to->data));
    if (memory->protect)
        memory->protect(to, true);
    return CGS_OK;
}

static enum cgs_status poison(struct worker *w)
{
    CGS_TRY(w->range.ops->set(&w->range, w->queue, NULL, NAN, w->y.data));
    return w->range.ops->wait(w->queue);
}

static enum cgs_status look_at(struct worker *w, const struct cgs_fenced *block, const char *which)
{
    int64_t where;
    CGS_TRY(w->backend->foreign->look(w->queue, block, &where));
    if (where == 0)
        return CGS_OK;
    return cgs_fail(&w->context, CGS_NOT_CONVERGED,
                    "kernel '%s' writes outside of its vectors: the byte %lld %s of %s was changed",
                    w->job->name, (long long)(where < 0 ? -where : where - block->bytes),
                    where < 0 ? "before the begin" : "behind the end", which);
}

/* Checks that an input is unchanged, if inputs cannot be made read-only. */
static enum cgs_status look_at_input(struct worker *w, enum cgs_job_array which,
                                     const struct cgs_fenced *block)
{
    const double *right = cgs_job_array(w->job, which);
    const bool narrow = w->job->number == CGS_F32;
    double *copy;
    if (w->backend->foreign->protect)
        return CGS_OK;
    copy = malloc((size_t)w->domain.size * sizeof *copy + 1);
    if (!copy)
        return CGS_OK; /* only a check */
    enum cgs_status status = w->domain.ops->get(&w->domain, block->data, 0, w->domain.size, copy);
    for (int64_t i = 0; status == CGS_OK && i < w->domain.size; i++)
        if (copy[i] != (narrow ? (double)(float)right[i] : right[i]) && !isnan(right[i]))
            status = cgs_fail(&w->context, CGS_NOT_CONVERGED,
                              "kernel '%s' writes into its input: x[%lld] was changed",
                              w->job->name, (long long)i);
    free(copy);
    return status;
}

/* Checks that the device is idle when the queue is empty, `seconds` after the first product
 * began. */
static enum cgs_status look_elsewhere(struct worker *w, double seconds)
{
    const struct cgs_foreign_memory *memory = w->backend->foreign;
    double after = 0.0;
    if (memory->settle)
        CGS_TRY(memory->settle(w->queue, &after));
    if (after > ELSEWHERE_SECONDS && after > ELSEWHERE_PART * seconds)
        return cgs_fail(&w->context, CGS_NOT_CONVERGED,
                        "kernel '%s' works elsewhere than on the stream that it is given: when the "
                        "stream was empty, after %.3g s, the device went on for %.3g s",
                        w->job->name, seconds, after);
    return CGS_OK;
}

/* Checks and copies the result of products: nothing else running on the device, nothing else
 * written. One product's result is copied as soon as the stream is empty, so that work elsewhere
 * misses it; many take long enough for such work to be detected directly. */
static enum cgs_status take_result(struct worker *w, int times, double seconds)
{
    double *y = cgs_job_array(w->job, CGS_JOB_Y);
    if (times > 1)
        CGS_TRY(look_elsewhere(w, seconds));
    CGS_TRY(w->range.ops->get(&w->range, w->y.data, 0, w->range.size, y));
    if (times == 1)
        CGS_TRY(look_elsewhere(w, seconds));
    cgs_pulse_do(&w->job->pulse, CGS_DOING_OURS);
    CGS_TRY(look_at(w, &w->y, "y"));
    CGS_TRY(look_at(w, &w->x, "x"));
    CGS_TRY(look_at(w, &w->other, "x"));
    CGS_TRY(look_at_input(w, CGS_JOB_X, &w->x));
    return look_at_input(w, CGS_JOB_OTHER_X, &w->other);
}

/* Delays x on a device until the queue reaches it: a product that does not wait for the queue reads
 * NaN. */
static enum cgs_status delay_input(struct worker *w)
{
    const struct cgs_foreign_memory *memory = w->backend->foreign;
    if (!memory->late)
        return CGS_OK;
    CGS_TRY(put_input(w, CGS_JOB_X, &w->waiting));
    CGS_TRY(w->domain.ops->set(&w->domain, w->queue, NULL, NAN, w->x.data));
    CGS_TRY(w->domain.ops->wait(w->queue));
    return memory->late(w->queue, &w->waiting, &w->x);
}

/* Poisons one number of y, another one each time: an unwritten y is detected whatever it held. */
static void poison_one(struct worker *w)
{
    if (w->backend->place != CGS_HOST || w->range.size == 0)
        return;
    w->dice = w->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const int64_t i = (int64_t)((w->dice >> 16) % (uint64_t)w->range.size);
    if (w->job->number == CGS_F32)
        ((float *)w->y.data)[i] = NAN;
    else
        ((double *)w->y.data)[i] = NAN;
}

/* Multiplies both inputs in turn, so that no answer can be reused; x comes last. */
static enum cgs_status multiply(struct worker *w, int times, double *seconds)
{
    if (w->backend->place == CGS_HOST) /* starts the threads before the clock runs ... */
        cgs_contention_spread(&w->context);
    if (w->backend->place == CGS_DEVICE_MEMORY) /* a device is waited for at the end */
        cgs_pulse_allow(&w->job->pulse, w->job->nonzeros * times / 50);
    const double begin = cgs_now();
    CGS_TRY(w->backend->mark(w->queue, 0));
    for (int k = 0; k < times; k++) {
        const bool last = (times - 1 - k) % 2 == 0 && (k > 0 || times == 1);
        poison_one(w);
        CGS_TRY(
            cgs_direct_apply(w->self, w->queue, NULL, last ? w->x.data : w->other.data, w->y.data));
    }
    CGS_TRY(w->backend->mark(w->queue, 1));
    CGS_TRY(w->backend->elapsed(w->queue, 0, 1, seconds));
    CGS_TRY(w->range.ops->wait(w->queue));
    return take_result(w, times, cgs_now() - begin);
}

enum cgs_status cgs_worker_multiply(struct worker *w, int times, double *seconds)
{
    CGS_TRY(put_input(w, CGS_JOB_X, &w->x));
    CGS_TRY(put_input(w, CGS_JOB_OTHER_X, &w->other));
    CGS_TRY(poison(w));
    if (times == 0)
        CGS_TRY(delay_input(w));
    CGS_TRY(multiply(w, times > 0 ? times : 1, seconds));
    omp_pause_resource_all(omp_pause_soft); /* ... and stops them while others are timed */
    return CGS_OK;
}
