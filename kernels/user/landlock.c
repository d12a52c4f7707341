/* Landlock by its system calls: libc has no functions for them, and linux/landlock.h of an older system lacks the
 * names of newer rights, which the running system may know.
 *
 *     version   1      2      3         4           5          6
 *     adds      files  REFER  TRUNCATE  TCP ports   IOCTL_DEV  signals, abstract sockets
 *
 * A right that is handled is refused unless a rule grants it. Source: landlock(7). */
#define _GNU_SOURCE /* O_PATH */
#include "kernels/user/landlock.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same numbers on all architectures. */
enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,
    ASK_VERSION = 1,
    PATH_BENEATH = 1
};

enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_FOLDER = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_FILE = 1 << 8,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    IOCTL = 1 << 15,
    OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL,
    READ = EXECUTE | READ_FILE | READ_FOLDER,
    WRITE = READ | WRITE_FILE | TRUNCATE | IOCTL,
    FIRST_VERSION = REFER - 1, /* all rights of version 1 */
    TCP_PORTS = 1 << 0 | 1 << 1,
    ABSTRACT_SOCKETS = 1 << 0,
    SIGNALS = 1 << 1
};

struct ruleset {
    uint64_t files, ports, scopes;
};

struct rule {
    uint64_t rights;
    int32_t folder;
} __attribute__((packed));

/* Rights that this version knows, all of which are refused without a rule. */
static struct ruleset handled(long version, bool cuda)
{
    struct ruleset set = {.files = FIRST_VERSION};
    if (version >= 2)
        set.files |= REFER;
    if (version >= 3)
        set.files |= TRUNCATE;
    if (version >= 4)
        set.ports = TCP_PORTS;
    if (version >= 5)
        set.files |= IOCTL;
    if (version >= 6) /* processes with CUDA share memory by abstract sockets */
        set.scopes = cuda ? SIGNALS : SIGNALS | ABSTRACT_SOCKETS;
    return set;
}

/* A set of rules being made. */
struct rules {
    int descriptor;
    uint64_t handled;
};

/* Grants rights to a file, or to all below a folder; nothing where there is none. */
static void grant(const struct rules *rules, const char *path, uint64_t rights)
{
    struct stat info;
    struct rule rule = {.folder = open(path, O_PATH | O_CLOEXEC)};
    if (rule.folder < 0)
        return;
    const bool folder = fstat(rule.folder, &info) == 0 && S_ISDIR(info.st_mode);
    rule.rights = rights & rules->handled & (folder ? UINT64_MAX : OF_FILES);
    (void)syscall(ADD_RULE, rules->descriptor, PATH_BENEATH, &rule, 0);
    close(rule.folder);
}

static void grant_matching(const struct rules *rules, const char *pattern, uint64_t rights)
{
    glob_t found;
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            grant(rules, found.gl_pathv[i], rights);
    globfree(&found);
}

/* Folders where the loader finds libraries by the user's will; not the current one, which may hold anything. */
static void grant_library_path(const struct rules *rules)
{
    const char *said = getenv("LD_LIBRARY_PATH");
    char *folders = said ? strdup(said) : NULL, *rest = NULL;
    for (char *one = folders ? strtok_r(folders, ":;", &rest) : NULL; one;
         one = strtok_r(NULL, ":;", &rest))
        if (one[0] == '/' && one[1] != '\0')
            grant(rules, one, READ);
    free(folders);
}

/* The library and those beside it, but no other file of its folder, which may be the user's home. A library in
 * memory has no path, and needs no grant. */
static void grant_library(const struct rules *rules, const char *path)
{
    char real[PATH_MAX], file[PATH_MAX + NAME_MAX + 2];
    if (!realpath(path, real))
        return;
    grant(rules, real, READ);
    *strrchr(real, '/') = '\0';
    DIR *folder = opendir(real[0] ? real : "/");
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        const char *suffix = strstr(entry->d_name, ".so");
        if (!suffix || (suffix[3] != '\0' && suffix[3] != '.') || entry->d_type == DT_DIR)
            continue;
        snprintf(file, sizeof file, "%s/%s", real, entry->d_name);
        grant(rules, file, READ);
    }
    if (folder)
        closedir(folder);
}

static void grant_system(const struct rules *rules)
{
    static const char *const folders[] = {"/usr", "/lib", "/lib32", "/lib64",
                                          "/opt", "/etc", "/proc",  "/sys"};
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        grant(rules, folders[i], READ);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        grant(rules, devices[i], WRITE);
}

/* Paths that the driver of CUDA writes to: its devices (those of Tegra and WSL, too), memory that it shares, the names of its
 * threads in /proc (cuInit fails otherwise), and pipes to its server MPS. */
static void grant_driver(const struct rules *rules)
{
    static const char *const devices[] = {"/dev/nvidia*", "/dev/nvhost*", "/dev/nvmap", "/dev/dxg"};
    const char *pipes = getenv("CUDA_MPS_PIPE_DIRECTORY");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        grant_matching(rules, devices[i], WRITE);
    grant(rules, "/dev/shm", WRITE | MAKE_FILE | REMOVE_FILE);
    grant(rules, "/proc", READ | WRITE_FILE | TRUNCATE);
    grant(rules, pipes && pipes[0] == '/' ? pipes : "/tmp/nvidia-mps", WRITE);
}

bool cgs_landlock(const struct cgs_containment *containment)
{
    const long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    if (version < 1)
        return false;
    const struct ruleset set = handled(version, containment->cuda);
    const struct rules rules = {.descriptor = (int)syscall(CREATE_RULESET, &set, sizeof set, 0),
                                .handled = set.files};
    if (rules.descriptor < 0)
        return false;
    grant_system(&rules);
    grant_library_path(&rules);
    grant_library(&rules, containment->library);
    if (containment->cuda)
        grant_driver(&rules);
    const bool done = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      syscall(RESTRICT_SELF, rules.descriptor, 0) == 0;
    close(rules.descriptor);
    return done;
}
