/* base/contention: counters of a made-up /proc, before and after; what disturbs; threads that
 * part; processes that get no processor. */
#define _GNU_SOURCE /* SCHED_IDLE, sched_getaffinity */
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/contention.h"
#include "tests/support/check.h"
#include "tests/support/root.h"

static struct cgs_contention contention;

static void near(double got, double expected)
{
    ck_assert_msg(fabs(got - expected) < 1e-12, "%g, not %g", got, expected);
}

/* Others had a quarter of the threads' time, and a hypervisor a tenth of the processors'. */
TEST(shares)
{
    root_put("/proc/loadavg", "2.50 1.00 0.10 3/123 4567\n");
    root_put("/proc/stat", "cpu  100 0 100 700 0 0 0 100 0 0\ncpu0 1 1 1 1 1 1 1 1\n");
    root_put("/proc/self/task/7/schedstat", "1000 500 12\n");
    cgs_contention_start(root(), &contention);
    root_put("/proc/self/task/7/schedstat", "3000 600 13\n");
    root_put("/proc/self/task/8/schedstat", "4000 1900 9\n"); /* began meanwhile */
    root_put("/proc/stat", "cpu  180 0 100 710 0 0 0 110 0 0\n");
    cgs_contention_stop(root(), &contention);
    near(contention.load, 2.5);
    near(contention.waited, 2000.0 / 8000.0);
    near(contention.stolen, 0.1);
    near(cgs_contention_share(&contention), 1.0 - 0.75 * 0.9);
    ck_assert(contention.missing >= 0.1 * omp_get_num_procs());
    ck_assert_int_ge(contention.switches, 0);
}

/* A thread that has ended takes its counts with it. */
TEST(counters_that_go_back)
{
    root_put("/proc/self/task/7/schedstat", "1000 500 12\n");
    root_put("/proc/self/task/8/schedstat", "9000 7000 12\n");
    root_put("/proc/stat", "cpu  1 2 3 4 5 6 7 8\n");
    cgs_contention_start(root(), &contention);
    root_put("/proc/self/task/8/schedstat", "");
    cgs_contention_stop(root(), &contention);
    near(contention.waited, 0.0);
    near(contention.missing, 0.0);
    near(cgs_contention_share(&contention), 0.0);
    ck_assert(!cgs_contention_disturbs(&contention, 1));
}

TEST(without_files_nothing_is_said)
{
    cgs_contention_start(root(), &contention);
    cgs_contention_stop(root(), &contention);
    near(contention.load, 0.0);
    near(cgs_contention_share(&contention), 0.0);
    ck_assert(!cgs_contention_disturbs(&contention, 1));
    ck_assert(!cgs_contention_crowded(root(), 1000000));
}

TEST(what_disturbs)
{
    const int processors = omp_get_num_procs();
    contention = (struct cgs_contention){.waited = 0.4, .missing = 0.8};
    ck_assert(cgs_contention_disturbs(&contention, 1));
    ck_assert(cgs_contention_disturbs(&contention, processors));
    ck_assert(!cgs_contention_disturbs(&contention, processors + 1)); /* they wait for each other */
    contention.missing = 0.1;
    ck_assert(!cgs_contention_disturbs(&contention, 1));
}

TEST(crowded)
{
    root_put("/proc/loadavg", "0.00 0.00 0.00 1/99 7\n"); /* this one alone */
    ck_assert(!cgs_contention_crowded(root(), 1));
    ck_assert(cgs_contention_crowded(root(), 1000000));
    root_put("/proc/loadavg", "0.00 0.00 0.00 1000000/1000099 7\n");
    ck_assert(cgs_contention_crowded(root(), 1));
    root_put("/proc/loadavg", "nonsense\n");
    ck_assert(!cgs_contention_crowded(root(), 1000000));
}

/* The counters of this system, whatever they are. */
TEST(this_machine)
{
    struct cgs_context context;
    cgs_context_init(&context);
    cgs_contention_start("", &contention);
    context.threads = omp_get_num_procs();
    for (int k = 0; k < 200; k++)
        cgs_contention_spread(&context);
    ck_assert_int_le(context.crowded, 3); /* on a machine that is busy elsewhere */
    context.crowded = 0;
    context.threads = 100000; /* more than there are processors: returns at once */
    cgs_contention_spread(&context);
    ck_assert_int_eq(context.crowded, 0);
    cgs_contention_stop("", &contention);
    ck_assert(contention.waited >= 0.0 && contention.waited <= 1.0);
    ck_assert(contention.stolen >= 0.0 && contention.stolen <= 1.0);
    ck_assert(contention.load >= 0.0 && contention.missing >= 0.0 && contention.switches >= 0);
}

/* Starts a process that computes on that processor without end; idle: only while it has nothing
 * else to do. */
static pid_t start_loop(const cpu_set_t *processor, bool idle)
{
    const pid_t pid = cgs_child_fork();
    ck_assert_int_ge(pid, 0);
    if (pid > 0)
        return pid;
    sched_setaffinity(0, sizeof *processor, processor);
    if (idle)
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    for (;;)
        cgs_now();
}

/* Waits until the answer is as expected; passed: 0 for the time since the beginning. */
static bool becomes(pid_t pid, double begin, double passed, bool expected)
{
    while (cgs_now() - begin < 30.0) {
        if (cgs_contention_starved(pid, passed > 0.0 ? passed : cgs_now() - begin) == expected)
            return true;
        usleep(20000);
    }
    return false;
}

/* On one processor two processes compute: one has it, the other waits. A third one sleeps. */
TEST(starved)
{
    cpu_set_t all, one;
    int first = 0;
    if (access("/proc/self/schedstat", R_OK) != 0)
        return; /* the system does not tell */
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    const double begin = cgs_now();
    const pid_t has = start_loop(&one, false), waits = start_loop(&one, true),
                sleeps = cgs_child_fork();
    if (sleeps == 0)
        for (;;)
            pause();
    usleep(100000);
    ck_assert(becomes(waits, begin, 0.0, true));
    ck_assert(becomes(has, begin, 0.01, false)); /* it has run for more than half of 0.01 s */
    ck_assert(becomes(sleeps, begin, 0.0, false));
    ck_assert(!cgs_contention_starved(waits, 1000.0));
    cgs_child_end(has, true);
    cgs_child_end(waits, true);
    cgs_child_end(sleeps, true);
    ck_assert(!cgs_contention_starved(waits, 1.0));
}

int main(void)
{
    return run_tests("contention", 60, root_make, root_remove);
}
