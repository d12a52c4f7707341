#define _GNU_SOURCE /* sched_getcpu */
#include "base/contention.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/probe.h"
#include "base/testing.h"

/* Processors: on quiet machines 0.01, at times 0.15 in a run of 0.2 s; beside a busy loop 0.7. */
static const double DISTURBING = 0.25;

/* Adds the times of each thread of a process, "self" or its number: task/1234/schedstat has "ran
 * waited slices". */
static void count_threads(const char *root, const char *process, struct cgs_contention_counters *c)
{
    char path[PATH_MAX], line[128];
    struct dirent *entry;
    snprintf(path, sizeof path, "%s/proc/%s/task", root, process);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        int64_t ran, waited;
        snprintf(path, sizeof path, "/proc/%s/task/%.32s/schedstat", process, entry->d_name);
        if (entry->d_name[0] != '.' && cgs_probe_line(root, path, line, sizeof line) &&
            sscanf(line, "%" SCNd64 " %" SCNd64, &ran, &waited) == 2) {
            c->ran += ran;
            c->waited += waited;
        }
    }
    if (folder)
        closedir(folder);
}

/* The first line of /proc/stat: user nice system idle iowait irq softirq steal, which guest times
 * are part of. */
static void count_processors(const char *root, struct cgs_contention_counters *c)
{
    enum { STEAL = 7, FIELDS };
    int64_t ticks[FIELDS] = {0};
    char line[256];
    if (!cgs_probe_line(root, "/proc/stat", line, sizeof line))
        return;
    sscanf(line,
           "cpu %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
           " %" SCNd64,
           &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
    c->stolen = ticks[STEAL];
    for (int i = 0; i < FIELDS; i++)
        c->ticks += ticks[i];
}

static struct cgs_contention_counters count(const char *root)
{
    struct cgs_contention_counters c = {.seconds = cgs_now()};
    struct rusage usage;
    count_threads(root, "self", &c);
    count_processors(root, &c);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        c.switches = usage.ru_nivcsw;
    return c;
}

/* a / (a + b) of counters that may have gone back, with a thread that ended. */
static double share(int64_t a, int64_t b)
{
    return a > 0 && b >= 0 ? (double)a / ((double)a + (double)b) : 0.0;
}

void cgs_contention_start(const char *root, struct cgs_contention *contention)
{
    char line[128];
    *contention = (struct cgs_contention){.start = count(root)};
    if (cgs_probe_line(root, "/proc/loadavg", line, sizeof line))
        sscanf(line, "%lf", &contention->load);
}

void cgs_contention_stop(const char *root, struct cgs_contention *contention)
{
    const struct cgs_contention_counters now = count(root), *start = &contention->start;
    const int64_t stolen = now.stolen - start->stolen;
    contention->waited = share(now.waited - start->waited, now.ran - start->ran);
    contention->stolen = share(stolen, now.ticks - start->ticks - stolen);
    contention->missing =
        1e-9 * fmax(0.0, (double)(now.waited - start->waited)) / (now.seconds - start->seconds) +
        contention->stolen * omp_get_num_procs();
    contention->switches = now.switches - start->switches;
}

double cgs_contention_share(const struct cgs_contention *contention)
{
    return 1.0 - (1.0 - contention->waited) * (1.0 - contention->stolen);
}

bool cgs_contention_disturbs(const struct cgs_contention *contention, int threads)
{
    return threads <= omp_get_num_procs() &&
           contention->missing > DISTURBING;
}

bool cgs_contention_crowded(const char *root, int threads)
{
    char line[128];
    int running; /* threads, this one among them */
    return cgs_probe_line(root, "/proc/loadavg", line, sizeof line) &&
           sscanf(line, "%*f %*f %*f %d/", &running) == 1 &&
           running - 1 + threads > (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static struct cgs_contention_counters count_process(int process)
{
    struct cgs_contention_counters c = {0};
    char name[16];
    snprintf(name, sizeof name, "%d", process);
    count_threads("", name, &c);
    return c;
}

double cgs_contention_waited(int process)
{
    return 1e-9 * (double)count_process(process).waited;
}

double cgs_contention_ran(int process)
{
    return 1e-9 * (double)count_process(process).ran;
}

static struct cgs_contention_counters count_group(int group)
{
    struct cgs_contention_counters sum = {0};
    struct dirent *entry;
    DIR *folder = opendir("/proc");
    while (folder && (entry = readdir(folder))) {
        const int process = atoi(entry->d_name); /* 0 of most other names */
        if (process > 0 && getpgid(process) == group) {
            const struct cgs_contention_counters c = count_process(process);
            sum.ran += c.ran;
            sum.waited += c.waited;
        }
    }
    if (folder)
        closedir(folder);
    return sum;
}

bool cgs_contention_starved(int group, double passed)
{
    const struct cgs_contention_counters c = count_group(group);
    const double half = 0.5e9 * passed;
    return cgs_testing("starved", (double)c.ran < half && (double)c.waited >= half) != 0.0;
}

/* Returns true if two threads of a team are on one processor. */
static bool shared(int threads)
{
    enum { MOST = 4096 };
    static const size_t bits = 8 * sizeof(unsigned long);
    unsigned long taken[MOST / (8 * sizeof(unsigned long))] = {0};
    bool twice = false;
#pragma omp parallel num_threads(threads)
    {
        const int at = sched_getcpu();
#pragma omp critical(cgs_contention)
        if (at >= 0 && at < MOST) {
            const unsigned long bit = 1UL << at % bits;
            twice = twice || taken[at / bits] & bit;
            taken[at / bits] |= bit;
        }
    }
    return twice;
}

void cgs_contention_spread(struct cgs_context *context)
{
    enum { IN_VAIN = 3 };
    static const double PATIENCE = 0.02;
    const double begin = cgs_now();
    if (context->threads < 2 || context->threads > omp_get_num_procs() ||
        context->crowded >= IN_VAIN)
        return;
    while (shared(context->threads))
        if (cgs_now() - begin > PATIENCE) {
            context->crowded++;
            return;
        }
}
