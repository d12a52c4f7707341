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

/* A team of two has one processor: twice the time, in all rounds alike. */
static double one_processor(int round, int runner)
{
    (void)round;
    return runner < CGS_MINE_ALONE ? 2.0 : 1.0;
}

static enum cgs_status play(void *user, double seconds[CGS_RUNNERS])
{
    struct script *script = user;
    for (int i = 0; i < CGS_RUNNERS; i++)
        seconds[i] = script->quiet[i] * script->slower(script->rounds, i);
    script->rounds++;
    return CGS_OK;
}

static const struct cgs_bounds bounds = {.rival = "crs_row", .full = 0.6, .team = true};

/* mine: the file's time where the rival takes 1, and 2 with one thread; alone: the file's, then. */
static struct cgs_verdict run(double mine, double alone, int processors,
                              double (*slower)(int round, int runner), int *rounds)
{
    struct script script = {.quiet = {mine, 1.0, alone, 2.0}, .slower = slower};
    struct cgs_verdict verdict = {.bounds = &bounds, .attained = -1.0};
    const struct cgs_race race = {.processors = processors, .time = play, .user = &script};
    ck_assert(cgs_race_run(&race, &verdict) == CGS_OK);
    ck_assert(verdict.state == CGS_EXERCISE_RIGHT);
    if (rounds)
        *rounds = script.rounds;
    return verdict;
}

static const struct {
    double mine, alone;
    int points;
} files[] = {{1.5, 2.8, 100}, {2.5, 4.9, 87}, {3.0, 6.0, 82}, {10.0, 20.0, 67}};
enum { FILES = sizeof files / sizeof *files };

LOOP_TEST(marks_do_not_depend_on_luck, FILES)
{
    double (*const loads[])(int, int) = {not_at_all, often, at_first};
    for (int i = 0; i < 3; i++) {
        const struct cgs_verdict verdict = run(files[_i].mine, files[_i].alone, 2, loads[i], NULL);
        ck_assert_msg(verdict.points >= files[_i].points - 1 &&
                          verdict.points <= files[_i].points + 1,
                      "load %d: %d points, should be %d", i, verdict.points, files[_i].points);
        ck_assert(verdict.slow == (files[_i].points < 100) && verdict.reason[0] == '\0');
    }
}

TEST(what_is_disturbed_is_timed_again)
{
    int quiet, busy;
    run(1.5, 2.8, 2, not_at_all, &quiet);
    run(1.5, 2.8, 2, at_first, &busy);
    ck_assert_int_gt(busy, 30);
    ck_assert_int_lt(quiet, 30);
}

TEST(points_are_taken_off_late)
{
    int fast, slow;
    run(1.5, 2.8, 2, not_at_all, &fast);
    run(2.5, 4.9, 2, not_at_all, &slow);
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
    const struct cgs_verdict verdict = run(2.5, 4.9, 2, always, NULL);
    is_busy(&verdict);
}

TEST(two_threads_need_two_processors)
{
    const struct cgs_verdict two = run(2.5, 4.9, 2, one_processor, NULL);
    const struct cgs_verdict one = run(2.5, 4.9, 1, one_processor, NULL);
    is_busy(&two);
    ck_assert_int_eq(one.points, 87); /* of both alike: nothing to be had there */
}

/* A loop on one thread, and one that both threads do in whole. */
TEST(threads_share_the_work)
{
    const struct cgs_verdict serial = run(2.5, 2.5, 2, often, NULL),
                             whole = run(1.6, 2.0, 2, not_at_all, NULL),
                             alone = run(1.6, 1.6, 1, not_at_all, NULL);
    ck_assert_int_eq(serial.points, 60);
    ck_assert_int_eq(whole.points, 60);
    ck_assert(serial.slow && strstr(serial.reason, "not divided among them"));
    ck_assert_int_eq(alone.points, 100);
}

int main(void)
{
    return run_tests("race", 60, NULL, NULL);
}
