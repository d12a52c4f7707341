/* The doctor on processors: what there is, what this process may use of it, who else does. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/probe.h"
#include "core/io/format.h"
#include "src/doctor/doctor_processor.h"

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
