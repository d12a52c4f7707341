#include "lab/exercise/race.h"
#include "lab/exercise/verdict.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/contention.h"
#include "base/plain.h"
#include "base/testing.h"
#include "core/autotune/calls.h"
#include "core/io/format.h"
#include "core/setup/measure.h"

/* Times of each at least, those after which points may be taken off (a file that was late by bad
 * luck gets another chance), and those after which times that differ are given up, or so many
 * seconds. Times of INFINITY are not counted. */
enum { ROUNDS_LEAST = 10, ROUNDS_SLOW = 25, ROUNDS_MOST = 100 };
static const double PATIENCE = 15.0;

/* So many of the least times of each confirm the least one: whichever of them are taken, the
 * points are at most NEAR apart. */
enum { CONFIRM = 3, NEAR = 3 };

/* The least times of a runner, in ascending order, and how many there were. */
struct least {
    double seconds[CONFIRM];
    int count;
};

static void note(struct least *least, double seconds)
{
    int at = CONFIRM;
    least->count += isfinite(seconds);
    for (; at > 0 && seconds < least->seconds[at - 1]; at--)
        if (at < CONFIRM)
            least->seconds[at] = least->seconds[at - 1];
    if (at < CONFIRM)
        least->seconds[at] = seconds;
}

static bool is_settled(const struct cgs_bounds *bounds, const struct least runners[CGS_RUNNERS])
{
    const struct least *mine = &runners[CGS_MINE], *rival = &runners[CGS_RIVAL];
    const int least = cgs_bounds_points(bounds, rival->seconds[0] / mine->seconds[CONFIRM - 1]);
    const int most = cgs_bounds_points(bounds, rival->seconds[CONFIRM - 1] / mine->seconds[0]);
    return most - least <= NEAR;
}

/* Notes the learner's least time and its part of y, from which its cause is found. */
static void keep(const struct least runners[CGS_RUNNERS], double part, struct cgs_verdict *verdict)
{
    const double seconds = runners[CGS_MINE].seconds[0];
    verdict->times.all = isfinite(seconds) ? seconds : 0.0;
    verdict->times.part = part;
}

static void judge(const struct least runners[CGS_RUNNERS], struct cgs_verdict *verdict)
{
    verdict->rival_seconds = runners[CGS_RIVAL].seconds[0];
    cgs_verdict_right(verdict, runners[CGS_RIVAL].seconds[0] / runners[CGS_MINE].seconds[0]);
}

enum cgs_status cgs_race_run(const struct cgs_race *race, struct cgs_verdict *verdict)
{
    static const struct least none = {.seconds = {INFINITY, INFINITY, INFINITY}};
    struct least runners[CGS_RUNNERS] = {none, none};
    double part = 1.0;
    const double begun = cgs_now(), patience = fmax(1.0, PATIENCE * cgs_testing("part", 1.0));
    for (int tries = 1, rounds = 0; rounds < ROUNDS_MOST && cgs_now() - begun < patience; tries++) {
        double seconds[CGS_RUNNERS], now = 0.5;
        CGS_TRY(race->time(race->user, seconds, &now));
        part = fmin(part, fmax(now, 1.0 - now));
        for (int i = 0; i < CGS_RUNNERS; i++)
            note(&runners[i], seconds[i]);
        rounds = runners[0].count < runners[1].count ? runners[0].count : runners[1].count;
        keep(runners, part, verdict);
        if (part > CGS_PART_ALONE && tries >= ROUNDS_SLOW && race->processors > 1) {
            cgs_verdict_undivided(verdict, part);
            return CGS_OK;
        }
        /* Threads that have one processor may do all in the first one's turn. */
        if (part > CGS_PART_ALONE || rounds < ROUNDS_LEAST || !is_settled(verdict->bounds, runners))
            continue;
        judge(runners, verdict);
        if (!verdict->slow || rounds >= ROUNDS_SLOW)
            return CGS_OK;
    }
    cgs_verdict_busy(verdict);
    return CGS_OK;
}

double cgs_race_seconds(double begun, double waited)
{
    static const double PART = 0.05;
    const double passed = cgs_now() - begun;
    const bool alone = omp_get_num_procs() >= CGS_CALL_THREADS; /* else they wait for each other */
    return alone && cgs_contention_waited(getpid()) - waited > PART * passed ? INFINITY : passed;
}

void cgs_race_wake(void)
{
    unsetenv("GOMP_SPINCOUNT");
}

/* ---- the cause ---- */

/* An eighth of the problem takes such a part of the time, at least, where the time is that of what
 * a call does once. */
static const double ONCE = 0.5;
/* Threads that hinder each other take HINDERED times as long as one of them; or they are less than
 * GAIN times as fast as one, and reach less than SHARE of the memory's speed: then it is not memory
 * that they wait for. */
static const double HINDERED = 1.4, GAIN = 1.25, SHARE = 0.4;
/* Part of y that one of two threads writes, at its least, where the work is divided unevenly. */
static const double UNEVEN = 0.6;
/* As slow as a thread a row: its time, either way; and slower than any use of all threads. */
static const double ALIKE = 1.25, FEW = 4.0;

static const char *cause_on_device(const struct cgs_times *t, char *text, size_t size)
{
    const double ratio = t->thread_a_row > 0.0 ? t->all / t->thread_a_row : 0.0;
    if (ratio > FEW) {
        snprintf(text, size, "it takes %.3g times as long as crs_thread: too few threads work",
                 ratio);
        return "few_threads";
    }
    if (ratio > 1.0 / ALIKE && ratio < ALIKE) {
        snprintf(text, size,
                 "it takes %.2f times as long as crs_thread: loads that are not coalesced, a "
                 "thread a row",
                 ratio);
        return "uncoalesced";
    }
    return "";
}

static const char *cause_on_host(const struct cgs_times *t, char *text, size_t size)
{
    const bool both = t->all > 0.0 && t->alone > 0.0;
    const double gain = both ? t->alone / t->all : 0.0; /* of two threads over one */
    const bool idle_memory = t->share > 0.0 && t->share < SHARE && t->part < UNEVEN;
    if (both && gain < (idle_memory ? GAIN : 1.0 / HINDERED)) {
        snprintf(text, size,
                 "two threads take %.2f times as long as one: they wait for each other, or are "
                 "started too often",
                 1.0 / gain);
        return "hindered";
    }
    if (t->part > CGS_PART_ALONE) {
        snprintf(text, size, "one thread does the work");
        return "one_thread";
    }
    if (t->part >= UNEVEN && both && gain < 1.1 / t->part) {
        snprintf(text, size, "one of two threads has %.0f %% of the rows", 100.0 * t->part);
        return "uneven";
    }
    return "";
}

const char *cgs_cause_of(const struct cgs_times *times, char *text, size_t size)
{
    text[0] = '\0';
    if (times->all > 0.0 && times->eighth > ONCE * times->all) {
        snprintf(text, size, "an eighth of the problem takes %.0f %% of the time: %s",
                 100.0 * fmin(1.0, times->eighth / times->all),
                 times->device ? "starting kernels, or other work that each call does once"
                               : "starting threads, or other work that each call does once");
        return "once";
    }
    return (times->device ? cause_on_device : cause_on_host)(times, text, size);
}

/* ---- the rate ---- */

enum cgs_status cgs_cause_find(const struct cgs_callee *callee, int64_t bytes, int64_t written,
                               int places, struct cgs_verdict *verdict)
{
    struct cgs_bandwidth bandwidth;
    struct cgs_times *times = &verdict->times;
    if (times->all > 0.0) {
        CGS_TRY(cgs_measure_bandwidth(cgs_backend(CGS_CPU), callee->queue, bytes * places,
                                      INT64_MAX, &bandwidth));
        verdict->bytes = (double)bytes;
        verdict->attainable_gbs =
            cgs_attainable(&bandwidth, written, bytes, &verdict->attainable_kind);
        times->share = 1e-9 * verdict->bytes / times->all / verdict->attainable_gbs;
    }
    if (verdict->slow)
        verdict->cause = cgs_cause_of(times, verdict->cause_text, sizeof verdict->cause_text);
    return CGS_OK;
}

void cgs_verdict_moved(const struct cgs_verdict *verdict, char *text, size_t size)
{
    const double seconds = verdict->times.all, gbs = 1e-9 * verdict->bytes / seconds;
    cgs_text bytes, time, rate, share, attainable;
    text[0] = '\0';
    if (seconds > 0.0 && verdict->bytes > 0.0)
        snprintf(text, size, "%s in %s: %s GB/s, %s of a plain %s (%s GB/s)",
                 cgs_bytes_text((int64_t)verdict->bytes, bytes), cgs_seconds_text(seconds, time),
                 cgs_number_text(gbs, rate), cgs_percent_text(gbs, verdict->attainable_gbs, share),
                 verdict->attainable_kind, cgs_number_text(verdict->attainable_gbs, attainable));
    if (verdict->cause_text[0])
        cgs_append(text, size, "%slikely cause: %s", text[0] ? "; " : "", verdict->cause_text);
}

/* ---- times ---- */

enum cgs_status cgs_lap_time(const struct cgs_lap *lap, double *seconds)
{
    enum { ROUNDS = 10, PRODUCTS = 2 };
    static const double LAP_PATIENCE = 1.0;
    struct cgs_context *context = lap->callee->context;
    struct cgs_calls *calls;
    double least = INFINITY;
    context->threads = lap->threads;
    enum cgs_status status =
        lap->crs ? cgs_calls_begin(lap->callee, lap->crs, &calls)
                 : cgs_calls_begin_plain(lap->callee, lap->outputs, lap->inputs, &calls);
    const double begun = cgs_now(), patience = LAP_PATIENCE * cgs_testing("part", 1.0);
    for (int i = 0; i < ROUNDS && status == CGS_OK && (i == 0 || cgs_now() - begun < patience);
         i++) {
        double now;
        status = cgs_calls_time(calls, lap->x, lap->y, PRODUCTS, &now);
        if (status == CGS_OK && lap->note->switches == 0)
            least = fmin(least, now / PRODUCTS);
    }
    cgs_calls_end(calls);
    context->threads = CGS_CALL_THREADS;
    if (status == CGS_OK && isfinite(least) && !(*seconds > 0.0 && *seconds < least))
        *seconds = least;
    if (status == CGS_NOT_CONVERGED) { /* as where it counts on two threads: no verdict */
        context->status = status = CGS_OK;
        context->message[0] = '\0';
    }
    return status;
}
