/* Memory that the process may still allocate: the minimum over
 *
 *     the system       /proc/meminfo, MemAvailable
 *     control groups   of each group from this process' own up to the mount point
 *                      limit - (usage - file pages that go when memory is short)
 *                          version 1   memory.limit_in_bytes, memory.usage_in_bytes
 *                          version 2   the less of memory.max and memory.high (above which the
 *                                      system slows a process down), memory.current
 *     resource limits  RLIMIT_AS less VmSize, RLIMIT_DATA less VmData (/proc/self/status)
 *
 * Sources: Linux, Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst; proc(5).
 */
#include "base/available.h"

#include <math.h>
#include <sys/resource.h>

#include "base/probe.h"

/* Bytes that a group leaves. limits: files with bytes, or "max"; cache: the line of memory.stat
 * with file pages that go at once when memory is short. */
static double left_of_group(const char *root, const char *folder, const char *const limits[2],
                            const char *usage, const char *cache)
{
    int64_t limit = INT64_MAX, one, used, cached;
    for (int i = 0; i < 2; i++)
        if (cgs_probe_number_in(root, folder, limits[i], "", &one) && one < limit)
            limit = one;
    if (limit == INT64_MAX || !cgs_probe_number_in(root, folder, usage, "", &used))
        return INFINITY;
    if (cgs_probe_number_in(root, folder, "memory.stat", cache, &cached))
        used -= cached < used ? cached : used;
    return limit > used ? (double)(limit - used) : 0.0;
}

static double left_v1(const char *root, const char *folder)
{
    static const char limit[] = "memory.limit_in_bytes";
    return left_of_group(root, folder, (const char *[]){limit, limit}, "memory.usage_in_bytes",
                         "total_inactive_file");
}

static double left_v2(const char *root, const char *folder)
{
    return left_of_group(root, folder, (const char *[]){"memory.max", "memory.high"},
                         "memory.current", "inactive_file");
}

static int64_t groups_available(const char *root)
{
    const double left = cgs_probe_groups(root, "memory", left_v1, left_v2);
    return left < 0x1p63 ? (int64_t)left : INT64_MAX;
}

/* Memory left by a resource limit after what /proc/self/status counts against it. */
static int64_t rlimit_available(const char *root, int resource, const char *counted)
{
    struct rlimit limit;
    int64_t used;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur > INT64_MAX || !cgs_probe_number(root, "/proc/self/status", counted, &used))
        return INT64_MAX;
    return (int64_t)limit.rlim_cur > used ? (int64_t)limit.rlim_cur - used : 0;
}

struct cgs_available cgs_available_below(const char *root)
{
    struct cgs_available least = {.bytes = INT64_MAX, .limit = "the system"};
    if (!cgs_probe_number(root, "/proc/meminfo", "MemAvailable", &least.bytes))
        least.bytes = INT64_MAX;
    const struct cgs_available others[] = {
        {groups_available(root), "a control group"},
        {rlimit_available(root, RLIMIT_AS, "VmSize"), "ulimit -v"},
        {rlimit_available(root, RLIMIT_DATA, "VmData"), "ulimit -d"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].bytes < least.bytes)
            least = others[i];
    return least;
}

int64_t cgs_memory_available(void)
{
    return cgs_available_below("").bytes;
}

const char *cgs_memory_limit(void)
{
    return cgs_available_below("").limit;
}

/* Returns a number of bytes of this process that Linux counts; 0 if it does not. */
static int64_t counted(const char *key)
{
    int64_t bytes = 0;
    return cgs_probe_number("", "/proc/self/status", key, &bytes) ? bytes : 0;
}

int64_t cgs_memory_resident(void)
{
    return counted("RssAnon") + counted("RssShmem");
}

int64_t cgs_memory_resident_peak(void)
{
    return counted("VmHWM") - counted("RssFile");
}
