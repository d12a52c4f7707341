#include "lab/exercise/race.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/contention.h"
#include "base/testing.h"
#include "core/autotune/calls.h"
#include "lab/exercise/exercises.h"

/* Times of each at least, those after which points may be taken off (a file that was late by bad
 * luck gets another chance), and those after which times that differ are given up, or so many
 * seconds. Times of INFINITY are not counted. */
enum { ROUNDS_LEAST = 10, ROUNDS_SLOW = 25, ROUNDS_MOST = 100 };
static const double PATIENCE = 15.0;

/* So many of the least times of each confirm the least one: whichever of them are taken, the
 * points are at most NEAR apart. */
enum { CONFIRM = 3, NEAR = 3 };

/* Part of y that one of two threads writes, at its least, where the work is not divided. Threads
 * that have one processor may do all in the first one's turn: the speed is not judged then. */
static const double ALONE = 0.9;

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
        if (part > ALONE && tries >= ROUNDS_SLOW && race->processors > 1) {
            cgs_verdict_undivided(verdict, part);
            return CGS_OK;
        }
        if (part > ALONE || rounds < ROUNDS_LEAST || !is_settled(verdict->bounds, runners))
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
