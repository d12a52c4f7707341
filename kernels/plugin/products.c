/* Products in the worker: unpredictable inputs, poisoned outputs, and checks of everything that the
 * kernel must not change. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/contention.h"
#include "kernels/plugin/products.h"

/* Limits for detecting work outside the kernel's stream: the device stays busy for so many seconds
 * after the stream is empty, and for such a part of the stream's own time, in three requests in
 * succession. One alone may be due to a busy host. */
static const double ELSEWHERE_SECONDS = 1e-4, ELSEWHERE_PART = 0.2;
enum { ELSEWHERE_TIMES = 3 };

/* Copies the x of a slot to the device, into its own or another block. */
static enum cgs_status put_input(struct worker *w, int slot, const struct cgs_fenced *to)
{
    const struct cgs_plugin_memory *memory = w->backend->plugin;
    if (memory->protect)
        memory->protect(to, false);
    CGS_TRY(w->domain.ops->put(&w->domain, cgs_job_x(w->job, slot), 0, w->domain.size, to->data));
    if (memory->protect)
        memory->protect(to, true);
    return CGS_OK;
}

static enum cgs_status poison(struct worker *w, int slot)
{
    CGS_TRY(w->range.ops->set(&w->range, w->queue, NULL, NAN, w->y[slot].data));
    return w->range.ops->wait(w->queue);
}

static enum cgs_status look_at(struct worker *w, const struct cgs_fenced *block, const char *which)
{
    int64_t where;
    CGS_TRY(w->backend->plugin->look(w->queue, block, &where));
    if (where == 0)
        return CGS_OK;
    return cgs_fail(&w->context, CGS_NOT_CONVERGED,
                    "kernel '%s' writes outside of its vectors: the byte %lld %s of %s was changed",
                    w->job->name, (long long)(where < 0 ? -where : where - block->bytes),
                    where < 0 ? "before the begin" : "behind the end", which);
}

/* Checks that an input is unchanged, if inputs cannot be made read-only. */
static enum cgs_status look_at_input(struct worker *w, int slot)
{
    const double *right = cgs_job_x(w->job, slot);
    const bool narrow = w->job->number == CGS_F32;
    double *copy;
    if (w->backend->plugin->protect)
        return CGS_OK;
    copy = malloc((size_t)w->domain.size * sizeof *copy + 1);
    if (!copy)
        return CGS_OK; /* only a check */
    enum cgs_status status =
        w->domain.ops->get(&w->domain, w->x[slot].data, 0, w->domain.size, copy);
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
    const struct cgs_plugin_memory *memory = w->backend->plugin;
    double after = 0.0;
    if (memory->settle)
        CGS_TRY(memory->settle(w->queue, &after));
    const bool seen = after > ELSEWHERE_SECONDS && after > ELSEWHERE_PART * seconds;
    w->elsewhere = seen ? w->elsewhere + 1 : 0;
    if (w->elsewhere == ELSEWHERE_TIMES)
        return cgs_fail(&w->context, CGS_NOT_CONVERGED,
                        "kernel '%s' works elsewhere than on the stream that it is given: when the "
                        "stream was empty, after %.3g s, the device went on for %.3g s",
                        w->job->name, seconds, after);
    return CGS_OK;
}

static enum cgs_status get_results(struct worker *w, int count)
{
    for (int slot = 0; slot < count; slot++)
        CGS_TRY(w->range.ops->get(&w->range, w->y[slot].data, 0, w->range.size,
                                  cgs_job_y(w->job, slot)));
    return CGS_OK;
}

/* Copies the results of products and checks that nothing else runs on the device and nothing else
 * was written. The result of a single product is copied as soon as the stream is empty, so work
 * outside the stream comes too late for it. Many products take long enough to detect such work
 * directly. */
static enum cgs_status take_results(struct worker *w, int count, double seconds)
{
    if (count > 1)
        CGS_TRY(look_elsewhere(w, seconds));
    CGS_TRY(get_results(w, count));
    if (count == 1)
        CGS_TRY(look_elsewhere(w, seconds));
    cgs_pulse_do(&w->job->pulse, CGS_DOING_OURS);
    for (int slot = 0; slot < count; slot++) {
        CGS_TRY(look_at(w, &w->y[slot], "y"));
        CGS_TRY(look_at(w, &w->x[slot], "x"));
        CGS_TRY(look_at_input(w, slot));
    }
    return CGS_OK;
}

/* Puts x into its block by a delayed copy on the queue: a product that does not wait for the queue
 * reads NaN. */
static enum cgs_status delay_input(struct worker *w)
{
    const struct cgs_plugin_memory *memory = w->backend->plugin;
    if (!memory->late)
        return CGS_OK;
    CGS_TRY(put_input(w, 0, &w->waiting));
    CGS_TRY(w->domain.ops->set(&w->domain, w->queue, NULL, NAN, w->x[0].data));
    CGS_TRY(w->domain.ops->wait(w->queue));
    return memory->late(w->queue, &w->waiting, &w->x[0]);
}

/* Lets each thread read all inputs into its caches. In CG the vectors are there from earlier steps,
 * while these were just written by another process. */
static void read_inputs(const struct worker *w, int count)
{
    enum { LINE = 64 };
    double sum = 0.0;
#pragma omp parallel num_threads(w->context.threads) reduction(+ : sum)
    for (int slot = 0; slot < count; slot++) {
        const char *x = w->x[slot].data;
        for (int64_t at = 0; at < w->x[slot].bytes; at += LINE)
            sum += x[at];
    }
    *(volatile double *)&sum;
}

/* Computes the products of slots first ... last - 1. */
static enum cgs_status apply_slots(struct worker *w, int first, int last)
{
    CGS_TRY(w->backend->mark(w->queue, 0));
    for (int slot = first; slot < last; slot++)
        CGS_TRY(cgs_direct_apply(w->self, w->queue, NULL, w->x[slot].data, w->y[slot].data));
    return w->backend->mark(w->queue, 1);
}

static struct rusage use_of(int whose)
{
    struct rusage usage = {0};
    getrusage(whose, &usage);
    return usage;
}

static double count_faults(int whose)
{
    return (double)use_of(whose).ru_minflt;
}

double cgs_worker_part(double mine, double all, double pages)
{
    const double own = fmax(0.0, all - pages), of_y = all - own;
    if (of_y <= 0.0)
        return 0.5;
    return fmin(fmax(0.5, (mine - own) / of_y), mine / of_y);
}

/* Computes the product of the first slot, which is not timed. *part: see note.h. The pages of y
 * are given back before: who writes to one first faults, however the threads share the processors
 * with others, and whether they spin or sleep when they have nothing to do. */
static enum cgs_status apply_first(struct worker *w, double *part)
{
    w->backend->plugin->forget(&w->y[0]);
    const double mine = count_faults(RUSAGE_THREAD), all = count_faults(RUSAGE_SELF);
    CGS_TRY(apply_slots(w, 0, 1));
    *part = cgs_worker_part(count_faults(RUSAGE_THREAD) - mine, count_faults(RUSAGE_SELF) - all,
                            (double)w->y[0].bytes / (double)sysconf(_SC_PAGESIZE));
    return CGS_OK;
}

enum cgs_status cgs_worker_multiply(struct worker *w, int times, double *seconds,
                                    struct cgs_plugin_note *note)
{
    const int count = 1 + times;
    if (count > w->job->slots)
        return cgs_fail(&w->context, CGS_BUG, "%d products of %d slots", count, w->job->slots);
    for (int slot = 0; slot < count; slot++) {
        CGS_TRY(put_input(w, slot, &w->x[slot]));
        CGS_TRY(poison(w, slot));
    }
    if (times == 0)
        CGS_TRY(delay_input(w));
    if (times > 0 && w->backend->place == CGS_HOST) { /* starts threads before the clock ... */
        w->context.crowded = 0;
        cgs_contention_spread(&w->context);
        read_inputs(w, count);
    }
    if (w->backend->place == CGS_DEVICE_MEMORY) /* a device is waited for at the end */
        cgs_pulse_allow(&w->job->pulse, w->job->nonzeros * count / 50);
    const double begin = cgs_now();
    if (times == 0 || w->backend->place == CGS_DEVICE_MEMORY)
        CGS_TRY(apply_slots(w, 0, 1));
    else
        CGS_TRY(apply_first(w, &note->part));
    const int64_t switches = use_of(RUSAGE_SELF).ru_nivcsw;
    if (times > 0)
        CGS_TRY(apply_slots(w, 1, count));
    note->switches = use_of(RUSAGE_SELF).ru_nivcsw - switches;
    CGS_TRY(w->backend->elapsed(w->queue, 0, 1, seconds));
    CGS_TRY(w->range.ops->wait(w->queue));
    CGS_TRY(take_results(w, count, cgs_now() - begin));
    omp_pause_resource_all(omp_pause_soft); /* ... and stops them while others are timed */
    return CGS_OK;
}
