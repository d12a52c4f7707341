#define _GNU_SOURCE /* process_vm_readv */
#include "base/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- files ---- */

struct lines {
    int file; /* its descriptor */
    size_t at, end;
    char buffer[1024]; /* bytes at ... end - 1 of it are read and not given yet */
};

/* a + b + c; false where that is too long for a path. */
static bool join(const char *a, const char *b, const char *c, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s%s%s", a, b, c) < PATH_MAX;
}

static bool open_lines(struct lines *lines, const char *root, const char *path)
{
    char whole[PATH_MAX];
    lines->at = lines->end = 0;
    lines->file = join(root, path, "", whole) ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
    return lines->file >= 0;
}

/* Returns false if there is no byte more. */
static bool fill(struct lines *lines)
{
    ssize_t got;
    do
        got = read(lines->file, lines->buffer, sizeof lines->buffer);
    while (got < 0 && errno == EINTR);
    lines->at = 0;
    lines->end = got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Gives the next line without its end, cut to what fits. Returns false at the end of the file, and
 * where it cannot be read. */
static bool next_line(struct lines *lines, char *line, size_t size)
{
    size_t length = 0;
    bool any = false;
    while (lines->at < lines->end || fill(lines)) {
        const char byte = lines->buffer[lines->at++];
        any = true;
        if (byte == '\n')
            break;
        if (length + 1 < size)
            line[length++] = byte;
    }
    line[length] = '\0';
    return any;
}

bool cgs_probe_exists(const char *root, const char *path)
{
    char whole[PATH_MAX];
    return join(root, path, "", whole) && access(whole, F_OK) == 0;
}

bool cgs_probe_line(const char *root, const char *path, char *text, size_t size)
{
    struct lines file;
    if (!open_lines(&file, root, path))
        return false;
    const bool found = next_line(&file, text, size);
    close(file.file);
    return found;
}

bool cgs_probe_number(const char *root, const char *path, const char *key, int64_t *number)
{
    struct lines file;
    const size_t length = strlen(key);
    char line[512];
    bool found = false;
    if (!open_lines(&file, root, path))
        return false;
    while (!found && next_line(&file, line, sizeof line)) {
        char unit[3] = "";
        int64_t value;
        if (strncmp(line, key, length) == 0 && (length == 0 || strchr(" \t:", line[length])))
            found = sscanf(line + length, "%*[: \t]%" SCNd64 " %2s", &value, unit) >= 1 ||
                    sscanf(line + length, "%" SCNd64, &value) == 1;
        if (found)
            *number = strcmp(unit, "kB") == 0 ? 1024 * value : value;
        if (length == 0)
            break;
    }
    close(file.file);
    return found;
}

bool cgs_probe_number_in(const char *root, const char *folder, const char *name, const char *key,
                         int64_t *number)
{
    char path[PATH_MAX];
    return join(folder, "/", name, path) && cgs_probe_number(root, path, key, number);
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

/* The least limit of the group and all above it. Inside a container the path may be one of the
 * host, of which only the mount point exists: what is not there sets none. */
static double least_limit(const char *root, const char *mount, const char *group,
                          cgs_group_limit *limit)
{
    char folder[PATH_MAX];
    double least = INFINITY;
    if (!join(mount, group, "", folder))
        return least;
    for (;;) {
        least = fmin(least, limit(root, folder));
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < strlen(mount))
            return least;
        *slash = '\0';
    }
}

/* Lines "id:controllers:/path" of /proc/self/cgroup; version 2 is "0::/path". */
double cgs_probe_groups(const char *root, const char *controller, cgs_group_limit *v1,
                        cgs_group_limit *v2)
{
    struct lines file;
    char line[PATH_MAX], mount[64];
    double least = INFINITY;
    if (!open_lines(&file, root, "/proc/self/cgroup"))
        return least;
    while (next_line(&file, line, sizeof line)) {
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL,
             *rest = NULL;
        if (!group)
            continue;
        *names++ = '\0';
        *group++ = '\0';
        const bool unified = *names == '\0';
        const char *name = strtok_r(names, ",", &rest);
        while (name && strcmp(name, controller) != 0)
            name = strtok_r(NULL, ",", &rest);
        if (!unified && !name)
            continue;
        snprintf(mount, sizeof mount, "/sys/fs/cgroup%s%s", unified ? "" : "/",
                 unified ? "" : controller);
        least = fmin(least, least_limit(root, mount, group, unified ? v2 : v1));
    }
    close(file.file);
    return least;
}

/* A positive number in a file of a group. */
static double limit_in(const char *root, const char *folder, const char *name)
{
    int64_t number;
    return cgs_probe_number_in(root, folder, name, "", &number) && number > 0 ? (double)number
                                                                              : INFINITY;
}

/* cpu.max: "max 100000", or "150000 100000": microseconds in a period. */
static double quota_v2(const char *root, const char *folder)
{
    char path[PATH_MAX], line[64];
    double quota, period;
    if (!join(folder, "/cpu.max", "", path) || !cgs_probe_line(root, path, line, sizeof line) ||
        sscanf(line, "%lf %lf", &quota, &period) != 2 || !(quota > 0.0 && period > 0.0))
        return INFINITY;
    return quota / period;
}

static double quota_v1(const char *root, const char *folder)
{
    const double quota = limit_in(root, folder, "cpu.cfs_quota_us"),
                 period = limit_in(root, folder, "cpu.cfs_period_us");
    return isfinite(period) ? quota / period : INFINITY;
}

static double memory_v2(const char *root, const char *folder)
{
    return limit_in(root, folder, "memory.max");
}

/* Without a limit it is 2^63 less a page. */
static double memory_v1(const char *root, const char *folder)
{
    const double bytes = limit_in(root, folder, "memory.limit_in_bytes");
    return bytes < 0x1p62 ? bytes : INFINITY;
}

double cgs_probe_quota(const char *root)
{
    const double quota = cgs_probe_groups(root, "cpu", quota_v1, quota_v2);
    return isfinite(quota) ? quota : 0.0;
}

int64_t cgs_probe_memory_limit(const char *root)
{
    const double bytes = cgs_probe_groups(root, "memory", memory_v1, memory_v2);
    return isfinite(bytes) ? (int64_t)bytes : 0;
}

/* ---- memory ---- */

/* The kernel reads the byte, so that an address of nobody is an answer, not a signal. */
static bool is_readable(const void *address)
{
    char byte;
    const struct iovec to = {&byte, 1}, from = {(void *)address, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
}

bool cgs_probe_readable(const void *array, int64_t bytes)
{
    return is_readable(array) && is_readable((const char *)array + bytes - 1);
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
