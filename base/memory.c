/* Host memory: counted blocks, and what the machine still has.
 *
 * A block is a header of one cache line with the data behind it:
 *
 *     base                base + 64
 *     | header | padding  | data, 64-aligned ...               |
 *
 * Below 4 MB a block comes from the C library. From 4 MB on it is a mapping of its own, so that
 * its pages are untouched when it is handed out and go back to the system when it is returned. The
 * mapping starts on a 2 MB boundary, and its whole 2 MB pages are recommended as huge pages (fewer
 * TLB misses in the streams of CG); the tail keeps small pages, so that no more than one small page
 * becomes resident beyond what was asked for and the planned memory stays the measured one.
 */
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { HUGE_PAGE = 1 << 21, MAPPED_FROM = 1 << 22 };

static const int64_t MORE_THAN_ANY = INT64_C(1) << 60; /* bytes: past every address space */

static const uint64_t BLOCK_MARK = UINT64_C(0x6b636f6c42736763); /* "cgsBlock" */

struct header {
    uint64_t mark; /* BLOCK_MARK while the block is held */
    int64_t size;  /* bytes of data, as counted in the context */
    size_t mapped; /* length of the mapping, 0 where the block is the C library's */
};

static_assert(sizeof(struct header) <= CGS_ALIGNMENT, "the header has to fit before the data");

static size_t round_up(size_t size, size_t multiple)
{
    return (size + multiple - 1) / multiple * multiple;
}

/* A mapping of `length` bytes on a 2 MB boundary, NULL where the system refuses. */
static void *map_pages(size_t length)
{
    char *raw =
        mmap(NULL, length + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    const size_t before = round_up((uintptr_t)raw, HUGE_PAGE) - (uintptr_t)raw;
    char *base = raw + before;
    if (before > 0)
        munmap(raw, before);
    if (before < HUGE_PAGE)
        munmap(base + length, HUGE_PAGE - before);
    /* Best effort: a kernel without huge pages refuses, and small ones serve as well. */
    (void)madvise(base, length / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return base;
}

/* "12.3 GB" in SI units. */
static void bytes_text(int64_t bytes, char *text, size_t capacity)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    int u = 0;
    for (; value >= 999.95 && u < 6; u++)
        value /= 1000.0;
    snprintf(text, capacity, u == 0 ? "%.0f %s" : "%.1f %s", value, unit[u]);
}

enum cgs_status cgs_alloc(struct cgs_context *context, int64_t count, size_t size, const char *what,
                          void **out)
{
    int64_t bytes;
    if (count < 0 || __builtin_mul_overflow(count, size, &bytes))
        return cgs_fail(context, CGS_BUG, "%s: %" PRId64 " elements of %zu bytes are no size", what,
                        count, size);
    if (cgs_starves(context, CGS_HOST))
        bytes = MORE_THAN_ANY;

    struct header *header = NULL;
    size_t mapped = 0;
    if (bytes < MAPPED_FROM) {
        header =
            aligned_alloc(CGS_ALIGNMENT, CGS_ALIGNMENT + round_up((size_t)bytes, CGS_ALIGNMENT));
    } else if (bytes <= INT64_MAX - 2 * HUGE_PAGE) {
        mapped = round_up(CGS_ALIGNMENT + (size_t)bytes, (size_t)sysconf(_SC_PAGESIZE));
        header = map_pages(mapped);
    }
    if (header == NULL) {
        char text[32];
        bytes_text(bytes, text, sizeof text);
        return cgs_fail(context, CGS_MEMORY, "%s: %s of host memory could not be allocated", what,
                        text);
    }
    *header = (struct header){.mark = BLOCK_MARK, .size = bytes, .mapped = mapped};
    context->host_bytes += bytes;
    if (context->host_bytes > context->host_peak)
        context->host_peak = context->host_bytes;
    *out = (char *)header + CGS_ALIGNMENT;
    return CGS_OK;
}

void cgs_free(struct cgs_context *context, void *block)
{
    if (block == NULL)
        return;
    struct header *header = (struct header *)((char *)block - CGS_ALIGNMENT);
    assert(header->mark == BLOCK_MARK);
    header->mark = 0;
    context->host_bytes -= header->size;
    if (header->mapped > 0)
        munmap(header, header->mapped);
    else
        free(header);
}

/* The number behind `key` in a file of lines "key number [kB]"; key "" takes the first line's
 * number. In bytes; false where file, key or number is missing (as in "max"). */
static bool read_number(const char *path, const char *key, int64_t *number)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    char line[512];
    const size_t length = strlen(key);
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
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
    fclose(file);
    return found;
}

/* The files of one generation of control groups. */
struct cgroup_files {
    const char *mount; /* where systems mount it */
    const char *limit; /* bytes, or "max" */
    const char *usage; /* bytes, page cache included */
    const char *cache; /* in memory.stat: file pages that go at once when memory is short */
};

static const struct cgroup_files CGROUP_V1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                              "memory.usage_in_bytes", "total_inactive_file"};
static const struct cgroup_files CGROUP_V2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                              "inactive_file"};

/* What the group in `directory` leaves: limit - (usage - reclaimable); INT64_MAX without a limit.
 */
static int64_t group_available(const struct cgroup_files *files, const char *directory)
{
    char path[PATH_MAX];
    int64_t limit, usage, cache;
    snprintf(path, sizeof path, "%s/%s", directory, files->limit);
    if (!read_number(path, "", &limit))
        return INT64_MAX;
    snprintf(path, sizeof path, "%s/%s", directory, files->usage);
    if (!read_number(path, "", &usage))
        return INT64_MAX;
    snprintf(path, sizeof path, "%s/memory.stat", directory);
    if (read_number(path, files->cache, &cache))
        usage -= cache < usage ? cache : usage;
    return limit > usage ? limit - usage : 0;
}

/* The least over the group `group` ("/a/b") and all its ancestors up to the mount point itself.
 * Inside a container the path may be one of the host, of which only the mount point exists: what
 * is not there sets no limit. */
static int64_t hierarchy_available(const struct cgroup_files *files, const char *group)
{
    char directory[PATH_MAX / 2];
    const size_t root = strlen(files->mount);
    snprintf(directory, sizeof directory, "%s%s", files->mount, group);
    int64_t least = INT64_MAX;
    for (;;) {
        const int64_t here = group_available(files, directory);
        least = here < least ? here : least;
        char *slash = strrchr(directory, '/');
        if (slash == NULL || (size_t)(slash - directory) < root)
            return least;
        *slash = '\0';
    }
}

/* Lines "id:controllers:/path"; version 2 is "0::/path", version 1 names its controllers. */
static int64_t cgroups_available(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL)
        return INT64_MAX;
    char line[PATH_MAX / 4];
    int64_t least = INT64_MAX;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
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
        const int64_t here = hierarchy_available(files, group);
        least = here < least ? here : least;
    }
    fclose(file);
    return least;
}

/* What a resource limit leaves beside what /proc/self/status counts against it. */
static int64_t rlimit_available(int resource, const char *counted)
{
    struct rlimit limit;
    int64_t used;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur > INT64_MAX || !read_number("/proc/self/status", counted, &used))
        return INT64_MAX;
    return (int64_t)limit.rlim_cur > used ? (int64_t)limit.rlim_cur - used : 0;
}

int64_t cgs_memory_available(void)
{
    int64_t least = INT64_MAX;
    if (!read_number("/proc/meminfo", "MemAvailable", &least))
        least = INT64_MAX;
    const int64_t others[] = {
        cgroups_available(),
        rlimit_available(RLIMIT_AS, "VmSize"),
        rlimit_available(RLIMIT_DATA, "VmData"),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        least = others[i] < least ? others[i] : least;
    return least;
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
