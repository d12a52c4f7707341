#include "src/io/probe.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"

static bool open_below(struct cgs_lines *file, const char *root, const char *path)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    return cgs_lines_open(file, whole);
}

bool cgs_probe_exists(const char *root, const char *path)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    return access(whole, F_OK) == 0;
}

bool cgs_probe_line(const char *root, const char *path, char *text, size_t size)
{
    struct cgs_lines file;
    if (!open_below(&file, root, path))
        return false;
    const bool found = cgs_lines_next(&file, text, size);
    cgs_lines_close(&file);
    return found;
}

bool cgs_probe_number(const char *root, const char *path, int64_t *number)
{
    char line[256];
    return cgs_probe_line(root, path, line, sizeof line) && sscanf(line, "%" SCNd64, number) == 1;
}

bool cgs_probe_bytes(const char *root, const char *path, const char *key, int64_t *bytes)
{
    struct cgs_lines file;
    const size_t length = strlen(key);
    char line[256];
    int64_t kilobytes;
    bool found = false;
    if (!open_below(&file, root, path))
        return false;
    while (!found && cgs_lines_next(&file, line, sizeof line))
        found = strncmp(line, key, length) == 0 && line[length] == ':' &&
                sscanf(line + length + 1, "%" SCNd64 " kB", &kilobytes) == 1;
    cgs_lines_close(&file);
    if (found)
        *bytes = 1024 * kilobytes;
    return found;
}

int cgs_probe_list(const char *root, const char *path, int *first)
{
    char line[4096];
    int count = 0, from, to, used;
    *first = -1;
    if (!cgs_probe_line(root, path, line, sizeof line))
        return 0;
    for (const char *at = line; sscanf(at, "%d%n", &from, &used) == 1;) {
        at += used;
        to = from;
        if (*at == '-' && sscanf(at, "-%d%n", &to, &used) == 1)
            at += used;
        if (*first < 0)
            *first = from;
        count += to >= from ? to - from + 1 : 0;
        if (*at++ != ',')
            break;
    }
    return count;
}

int cgs_probe_entries(const char *root, const char *folder,
                      bool (*look)(const char *root, const char *path))
{
    char path[PATH_MAX];
    int count = 0;
    snprintf(path, sizeof path, "%s%s", root, folder);
    DIR *listing = opendir(path);
    if (!listing)
        return 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += length < (int)sizeof path && (!look || look(root, path));
    }
    closedir(listing);
    return count;
}

/* ---- control groups ---- */

/* A limit of one group: `folder` is its folder below `root`; 0 where it sets none. */
typedef double limit_reader(const char *root, const char *folder);

static double number_in(const char *root, const char *folder, const char *name)
{
    char path[PATH_MAX];
    int64_t number;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return cgs_probe_number(root, path, &number) && number > 0 ? (double)number : 0.0;
}

/* cpu.max: "max 100000", or "150000 100000": microseconds in a period. */
static double quota_v2(const char *root, const char *folder)
{
    char path[PATH_MAX], line[64];
    double quota, period;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (!cgs_probe_line(root, path, line, sizeof line) ||
        sscanf(line, "%lf %lf", &quota, &period) != 2 || !(period > 0.0))
        return 0.0;
    return quota / period;
}

static double quota_v1(const char *root, const char *folder)
{
    const double period = number_in(root, folder, "cpu.cfs_period_us");
    return period > 0.0 ? number_in(root, folder, "cpu.cfs_quota_us") / period : 0.0;
}

static double memory_v2(const char *root, const char *folder)
{
    return number_in(root, folder, "memory.max");
}

/* Without a limit it is 2^63 less a page. */
static double memory_v1(const char *root, const char *folder)
{
    const double bytes = number_in(root, folder, "memory.limit_in_bytes");
    return bytes < 0x1p62 ? bytes : 0.0;
}

/* The least limit of the group and all above it. Inside a container the path may be one of the
 * host, of which only the mount point exists: what is not there sets none. */
static double least_limit(const char *root, const char *mount, const char *group,
                          limit_reader *limit)
{
    char folder[PATH_MAX / 2];
    double least = 0.0;
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (;;) {
        const double here = limit(root, folder);
        if (here > 0.0 && (least == 0.0 || here < least))
            least = here;
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= strlen(mount) || !slash)
            return least;
        *slash = '\0';
    }
}

/* Lines "id:controllers:/path" of /proc/self/cgroup; version 2 is "0::/path". */
static double all_groups(const char *root, const char *controller, limit_reader *v1,
                         limit_reader *v2)
{
    struct cgs_lines file;
    char line[PATH_MAX / 4], mount[64], controllers[256];
    double least = 0.0;
    int at;
    if (!open_below(&file, root, "/proc/self/cgroup"))
        return 0.0;
    while (cgs_lines_next(&file, line, sizeof line)) {
        const bool unified = strncmp(line, "0::", 3) == 0;
        controllers[0] = '\0';
        if (!unified && (sscanf(line, "%*d:%255[^:]:%n", controllers, &at) != 1))
            continue;
        char *rest = NULL, *name = unified ? NULL : strtok_r(controllers, ",", &rest);
        while (name && strcmp(name, controller) != 0)
            name = strtok_r(NULL, ",", &rest);
        if (!unified && !name)
            continue;
        snprintf(mount, sizeof mount, "/sys/fs/cgroup%s%s", unified ? "" : "/",
                 unified ? "" : controller);
        const double here =
            least_limit(root, mount, unified ? line + 3 : line + at, unified ? v2 : v1);
        if (here > 0.0 && (least == 0.0 || here < least))
            least = here;
    }
    cgs_lines_close(&file);
    return least;
}

double cgs_probe_quota(const char *root)
{
    return all_groups(root, "cpu", quota_v1, quota_v2);
}

int64_t cgs_probe_memory_limit(const char *root)
{
    return (int64_t)all_groups(root, "memory", memory_v1, memory_v2);
}

/* ---- programs ---- */

bool cgs_probe_program(const char *name)
{
    const char *path = getenv("PATH");
    char whole[PATH_MAX];
    while (path && *path) {
        const int length = (int)strcspn(path, ":");
        snprintf(whole, sizeof whole, "%.*s/%s", length, path, name);
        if (length > 0 && access(whole, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

void cgs_probe_install(const char *debian, const char *fedora, const char *elsewhere, char *command,
                       size_t size)
{
    const char *sudo = geteuid() == 0 ? "" : "sudo ";
    if (cgs_probe_program("apt-get"))
        snprintf(command, size, "%sapt-get install %s", sudo, debian);
    else if (cgs_probe_program("dnf"))
        snprintf(command, size, "%sdnf install %s", sudo, fedora);
    else
        snprintf(command, size, "%s", elsewhere);
}
