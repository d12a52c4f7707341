/* The doctor on processors: what there is, what this process may use of it, who else does. */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr */
#include "src/doctor/doctor_processor.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/probe.h"
#include "core/io/format.h"
#include "core/io/threads.h"

/* The doctor on OpenMP: how many threads there will be, whether they start and stay where they are,
 * and what the environment says to that.
 *
 * The runtime has read its environment before main: values are judged by what it made of them
 * (omp_get_...), and by their text where it does not tell.
 */

struct runtimes {
    const char *own; /* the file name of the runtime that computes */
    cgs_text other;  /* that of another one in this process, or "" */
};

static int look_for_other(struct dl_phdr_info *info, size_t size, void *user)
{
    static const char *const names[] = {"libgomp", "libomp", "libiomp5"};
    struct runtimes *runtimes = user;
    const char *name = cgs_base_name(info->dlpi_name);
    (void)size;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0 && strcmp(name, runtimes->own) != 0)
            snprintf(runtimes->other, sizeof runtimes->other, "%s", name);
    return 0;
}

/* Says which OpenMP computes. Where clang compiled this program, libraries that gcc compiled bring
 * libgomp beside libomp: Debian's libcholmod does. */
static void examine_runtime(struct cgs_examination *e)
{
    Dl_info here;
    struct runtimes runtimes = {.other = ""};
    if (!dladdr((void *)(uintptr_t)omp_get_max_threads, &here) || !here.dli_fname)
        return;
    runtimes.own = cgs_base_name(here.dli_fname);
    dl_iterate_phdr(look_for_other, &runtimes);
    cgs_found(e, "runtime", "%s%s%s%s", runtimes.own,
              runtimes.other[0] ? "; a library brings " : "", runtimes.other,
              runtimes.other[0] ? ", too, which reads the same OMP_ variables" : "");
}

/* Starts them as a run would. One that does not start ends a run with status 5. */
static void examine_start(struct cgs_examination *e)
{
    struct cgs_context *context = e->context;
    int asked = e->threads;
    const int wanted = asked > 0 ? asked : context->threads;
    const int limit = omp_get_thread_limit();
    char message[256];
    if (cgs_threads_start(context, asked) == CGS_OK) {
        cgs_found(e, "start", "%d thread%s start%s", context->threads,
                  context->threads == 1 ? "" : "s", context->threads == 1 ? "s" : "");
        return;
    }
    snprintf(message, sizeof message, "%.255s", context->message);
    struct cgs_finding *f = cgs_found(e, "start", "%s", message);
    for (asked = wanted > limit ? limit : wanted / 2;; asked /= 2) {
        cgs_forgive(context);
        if (asked <= 1 || cgs_threads_start(context, asked) == CGS_OK)
            break;
    }
    if (asked <= 1)
        context->threads = 1;
    cgs_ails(f, CGS_PROBLEM, "a run with that many threads is refused", "%s",
             cgs_threads_command(e, context->threads, (cgs_text){0}));
}

/* More threads than processors: all wait at the end of each loop for the one that has none. */
static void examine_number(struct cgs_examination *e)
{
    const int threads = e->context->threads, allowed = cgs_processors_allowed(e);
    const char *number = getenv("OMP_NUM_THREADS");
    const char *given = e->threads > 0 ? " (--threads)" : "";
    struct cgs_finding *f = cgs_found(e, "threads", "%d%s on %d processor%s", threads, given,
                                      allowed, allowed == 1 ? "" : "s");
    if (threads > allowed)
        cgs_ails(f, CGS_PROBLEM,
                 "they take turns, and all wait at the end of each loop for the last: a run takes "
                 "several times as long",
                 "%s", cgs_threads_command(e, allowed, (cgs_text){0}));
    if (number) {
        f = cgs_found(e, "number", "OMP_NUM_THREADS=%s", number);
        const char *digits = number + strspn(number, " \t");
        if (!isdigit((unsigned char)*digits) || atoi(digits) < 1)
            cgs_ails(f, CGS_NOTE, "that is no number: it is ignored, and all processors are taken",
                     "export OMP_NUM_THREADS=%d", allowed);
    }
    if (omp_get_dynamic())
        cgs_ails(cgs_found(e, "dynamic", "OMP_DYNAMIC=true"), CGS_NOTE,
                 "the runtime may take fewer threads than were asked for, another number each time",
                 "export OMP_DYNAMIC=false");
    const int limit = omp_get_thread_limit();
    if (limit < INT_MAX) {
        f = cgs_found(e, "limit", "OMP_THREAD_LIMIT=%d", limit);
        if (limit < allowed)
            cgs_ails(f, CGS_NOTE, "processors stay idle: more threads are not allowed",
                     "unset OMP_THREAD_LIMIT");
    }
}

/* Processors in all places that threads are bound to. */
static int bound_processors(void)
{
    int count = 0;
    for (int place = 0; place < omp_get_num_places(); place++)
        count += omp_get_place_num_procs(place);
    return count;
}

static void examine_binding(struct cgs_examination *e)
{
    static const char remedy[] = "export OMP_PROC_BIND=spread OMP_PLACES=cores";
    const omp_proc_bind_t binding = omp_get_proc_bind();
    const int apart = cgs_places_apart(e), threads = e->context->threads;
    if (binding == omp_proc_bind_false) {
        struct cgs_finding *f =
            cgs_found(e, "binding", "off%s", apart == 1 ? ": one socket, little to lose" : "");
        if (apart > 1 && threads > 1)
            cgs_ails(f, CGS_NOTE,
                     "threads may move away from the memory that they have touched: figures "
                     "spread, and fall where the other socket's memory is read",
                     remedy);
        return;
    }
    const int processors = bound_processors();
    struct cgs_finding *f =
        cgs_found(e, "binding", "%s, %d place%s",
                  binding == omp_proc_bind_master   ? "all at the first thread's place"
                  : binding == omp_proc_bind_close  ? "close"
                  : binding == omp_proc_bind_spread ? "spread"
                                                    : "on",
                  omp_get_num_places(), omp_get_num_places() == 1 ? "" : "s");
    const int reached = binding == omp_proc_bind_master ? omp_get_place_num_procs(0) : processors;
    if (reached > 0 && reached < threads)
        cgs_ails(f, CGS_PROBLEM,
                 "threads are bound to fewer processors than there are threads: they take turns",
                 remedy);
}

static void examine_waiting(struct cgs_examination *e)
{
    const char *policy = getenv("OMP_WAIT_POLICY");
    if (!policy)
        return;
    struct cgs_finding *f = cgs_found(e, "waiting", "OMP_WAIT_POLICY=%s", policy);
    if (strcasecmp(policy, "passive") == 0)
        cgs_ails(f, CGS_NOTE,
                 "threads sleep between loops, and waking takes microseconds: small N is slower",
                 "unset OMP_WAIT_POLICY");
    else if (strcasecmp(policy, "active") != 0)
        cgs_ails(f, CGS_NOTE, "neither active nor passive: it is ignored", "unset OMP_WAIT_POLICY");
}

static void examine_stack(struct cgs_examination *e)
{
    enum { LEAST = 256 << 10, MOST = 64 << 20 };
    const char *text = getenv("OMP_STACKSIZE");
    if (!text)
        return;
    const int64_t bytes = cgs_memory_stack(text);
    struct cgs_finding *f = cgs_found(e, "stacks", "OMP_STACKSIZE=%s", text);
    if (bytes == 0)
        cgs_ails(f, CGS_NOTE, "that is no size such as 4M: it is ignored", "unset OMP_STACKSIZE");
    else if (bytes < LEAST)
        cgs_ails(f, CGS_NOTE, "that is little: a thread that needs more ends the run",
                 "unset OMP_STACKSIZE");
    else if (bytes > MOST)
        cgs_ails(f, CGS_NOTE,
                 "each thread reserves that much address space, and none needs it: under a limit "
                 "they do not start",
                 "unset OMP_STACKSIZE");
}

void cgs_examine_openmp(struct cgs_examination *e)
{
    e->section = "OpenMP";
    examine_runtime(e);
    examine_start(e);
    examine_number(e);
    examine_binding(e);
    examine_waiting(e);
    examine_stack(e);
}

#define CPUS "/sys/devices/system/cpu"

/* Returns true if a folder cpu7 is of the first processor of its kind: of a core, of a socket. */
static bool leads(const char *root, const char *path, const char *list)
{
    char file[256];
    int number, first;
    const char *name = path + sizeof CPUS - 1;
    if (sscanf(name, "/cpu%d", &number) != 1)
        return false;
    snprintf(file, sizeof file, "%.200s/topology/%s", path, list);
    cgs_probe_list(root, file, &first);
    return first == number;
}

static bool leads_core(const char *root, const char *path)
{
    return leads(root, path, "thread_siblings_list");
}

static bool leads_socket(const char *root, const char *path)
{
    return leads(root, path, "core_siblings_list");
}

/* The machine according to /sys; 0: not known. */
struct topology {
    int processors, cores, sockets, nodes;
};

static struct topology read_topology(const char *root)
{
    struct topology t;
    int first;
    t.processors = cgs_probe_list(root, CPUS "/online", &first);
    t.cores = cgs_probe_entries(root, CPUS, leads_core);
    t.sockets = cgs_probe_entries(root, CPUS, leads_socket);
    t.nodes = cgs_probe_list(root, "/sys/devices/system/node/has_cpu", &first);
    return t;
}

int cgs_places_apart(const struct cgs_examination *e)
{
    const struct topology t = read_topology(e->root);
    return t.nodes > t.sockets ? t.nodes : t.sockets;
}

static void examine_topology(struct cgs_examination *e)
{
    const struct topology t = read_topology(e->root);
    if (t.processors == 0) {
        cgs_found(e, "processors", "%d (this system does not tell more)", omp_get_num_procs());
        return;
    }
    char cores[96] = "";
    if (t.cores > 0 && t.sockets > 0)
        snprintf(cores, sizeof cores, ": %d socket%s, %d core%s, %s", t.sockets,
                 t.sockets == 1 ? "" : "s", t.cores, t.cores == 1 ? "" : "s",
                 t.processors > t.cores ? "several hardware threads a core"
                                        : "one hardware thread a core");
    cgs_found(e, "processors", "%d online%s%s", t.processors, cores,
              t.nodes > 1 ? ", several NUMA nodes" : "");
}

int cgs_processors_allowed(const struct cgs_examination *e)
{
    const double quota = cgs_probe_quota(e->root);
    const int processors = omp_get_num_procs();
    if (quota > 0.0 && quota < processors)
        return quota < 1.0 ? 1 : (int)quota;
    return processors;
}

static void examine_allowed(struct cgs_examination *e)
{
    const double quota = cgs_probe_quota(e->root);
    const int processors = omp_get_num_procs();
    char limit[96] = "";
    if (quota > 0.0)
        snprintf(limit, sizeof limit, "; its control group may keep %.3g busy", quota);
    cgs_found(e, "allowed", "this process may run on %d of them%s", processors, limit);
}

/* Threads that wait for a processor which somebody else has hold up all the others. */
static void examine_load(struct cgs_examination *e)
{
    char line[128];
    double load;
    int first;
    const int online = cgs_probe_list(e->root, CPUS "/online", &first);
    const int threads = e->context->threads;
    if (!cgs_probe_line(e->root, "/proc/loadavg", line, sizeof line) ||
        sscanf(line, "%lf", &load) != 1 || online == 0)
        return;
    struct cgs_finding *f =
        cgs_found(e, "load", "%.2f on %d processors in the last minute", load, online);
    if (load < 1.0 || load + threads < 1.1 * online)
        return;
    const int idle = online - (int)(load + 0.5);
    if (idle < 1)
        cgs_ails(f, CGS_NOTE,
                 "others keep all processors busy: figures are low, and spread from run to run",
                 "ps -eo pcpu,pid,user,comm --sort=-pcpu | head");
    else if (idle < threads)
        cgs_ails(f, CGS_NOTE,
                 "others compute, too: a thread that waits for a processor holds up all", "%s",
                 cgs_threads_command(e, idle, (cgs_text){0}));
}

static void examine_governor(struct cgs_examination *e)
{
    char governor[64];
    if (!cgs_probe_line(e->root, CPUS "/cpu0/cpufreq/scaling_governor", governor, sizeof governor))
        return;
    struct cgs_finding *f = cgs_found(e, "governor", "%s", governor);
    if (strcmp(governor, "powersave") == 0)
        cgs_ails(f, CGS_NOTE,
                 "the clock stays low, or rises late: runs are slower, short ones most, and "
                 "figures spread",
                 "echo performance | sudo tee " CPUS "/cpu*/cpufreq/scaling_governor");
}

void cgs_examine_processor(struct cgs_examination *e)
{
    struct cgs_queue *queue;
    struct cgs_device_info info;
    cgs_text cache;
    e->section = "Processor";
    if (cgs_backend(CGS_CPU)->open(e->context, 0, &queue) == CGS_OK) {
        if (cgs_backend(CGS_CPU)->describe(queue, &info) == CGS_OK)
            cgs_found(e, "name", "%s%s%s%s%s", info.name[0] ? info.name : "unknown",
                      info.architecture[0] ? ", " : "", info.architecture,
                      info.cache_bytes > 0 ? ", cache " : "",
                      info.cache_bytes > 0 ? cgs_bytes_text(info.cache_bytes, cache) : "");
        cgs_backend(CGS_CPU)->close(queue);
    }
    cgs_forgive(e->context);
    examine_topology(e);
    examine_allowed(e);
    examine_load(e);
    examine_governor(e);
}
