/* Times kernels in turn, batch by batch, so that disturbances of the machine affect all alike. Each
 * batch has another input and a wiped y, which is verified afterwards, so a kernel cannot score
 * with a stale result.
 *
 *     a few products of each: drop those far too slow, give slow ones fewer products
 *     for each batch: for each trial: wipe y, one product untimed, k timed, verify y
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "core/autotune/tournament.h"
#include "core/io/interrupt.h"

enum { LEAST = 3 };             /* products */
static const double SLOW = 0.1; /* seconds of a product */

/* A vector that is written to flush a device's caches. */
struct flush {
    struct cgs_space space;
    void *vector;
};

enum { FLUSH_FACTOR = 2, FLUSH_LEAST = 64 << 20 };

static enum cgs_status flush_make(const struct cgs_testbed *testbed, struct flush *flush)
{
    struct cgs_device_info info;
    CGS_TRY(testbed->backend->describe(testbed->queue, &info));
    int64_t bytes = FLUSH_FACTOR * info.cache_bytes;
    if (bytes < FLUSH_LEAST)
        bytes = FLUSH_LEAST;
    const struct cgs_layout layout = {.size = bytes / (int64_t)sizeof(double)};
    CGS_TRY(testbed->backend->spaces[CGS_F64]->create(testbed->queue, &layout, &flush->space));
    return flush->space.ops->alloc(&flush->space, "numbers that flush the cache", &flush->vector);
}

static void flush_release(struct flush *flush)
{
    if (flush->vector)
        flush->space.ops->free(&flush->space, flush->vector);
    *flush = (struct flush){0};
}

static enum cgs_status flush_caches(const struct flush *flush)
{
    CGS_TRY(flush->space.ops->set(&flush->space, flush->space.queue, NULL, 1.0, flush->vector));
    return flush->space.ops->wait(flush->space.queue);
}

/* One trial of a running comparison, its first product's seconds and its number of batches. */
struct lane {
    struct cgs_trial *trial;
    double first;
    int batches;
};

static bool same_device(const struct cgs_trial *a, const struct cgs_trial *b)
{
    return a->testbed == b->testbed && a->candidate->threads == b->candidate->threads;
}

static double best_of(const struct lane *lanes, int count, const struct cgs_trial *trial)
{
    double best = INFINITY;
    for (int i = 0; i < count; i++)
        if (lanes[i].trial->state == CGS_TRIAL_OPEN && same_device(lanes[i].trial, trial) &&
            lanes[i].first < best)
            best = lanes[i].first;
    return best;
}

/* Sets lane->first to the least time of up to `times` single products; stops at a slow one. */
static enum cgs_status try_once(struct lane *lane, int times)
{
    for (int k = 0; k < times && lane->trial->state == CGS_TRIAL_OPEN; k++) {
        double seconds;
        CGS_TRY(cgs_trial_time(lane->trial, 0, 1, &seconds));
        if (lane->trial->state == CGS_TRIAL_OPEN && seconds < lane->first)
            lane->first = seconds;
        if (lane->first > SLOW)
            break;
    }
    return CGS_OK;
}

/* Sets the numbers of batches and of products per batch from the budget. */
static void allot(const struct cgs_tournament *tournament, struct lane *lane)
{
    struct cgs_trial *trial = lane->trial;
    const bool beside = trial->candidate->beside && !trial->kernel->reference;
    const double budget = beside && tournament->baseline_budget > 0.0 ? tournament->baseline_budget
                                                                      : tournament->budget;
    double most = budget / fmax(lane->first, 1e-9);
    if (most < LEAST)
        most = LEAST;
    if (most > tournament->products)
        most = tournament->products;
    lane->batches = (int)fmin(most, tournament->batches);
    trial->in_batch = (int)most / lane->batches;
}

/* Times the first products and drops trials that are far too slow, after a few more tries. */
static enum cgs_status begin(const struct cgs_tournament *tournament, struct lane *lanes, int count)
{
    for (int i = 0; i < count; i++) {
        lanes[i].first = INFINITY;
        lanes[i].trial->batches = lanes[i].trial->in_batch = 0;
        CGS_TRY(try_once(&lanes[i], CGS_FIRST_PRODUCTS));
    }
    for (int i = 0; i < count; i++) {
        struct cgs_trial *trial = lanes[i].trial;
        const double most = tournament->hopeless * best_of(lanes, count, trial);
        if (trial->state == CGS_TRIAL_OPEN && lanes[i].first > most)
            CGS_TRY(try_once(&lanes[i], CGS_MORE_PRODUCTS));
        allot(tournament, &lanes[i]);
        if (trial->state != CGS_TRIAL_OPEN || lanes[i].first <= most ||
            lanes[i].first * tournament->products <= tournament->patience)
            continue;
        trial->seconds[0] = lanes[i].first;
        trial->batches = trial->in_batch = 1;
        CGS_TRY(cgs_trial_end(trial, CGS_TRIAL_DROPPED, "far slower than the best here"));
    }
    return CGS_OK;
}

/* Writes how many times slower than the best the dropped trials were. Uses the best one's median,
 * as in the table: its first product may take a thousand times as long as one of many in a row. */
static void explain_dropped(struct lane *lanes, int count)
{
    for (int i = 0; i < count; i++) {
        struct cgs_trial *trial = lanes[i].trial;
        double least, most, best = INFINITY;
        if (trial->state != CGS_TRIAL_DROPPED)
            continue;
        for (int k = 0; k < count; k++) {
            const struct cgs_trial *other = lanes[k].trial;
            if (other->state == CGS_TRIAL_OPEN && other->batches > 0 && same_device(other, trial))
                best = fmin(best, cgs_trial_median(other, &least, &most));
        }
        if (best > 0.0 && isfinite(best))
            snprintf(trial->verdict.reason, sizeof trial->verdict.reason,
                     "%.0f times as slow as the best here: not timed further",
                     trial->seconds[0] / best);
    }
}

static enum cgs_status look_again(const struct cgs_tournament *tournament, struct cgs_trial *trial,
                                  int input)
{
    struct cgs_judgement verdict;
    if (!tournament->references || trial->state != CGS_TRIAL_OPEN)
        return CGS_OK;
    const struct cgs_references own = cgs_trial_references(trial, tournament->references);
    if (cgs_look(cgs_trial_testbed(trial), &own, input, true, &verdict) != CGS_OK)
        return cgs_trial_end(trial, CGS_TRIAL_FAILED, NULL);
    verdict.worst_error = fmax(trial->verdict.worst_error, verdict.worst_error);
    trial->verdict = verdict;
    if (!verdict.right)
        trial->state = CGS_TRIAL_FAILED;
    return CGS_OK;
}

/* Mean seconds of a product in a batch, timed as a whole or, if cold, one by one after a flush. */
static enum cgs_status time_batch(const struct cgs_tournament *tournament,
                                  const struct flush *flush, struct cgs_trial *trial, int input,
                                  double *seconds)
{
    double one, sum = 0.0;
    if (!tournament->cold) {
        CGS_TRY(cgs_trial_time(trial, input, 1, &one));
        return cgs_trial_time(trial, input, trial->in_batch, seconds);
    }
    for (int k = 0; k < trial->in_batch && trial->state == CGS_TRIAL_OPEN; k++) {
        CGS_TRY(flush_caches(flush));
        CGS_TRY(cgs_trial_time(trial, input, 1, &one));
        sum += one;
    }
    *seconds = sum / trial->in_batch;
    return CGS_OK;
}

/* Times a plain read of the entries by the same number of threads, for comparison. */
static enum cgs_status read_entries(const struct cgs_tournament *tournament,
                                    const struct flush *flush, struct cgs_trial *trial,
                                    double *seconds)
{
    const struct cgs_backend *backend = trial->testbed->backend;
    struct cgs_context *context = trial->testbed->queue->context;
    const int threads = context->threads;
    const void *entries = trial->op.steps->entries && backend->read
                              ? trial->op.steps->entries(trial->op.self, &trial->read_bytes)
                              : NULL;
    if (!entries || trial->read_bytes == 0) {
        trial->read_bytes = 0;
        return CGS_OK;
    }
    if (tournament->cold)
        CGS_TRY(flush_caches(flush));
    if (trial->candidate->threads > 0)
        context->threads = trial->candidate->threads;
    const enum cgs_status status =
        backend->read(trial->testbed->queue, entries, trial->read_bytes, seconds);
    context->threads = threads;
    return status;
}

static enum cgs_status take_batch(const struct cgs_tournament *tournament,
                                  const struct flush *flush, struct cgs_trial *trial, int batch)
{
    const int input = (batch + 1) % trial->testbed->inputs, at = trial->batches;
    if (tournament->references)
        CGS_TRY(cgs_testbed_wipe(cgs_trial_testbed(trial)));
    CGS_TRY(time_batch(tournament, flush, trial, input, &trial->seconds[at]));
    CGS_TRY(look_again(tournament, trial, input));
    if (trial->state != CGS_TRIAL_OPEN)
        return CGS_OK;
    trial->batches++;
    return tournament->references ? read_entries(tournament, flush, trial, &trial->reads[at])
                                  : CGS_OK;
}

static enum cgs_status run(const struct cgs_tournament *tournament, struct flush *flushes,
                           struct lane *lanes, int count)
{
    CGS_TRY(begin(tournament, lanes, count));
    for (int i = 0; tournament->cold && i < count; i++) {
        const struct cgs_testbed *testbed = lanes[i].trial->testbed;
        struct flush *flush = &flushes[testbed->backend->place];
        if (!flush->vector)
            CGS_TRY(flush_make(testbed, flush));
    }
    for (int batch = 0; batch < tournament->batches; batch++)
        for (int i = 0; i < count; i++) {
            struct cgs_trial *trial = lanes[i].trial;
            if (trial->state != CGS_TRIAL_OPEN || batch >= lanes[i].batches)
                continue;
            if (cgs_interrupted())
                return cgs_fail(trial->testbed->queue->context, CGS_INTERRUPTED,
                                "interrupted while products were timed");
            CGS_TRY(take_batch(tournament, &flushes[trial->testbed->backend->place], trial, batch));
        }
    return CGS_OK;
}

enum cgs_status cgs_tournament_run(const struct cgs_tournament *tournament,
                                   struct cgs_trial *const *trials, int count)
{
    struct flush flushes[CGS_PLACES] = {0};
    struct lane *lanes;
    int open = 0;
    if (count == 0)
        return CGS_OK;
    CGS_TRY(cgs_alloc(trials[0]->testbed->queue->context, count, sizeof *lanes, "trials",
                      (void **)&lanes));
    for (int i = 0; i < count; i++)
        if (trials[i]->state == CGS_TRIAL_OPEN)
            lanes[open++] = (struct lane){.trial = trials[i]};
    const enum cgs_status status = run(tournament, flushes, lanes, open);
    explain_dropped(lanes, open);
    for (int place = 0; place < CGS_PLACES; place++)
        flush_release(&flushes[place]);
    cgs_free(trials[0]->testbed->queue->context, lanes);
    return status;
}
