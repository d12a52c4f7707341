/* The race of a learner's file (lab/exercise/race.h) by scripted times, in which the machine is
 * quiet, busy for a while, or busy to the end: the marks of a file do not depend on it. */
#include "lab/exercise/race.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "lab/exercise/exercises.h"
#include "tests/support/check.h"

/* Times of a quiet machine, each multiplied in every round by what others take of it. */
struct script {
    double quiet[CGS_RUNNERS];
    double (*slower)(int round, int runner);
    double (*part)(int round); /* of y that one of two threads writes */
    int rounds;
};

static double not_at_all(int round, int runner)
{
    (void)round, (void)runner;
    return 1.0;
}

/* Two rounds in three are up to seven times as slow, a different one for each runner. */
static double often(int round, int runner)
{
    return (round + runner) % 3 == 0 ? 1.0 + 0.001 * (round % 5) : 1.5 + (round * 7 + runner) % 11;
}

/* Times of two rounds in three do not count, and would look as if the rival were slow. */
static double not_counted(int round, int runner)
{
    return round % 3 == runner ? 1.0 + 0.001 * (round % 5) : INFINITY;
}

/* No two rounds alike, until the 31st. */
static double at_first(int round, int runner)
{
    return round < 30 ? 2.0 * pow(1.3, (round * 7 + runner * 3) % 30) : often(round, runner);
}

/* Not a quiet one among them: the file is lucky at times, and so is the rival. */
static double always(int round, int runner)
{
    static const double lucky[] = {1.0, 1.5, 2.2};
    return round % 30 == runner ? lucky[round / 30 % 3] : 3.0 + 0.5 * ((round * 5 + runner) % 7);
}

static double shared(int round)
{
    (void)round;
    return 0.45;
}

static double shared_at_times(int round)
{
    return round % 8 == 7 ? 0.7 : 1.0;
}

/* The thread that calls, or the other one. */
static double alone(int round)
{
    return round % 2;
}

static enum cgs_status play(void *user, double seconds[CGS_RUNNERS], double *part)
{
    struct script *script = user;
    for (int i = 0; i < CGS_RUNNERS; i++)
        seconds[i] = script->quiet[i] * script->slower(script->rounds, i);
    *part = script->part(script->rounds);
    script->rounds++;
    return CGS_OK;
}

static const struct cgs_bounds bounds = {.rival = "crs_row", .full = 0.6};

static struct cgs_verdict run_script(struct script *script, int processors)
{
    struct cgs_verdict verdict = {.bounds = &bounds, .attained = -1.0};
    const struct cgs_race race = {.processors = processors, .time = play, .user = script};
    ck_assert(cgs_race_run(&race, &verdict) == CGS_OK);
    ck_assert(verdict.state == CGS_EXERCISE_RIGHT);
    return verdict;
}

/* mine: the file's time where the rival takes 1. */
static struct cgs_verdict run(double mine, double (*slower)(int round, int runner), int *rounds)
{
    struct script script = {.quiet = {mine, 1.0}, .slower = slower, .part = shared};
    const struct cgs_verdict verdict = run_script(&script, 2);
    if (rounds)
        *rounds = script.rounds;
    return verdict;
}

/* A file as fast as the rival. */
static struct cgs_verdict run_parts(double (*part)(int round), int processors,
                                    double (*slower)(int round, int runner))
{
    struct script script = {.quiet = {1.0, 1.0}, .slower = slower, .part = part};
    return run_script(&script, processors);
}

static const struct {
    double mine;
    int points;
} files[] = {{1.5, 100}, {2.5, 87}, {3.0, 82}, {10.0, 67}};
enum { FILES = sizeof files / sizeof *files };

LOOP_TEST(marks_do_not_depend_on_luck, FILES)
{
    double (*const loads[])(int, int) = {not_at_all, often, not_counted, at_first};
    for (int i = 0; i < 4; i++) {
        const struct cgs_verdict verdict = run(files[_i].mine, loads[i], NULL);
        ck_assert_msg(verdict.points >= files[_i].points - 1 &&
                          verdict.points <= files[_i].points + 1,
                      "load %d: %d points, should be %d", i, verdict.points, files[_i].points);
        ck_assert(verdict.slow == (files[_i].points < 100) && verdict.reason[0] == '\0');
    }
}

TEST(what_is_disturbed_is_timed_again)
{
    int quiet, busy;
    run(1.5, not_at_all, &quiet);
    run(1.5, at_first, &busy);
    ck_assert_int_gt(busy, 30);
    ck_assert_int_lt(quiet, 30);
}

TEST(points_are_taken_off_late)
{
    int fast, slow;
    run(1.5, not_at_all, &fast);
    run(2.5, not_at_all, &slow);
    ck_assert_int_gt(slow, fast);
}

static void is_busy(const struct cgs_verdict *verdict)
{
    ck_assert_int_eq(verdict->points, 60);
    ck_assert_msg(strcmp(verdict->reason, "speed not judged: the machine was busy") == 0, "%s",
                  verdict->reason);
    ck_assert(!verdict->slow && verdict->attained < 0.0);
}

TEST(what_stays_disturbed_is_not_judged)
{
    const struct cgs_verdict verdict = run(2.5, always, NULL);
    is_busy(&verdict);
}

/* A loop on one thread, however busy the machine is; two threads, of which the first is often done
 * before the other begins; one processor, where that may be so each time. */
TEST(threads_share_the_work)
{
    const struct cgs_verdict serial = run_parts(alone, 2, often),
                             busy = run_parts(alone, 2, always),
                             shared = run_parts(shared_at_times, 2, often),
                             one = run_parts(alone, 1, often);
    ck_assert_int_eq(serial.points, 60);
    ck_assert_int_eq(busy.points, 60);
    ck_assert(serial.slow && strstr(serial.reason, "not divided among them"));
    ck_assert_str_eq(busy.reason, serial.reason);
    ck_assert_int_eq(shared.points, 100);
    is_busy(&one);
}

int main(void)
{
    return run_tests("race", 60, NULL, NULL);
}
