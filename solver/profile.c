#include "solver/profile.h"

#include <string.h>

#include "base/memory.h"
#include "solver/cg/cg_traffic.h"

/* Work queued between two neighbouring marks. */
struct interval {
    int line; /* of the profile; NOTHING: not a step */
    int64_t first, iterations;
};

enum { NOTHING = -1 };

struct cgs_profiler {
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
    const struct cgs_operator *op;
    struct cgs_traffic product;
    struct cgs_cg_observer observer;
    struct cgs_profile profile;
    /* Mark m, and the interval that begins with it, use slot m % CGS_MARKS. */
    struct interval intervals[CGS_MARKS];
    int64_t marks, read; /* marks set, intervals read, since the loop began */
    /* The loop in progress: how often each line was queued, and the seconds of each time. The end
     * of the loop tells which of them counted. */
    int64_t queued[CGS_CG_STEPS];
    int64_t most;   /* largest number of iterations that can count */
    float *seconds; /* `most` numbers a line */
};

void cgs_profiler_plan(struct cgs_plan *plan, int64_t max_iterations)
{
    cgs_plan_add(plan, CGS_HOST, "profile: seconds of steps", CGS_CG_STEPS * (max_iterations + 1),
                 sizeof(float));
}

/* Line of a step; a new one when the step is first queued. */
static int line_of(struct cgs_profiler *p, const struct cgs_cg_step *step)
{
    struct cgs_profile *profile = &p->profile;
    for (int i = 0; i < profile->count; i++)
        if (strcmp(profile->lines[i].step.name, step->name) == 0)
            return i;
    profile->lines[profile->count] =
        (struct cgs_profile_line){.step = *step,
                                  .bytes = cgs_cg_bytes(step, p->op, &p->product),
                                  .written = cgs_cg_bytes_written(step, p->op)};
    return profile->count++;
}

/* Reads the oldest interval not yet read; waits until the device has passed it. */
static enum cgs_status read_one(struct cgs_profiler *p)
{
    const int from = (int)(p->read % CGS_MARKS), to = (int)((p->read + 1) % CGS_MARKS);
    const struct interval *interval = &p->intervals[from];
    double seconds = 0.0;
    if (interval->line != NOTHING)
        CGS_TRY(p->backend->elapsed(p->queue, from, to, &seconds));
    p->read++;
    if (interval->line == NOTHING)
        return CGS_OK;
    if (interval->first < p->most)
        p->seconds[interval->line * p->most + interval->first] = (float)seconds;
    else /* past the iteration limit */
        p->profile.past_seconds += seconds;
    return CGS_OK;
}

static enum cgs_status next(void *self, const struct cgs_cg_step *step, int64_t iterations)
{
    struct cgs_profiler *p = self;
    struct interval now = {.line = NOTHING};
    while (p->marks - p->read >= CGS_MARKS) /* no free slot: read what the device has passed */
        CGS_TRY(read_one(p));
    if (step) {
        now = (struct interval){line_of(p, step), 0, iterations};
        now.first = p->queued[now.line];
        p->queued[now.line] += iterations;
    }
    const int place = (int)(p->marks % CGS_MARKS);
    p->intervals[place] = now;
    CGS_TRY(p->backend->mark(p->queue, place));
    p->marks++;
    return CGS_OK;
}

/* Adds the times of one line to those that counted, or to those past the end. Iterations launched
 * as one have their seconds at the first. */
static void settle(struct cgs_profiler *p, int line, int64_t done)
{
    const int64_t queued = p->queued[line], kept = queued < p->most ? queued : p->most;
    float *seconds = p->seconds + line * p->most;
    for (int64_t i = 0; i < kept; i++) {
        *(i < done ? &p->profile.lines[line].seconds : &p->profile.past_seconds) += seconds[i];
        seconds[i] = 0.0f;
    }
    p->profile.lines[line].calls += done < queued ? done : queued;
    p->queued[line] = 0;
}

static enum cgs_status ended(void *self, int64_t done)
{
    struct cgs_profiler *p = self;
    while (p->read + 1 < p->marks)
        CGS_TRY(read_one(p));
    int64_t queued = 0; /* iterations: the first one may have steps of its own */
    for (int line = 0; line < p->profile.count; line++) {
        queued = p->queued[line] > queued ? p->queued[line] : queued;
        settle(p, line, done);
    }
    if (queued > done)
        p->profile.past_iterations += queued - done;
    p->marks = p->read = 0;
    return CGS_OK;
}

enum cgs_status cgs_profiler_create(const struct cgs_backend *backend,
                                    const struct cgs_operator *op,
                                    const struct cgs_traffic *product, int64_t max_iterations,
                                    struct cgs_profiler **profiler)
{
    struct cgs_context *context = op->domain.queue->context;
    const int64_t most = max_iterations + 1; /* not 0 */
    struct cgs_profiler *made;
    float *seconds;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "profile", (void **)&made));
    const enum cgs_status status =
        cgs_alloc(context, CGS_CG_STEPS * most, sizeof *seconds, "profile", (void **)&seconds);
    if (status != CGS_OK) {
        cgs_free(context, made);
        return status;
    }
    memset(seconds, 0, (size_t)(CGS_CG_STEPS * most) * sizeof *seconds); /* touches pages */
    *made = (struct cgs_profiler){.backend = backend,
                                  .queue = op->domain.queue,
                                  .op = op,
                                  .product = *product,
                                  .most = most,
                                  .seconds = seconds};
    made->observer = (struct cgs_cg_observer){.next = next, .ended = ended, .self = made};
    *profiler = made;
    return CGS_OK;
}

void cgs_profiler_release(struct cgs_profiler *profiler)
{
    if (!profiler)
        return;
    struct cgs_context *context = profiler->queue->context;
    cgs_free(context, profiler->seconds);
    cgs_free(context, profiler);
}

const struct cgs_cg_observer *cgs_profiler_observer(const struct cgs_profiler *profiler)
{
    return &profiler->observer;
}

struct cgs_profile cgs_profiler_result(const struct cgs_profiler *profiler)
{
    return profiler->profile;
}

double cgs_profile_seconds(const struct cgs_profile *profile)
{
    double sum = profile->past_seconds;
    for (int i = 0; i < profile->count; i++)
        sum += profile->lines[i].seconds;
    return sum;
}
