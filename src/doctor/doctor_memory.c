/* The doctor on memory: how much there is, who limits it, how its pages are served. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/available.h"
#include "base/memory.h"
#include "base/probe.h"
#include "core/plan/fitting.h"
#include "src/doctor/doctor_memory.h"

int64_t cgs_largest_n(const struct cgs_backend *backend, enum cgs_device kind, int threads,
                      int64_t host, int64_t device)
{
    const struct cgs_kernel_entry *entry;
    struct cgs_context context;
    cgs_context_init(&context);
    if (cgs_kernel_find(&context, "auto", kind, CGS_SELL, &entry) != CGS_OK ||
        !entry->tables[CGS_PRECISION_F64])
        return 0;
    const struct cgs_spec forecast = {
        .backend = backend,
        .kernel = entry->tables[CGS_PRECISION_F64],
        .precision = CGS_PRECISION_F64,
        .format = CGS_SELL,
        .chunk = backend->chunk[CGS_F64],
        .sigma = 1,
        .mesh = cgs_mesh_cube(1, CGS_GAUSS, 1.0),
        .threads = threads,
    };
    const struct cgs_room room = {
        .bytes = {[CGS_HOST] = host - host / CGS_RESERVE, [CGS_DEVICE_MEMORY] = device}};
    int64_t bytes[CGS_PLACES];
    return cgs_fitting_largest(forecast, false, &room, bytes);
}

static void examine_total(struct cgs_examination *e)
{
    int64_t total, available;
    cgs_text text, more;
    if (!cgs_probe_number(e->root, "/proc/meminfo", "MemTotal", &total) ||
        !cgs_probe_number(e->root, "/proc/meminfo", "MemAvailable", &available))
        return;
    struct cgs_finding *f = cgs_found(e, "total", "%s, %s of it available now",
                                      cgs_bytes_text(total, text), cgs_bytes_text(available, more));
    if (available < total / 10)
        cgs_ails(f, CGS_NOTE, "other processes hold nearly all of it: larger runs are refused",
                 "ps -eo rss,pid,user,comm --sort=-rss | head");
}

/* Finds the memory that a run may take within all limits, and the largest N that fits. */
static void examine_room(struct cgs_examination *e)
{
    const int64_t room = cgs_memory_available();
    const int64_t limit = cgs_probe_memory_limit(e->root);
    const int64_t n = cgs_largest_n(cgs_backend(CGS_CPU), CGS_CPU, e->context->threads, room, 0);
    cgs_text text, most;
    struct cgs_finding *f = cgs_found(
        e, "room", "%s for a run: N up to %lld in double precision, format sell, on the CPU",
        cgs_bytes_text(room, text), (long long)n);
    if (n < 64)
        cgs_ails(f, CGS_NOTE, "not even the default run, N = 64, fits",
                 "cgsolve --precision=single --N=%lld", (long long)(n > 1 ? n : 1));
    if (limit > 0)
        cgs_found(e, "group", "the control group of this process allows %s in all",
                  cgs_bytes_text(limit, most));
}

/* A limit of the shell (ulimit): a soft one it may raise itself, a hard one only the superuser. */
static void examine_limit(struct cgs_examination *e, int resource, const char *name,
                          const char *option, const char *flag, int64_t enough, const char *costs)
{
    struct rlimit limit;
    cgs_text text;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        (enough > 0 && (int64_t)limit.rlim_cur >= enough))
        return;
    struct cgs_finding *f =
        cgs_found(e, name, "ulimit %s is %s", flag, cgs_bytes_text((int64_t)limit.rlim_cur, text));
    const int64_t wanted = enough > 0 ? enough : INT64_MAX;
    if (limit.rlim_max != RLIM_INFINITY && (int64_t)limit.rlim_max < wanted)
        cgs_ails(f, CGS_NOTE, costs, "sudo prlimit --pid $$ --%s=unlimited", option);
    else if (enough > 0)
        cgs_ails(f, CGS_NOTE, costs, "ulimit -S %s %lld", flag, (long long)(enough / 1024));
    else
        cgs_ails(f, CGS_NOTE, costs, "ulimit -S %s unlimited", flag);
}

static void examine_swap(struct cgs_examination *e)
{
    int64_t memory, total, left;
    cgs_text text;
    if (!cgs_probe_number(e->root, "/proc/meminfo", "SwapTotal", &total) ||
        !cgs_probe_number(e->root, "/proc/meminfo", "SwapFree", &left) ||
        !cgs_probe_number(e->root, "/proc/meminfo", "MemTotal", &memory) || total == 0)
        return;
    struct cgs_finding *f = cgs_found(e, "swap", "%s in use", cgs_bytes_text(total - left, text));
    if (total - left > memory / 50)
        cgs_ails(f, CGS_NOTE,
                 "the machine has been short of memory: what comes back from the disk while a run "
                 "is timed spoils its figures",
                 "sudo swapoff -a && sudo swapon -a");
}

/* "always [madvise] never": what is in brackets. */
static void examine_pages(struct cgs_examination *e)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    char line[128], word[32];
    if (!cgs_probe_line(e->root, path, line, sizeof line))
        return;
    const char *chosen = strchr(line, '[');
    if (!chosen || sscanf(chosen, "[%31[a-z]]", word) != 1)
        return;
    struct cgs_finding *f = cgs_found(e, "huge pages", "%s", word);
    if (strcmp(word, "never") == 0)
        cgs_ails(f, CGS_NOTE,
                 "vectors and matrix lie in pages of 4 kB: more misses of the address buffers "
                 "(TLB), and slower runs at large N",
                 "echo madvise | sudo tee %s", path);
}

static void examine_overcommit(struct cgs_examination *e)
{
    int64_t mode, limit, committed;
    cgs_text text;
    if (!cgs_probe_number(e->root, "/proc/sys/vm/overcommit_memory", "", &mode))
        return;
    if (mode != 2) {
        cgs_found(e, "overcommit", "allowed");
        return;
    }
    if (!cgs_probe_number(e->root, "/proc/meminfo", "CommitLimit", &limit) ||
        !cgs_probe_number(e->root, "/proc/meminfo", "Committed_AS", &committed))
        limit = committed = 0;
    const int64_t left = limit > committed ? limit - committed : 0;
    struct cgs_finding *f =
        cgs_found(e, "overcommit", "never: %s may still be promised", cgs_bytes_text(left, text));
    cgs_ails(f, CGS_NOTE,
             "memory is refused at that limit, though it may be free; CUDA and threads promise "
             "themselves much that they never touch",
             "sudo sysctl vm.overcommit_memory=0");
}

void cgs_examine_memory(struct cgs_examination *e)
{
    static const char refused[] =
        "what is free cannot all be taken: runs are refused, and CUDA, which reserves more "
        "addresses than that, may not start";
    e->section = "Memory";
    examine_total(e);
    examine_room(e);
    examine_limit(e, RLIMIT_AS, "addresses", "as", "-v", 0, refused);
    examine_limit(e, RLIMIT_DATA, "data", "data", "-d", 0, refused);
    examine_limit(e, RLIMIT_STACK, "stack", "stack", "-s", 1 << 20,
                  "the program may end without a word where it needs more");
    examine_swap(e);
    examine_pages(e);
    examine_overcommit(e);
}
