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

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/lines.h"
#include "base/memory.h"

/* Joins root and path; returns false if the result is too long. */
static bool join(const char *root, const char *path, char out[PATH_MAX])
{
    const int length = snprintf(out, PATH_MAX, "%s%s", root, path);
    return length >= 0 && length < PATH_MAX;
}

/* Reads the number after `key` in a file of lines "key number [kB]" (key "": the first line), in
 * bytes. Returns false if file, key or number is missing (as in "max"). */
static bool read_number(const char *path, const char *key, int64_t *number)
{
    struct cgs_lines file;
    if (!cgs_lines_open(&file, path))
        return false;
    char line[512];
    const size_t length = strlen(key);
    bool found = false;
    while (!found && cgs_lines_next(&file, line, sizeof line)) {
        if (strncmp(line, key, length) != 0 || (length > 0 && strchr(" \t:", line[length]) == NULL))
            continue;
        char unit[3] = "";
        int64_t value;
        found = sscanf(line + length, "%*[: \t]%" SCNd64 " %2s", &value, unit) >= 1 ||
                sscanf(line + length, "%" SCNd64, &value) == 1;
        if (found)
            *number = strcmp(unit, "kB") == 0 ? 1024 * value : value;
        if (length == 0)
            break;
    }
    cgs_lines_close(&file);
    return found;
}

/* The same for the file `name` in `directory`. */
static bool read_file(const char *directory, const char *name, const char *key, int64_t *number)
{
    char path[PATH_MAX];
    return join(directory, name, path) && read_number(path, key, number);
}

/* Files of one version of control groups. */
struct cgroup_files {
    const char *mount;    /* usual mount point */
    const char *limit[2]; /* bytes, or "max"; NULL: only one */
    const char *usage;    /* bytes, page cache included */
    const char *cache;    /* in memory.stat: file pages that can be reclaimed */
};

static const struct cgroup_files CGROUP_V1 = {.mount = "/sys/fs/cgroup/memory",
                                              .limit = {"/memory.limit_in_bytes"},
                                              .usage = "/memory.usage_in_bytes",
                                              .cache = "total_inactive_file"};
static const struct cgroup_files CGROUP_V2 = {.mount = "/sys/fs/cgroup",
                                              .limit = {"/memory.max", "/memory.high"},
                                              .usage = "/memory.current",
                                              .cache = "inactive_file"};

/* Memory left to the group in `directory`; INT64_MAX without a limit. */
static int64_t group_available(const struct cgroup_files *files, const char *directory)
{
    int64_t limit = INT64_MAX, usage, cache;
    for (int i = 0; i < 2; i++) {
        int64_t one;
        if (files->limit[i] && read_file(directory, files->limit[i], "", &one) && one < limit)
            limit = one;
    }
    if (limit == INT64_MAX || !read_file(directory, files->usage, "", &usage))
        return INT64_MAX;
    if (read_file(directory, "/memory.stat", files->cache, &cache))
        usage -= cache < usage ? cache : usage;
    return limit > usage ? limit - usage : 0;
}

/* Minimum over the group `group` ("/a/b") and all its ancestors up to the mount point. Inside a
 * container the path may be one of the host, of which only the mount point exists: missing groups
 * set no limit. */
static int64_t hierarchy_available(const char *root, const struct cgroup_files *files,
                                   const char *group)
{
    char mount[PATH_MAX], directory[PATH_MAX];
    if (!join(root, files->mount, mount) || !join(mount, group, directory))
        return INT64_MAX;
    const size_t top = strlen(mount);
    int64_t least = INT64_MAX;
    for (;;) {
        const int64_t here = group_available(files, directory);
        least = here < least ? here : least;
        char *slash = strrchr(directory, '/');
        if (slash == NULL || (size_t)(slash - directory) < top)
            return least;
        *slash = '\0';
    }
}

/* Parses lines "id:controllers:/path"; version 2 is "0::/path", version 1 names its controllers. */
static int64_t cgroups_available(const char *root)
{
    char line[PATH_MAX];
    struct cgs_lines file;
    if (!join(root, "/proc/self/cgroup", line) || !cgs_lines_open(&file, line))
        return INT64_MAX;
    int64_t least = INT64_MAX;
    while (cgs_lines_next(&file, line, sizeof line)) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *controllers++ = '\0';
        *group++ = '\0';
        const struct cgroup_files *files = NULL;
        if (*controllers == '\0')
            files = &CGROUP_V2;
        char *rest = NULL;
        for (char *name = strtok_r(controllers, ",", &rest); name != NULL;
             name = strtok_r(NULL, ",", &rest))
            if (strcmp(name, "memory") == 0)
                files = &CGROUP_V1;
        if (files == NULL)
            continue;
        const int64_t here = hierarchy_available(root, files, group);
        least = here < least ? here : least;
    }
    cgs_lines_close(&file);
    return least;
}

/* Memory left by a resource limit after what /proc/self/status counts against it. */
static int64_t rlimit_available(const char *root, int resource, const char *counted)
{
    struct rlimit limit;
    int64_t used;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur > INT64_MAX || !read_file(root, "/proc/self/status", counted, &used))
        return INT64_MAX;
    return (int64_t)limit.rlim_cur > used ? (int64_t)limit.rlim_cur - used : 0;
}

struct cgs_available cgs_available_below(const char *root)
{
    struct cgs_available least = {.bytes = INT64_MAX, .limit = "the system"};
    if (!read_file(root, "/proc/meminfo", "MemAvailable", &least.bytes))
        least.bytes = INT64_MAX;
    const struct cgs_available others[] = {
        {cgroups_available(root), "a control group"},
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

int64_t cgs_memory_resident(void)
{
    int64_t bytes = 0;
    return read_number("/proc/self/status", "VmRSS", &bytes) ? bytes : 0;
}

int64_t cgs_memory_resident_peak(void)
{
    int64_t bytes = 0;
    return read_number("/proc/self/status", "VmHWM", &bytes) ? bytes : 0;
}
