/* The race of a learner's file (lab/exercise/race.h) by scripted times, in which the machine is
 * quiet, busy for a while, or busy to the end: the marks of a file do not depend on it. So it is
 * with answers that were measured of the exercise transfer. */
#include "lab/exercise/race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "lab/exercise/judge_answers.h"
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
    ck_assert(!verdict->slow && verdict->attained < 0.0 && verdict->times.all == 0.0);
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

/* Causes by numbers alone: what was planted, as measured on a quiet machine, and healthy files. */
LOOP_TEST(causes_are_those_of_the_times, 22)
{
    static const struct {
        struct cgs_times times;
        const char *cause, *text;
    } known[] = {
        {{.all = 5.8e-4, .alone = 5.9e-4, .eighth = 6.3e-5, .part = 1.0}, "one_thread", "one"},
        {{.alone = 5.9e-4, .part = 1.0}, "one_thread", "one"},
        {{.part = 0.95}, "one_thread", "one"},
        {{.all = 2.2e-3, .alone = 9.5e-4, .eighth = 2.8e-4, .part = 0.5}, "hindered", "2.32 times"},
        {{.all = 3.2e-2, .alone = 2.0e-2, .eighth = 4.0e-3, .part = 1.0}, "hindered", "1.60 times"},
        {{.all = 1.5e-3, .alone = 1.4e-3, .eighth = 2e-4, .part = 0.5, .share = 0.06},
         "hindered",
         "1.07 times"},
        {{.all = 7.6e-4, .alone = 9.4e-4, .eighth = 6.9e-5, .part = 0.8}, "uneven", "80 %"},
        {{.all = 1.06e-2, .alone = 1.08e-2, .eighth = 1.03e-2, .part = 0.5}, "once", "97 %"},
        {{.all = 1e-3, .alone = 5e-4, .eighth = 2e-3, .part = 1.0}, "once", "100 %"},
        {{.all = 1.2e-3, .alone = 1.9e-3, .eighth = 1.1e-4, .part = 0.5}, "", ""},
        {{.all = 1e-3, .alone = 1.0e-3, .eighth = 1.2e-4, .part = 0.5}, "", ""}, /* one memory */
        {{.all = 1e-3, .alone = 1.9e-3, .eighth = 1.2e-4, .part = 0.7}, "", ""}, /* other rows */
        {{.all = 1e-3, .alone = 1.1e-3, .eighth = 1.2e-4, .part = 0.5, .share = 0.6}, "", ""},
        {{.all = 1e-3, .alone = 1.9e-3, .eighth = 1.2e-4, .part = 0.5, .share = 0.1}, "", ""},
        {{.all = 1e-3, .part = 0.8}, "", ""},
        {{.alone = 1e-3, .eighth = 1e-3}, "", ""},
        {{.all = 0.0}, "", ""},
        {{.all = 1.1e-4, .eighth = 1.2e-5, .thread_a_row = 1e-4, .device = true},
         "uncoalesced",
         "1.10 times"},
        {{.all = 3e-3, .eighth = 4e-4, .thread_a_row = 1e-4, .device = true},
         "few_threads",
         "30 times"},
        {{.all = 1e-4, .eighth = 9e-5, .thread_a_row = 1e-4, .device = true}, "once", "kernels"},
        {{.all = 2e-4, .eighth = 3e-5, .thread_a_row = 1e-4, .device = true}, "", ""},
        {{.all = 2e-4, .eighth = 3e-5, .device = true}, "", ""},
    };
    ck_assert_int_eq(sizeof known / sizeof *known, 22);
    char text[160];
    const char *cause = cgs_cause_of(&known[_i].times, text, sizeof text);
    ck_assert_str_eq(cause, known[_i].cause);
    ck_assert_msg(strstr(text, known[_i].text) && !text[0] == !cause[0], "%s: %s", cause, text);
}

TEST(what_moves_is_a_sentence)
{
    struct cgs_verdict verdict = {.bytes = 2e9, .attainable_gbs = 50.0, .attainable_kind = "copy"};
    char text[400];
    cgs_verdict_moved(&verdict, text, sizeof text);
    ck_assert_str_eq(text, "");
    verdict.times.all = 0.1;
    cgs_verdict_moved(&verdict, text, sizeof text);
    ck_assert_str_eq(text, "2.00 GB in 100 ms: 20.0 GB/s, 40 % of a plain copy (50.0 GB/s)");
    cgs_cause_of(&(struct cgs_times){.part = 1.0}, verdict.cause_text, sizeof verdict.cause_text);
    cgs_verdict_moved(&verdict, text, sizeof text);
    ck_assert_msg(strstr(text, "GB/s); likely cause: one thread does the work"), "%s", text);
}

static struct cgs_verdict answer(const char *text, const struct cgs_transfer_measured *measured)
{
    char file[] = "/tmp/check_race-XXXXXX";
    struct cgs_context context;
    struct cgs_verdict verdict = {.attained = -1.0};
    const int descriptor = mkstemp(file);
    ck_assert(descriptor >= 0 && write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    close(descriptor);
    cgs_context_init(&context);
    const enum cgs_status status = cgs_transfer_judge(&context, file, measured, &verdict);
    unlink(file);
    ck_assert_msg(status == CGS_OK, "%s", context.message);
    return verdict;
}

/* A learner's answers, held against a machine that was as quiet, busy, or another one. */
LOOP_TEST(measured_answers_do_not_depend_on_luck, 4)
{
    static const struct cgs_transfer_measured now[] = {{2.286e-3, 4.3e-5, 2e-2, 130},
                                                       {1.273e-3, 4.1e-5, 6e-2, 130},
                                                       {1e-2, 2e-4, 8e-2, 129},
                                                       {3e-4, 3e-5, 3e-3, 131}};
    static const struct {
        const char *text, *reason;
        int points;
    } answers[] = {
        {"bytes = 84405160\ncpu = 2.286e-3\ngpu = 4.3e-5\ncost = 0.02\npays = 8.92\ncg = yes\n", "",
         100},
        {"bytes = 84405160\ncpu = 5e-4\ngpu = 6e-4\ncost = 0.02\npays = -200\ncg = no\n", "", 100},
        {"bytes = 84405160\ncpu = 2e-3\ngpu = 4e-5\ncost = 0.02\npays = 3\ncg = yes\n",
         "pays is 3, should be cost / (cpu - gpu) of your own numbers, 10.2", 83},
        {"bytes = 84405160\ncpu = 2e-3\ngpu = 4e-5\ncost = 0.02\npays = 10.2\ncg = no\n",
         "cg is no, should be another of yes, no", 83},
        {"bytes = 84405160\ncpu = 2e-3\ngpu = 4e-5\ncost = 0.02\npays =\ncg = yes\n",
         "pays has no value; cg can't be held against pays", 66},
        {"bytes = 84405160\ncpu = 2\ngpu = 0.04\ncost = 20\npays = 10.2\ncg = yes\n",
         "cpu is 2, should be about", 50},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const struct cgs_verdict verdict = answer(answers[i].text, &now[_i]);
        ck_assert_msg(verdict.points == answers[i].points &&
                          !answers[i].reason[0] == !verdict.reason[0] &&
                          strstr(verdict.reason, answers[i].reason),
                      "file %zu: %d points: %s", i, verdict.points, verdict.reason);
    }
}

int main(void)
{
    return run_tests("race", 60, NULL, NULL);
}
