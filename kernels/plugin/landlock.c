/* Landlock by its system calls, since the C library has no functions for them. Rights are defined
 * here, since linux/landlock.h of an older system lacks the newer ones.
 *
 *     version   1      2      3         4           5          6
 *     adds      files  REFER  TRUNCATE  TCP ports   IOCTL_DEV  signals, abstract sockets
 *
 * A right that is handled is refused unless a rule grants it. Source: landlock(7). */
#define _GNU_SOURCE /* O_PATH */
#include "kernels/plugin/landlock.h"

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

/* Folders where the loader finds libraries by the user's will; not the current one, which may hold
 * anything. */
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

static bool is_library(const char *name)
{
    const char *suffix = strstr(name, ".so");
    return suffix && (suffix[3] == '\0' || suffix[3] == '.');
}

static bool is_header(const char *name)
{
    static const char *const suffixes[] = {".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc", ".inl"};
    const char *suffix = strrchr(name, '.');
    for (size_t i = 0; suffix && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffix, suffixes[i]) == 0)
            return true;
    return false;
}

/* Files of one kind in a folder, but no other file of it, which may be the user's home. */
static void grant_some(const struct rules *rules, const char *folder,
                       bool (*is_wanted)(const char *))
{
    char file[PATH_MAX + NAME_MAX + 2];
    DIR *opened = opendir(folder);
    for (const struct dirent *entry; opened && (entry = readdir(opened)) != NULL;) {
        if (!is_wanted(entry->d_name) || entry->d_type == DT_DIR)
            continue;
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        grant(rules, file, READ);
    }
    if (opened)
        closedir(opened);
}

/* The library and those beside it. A library in memory has no path, and needs no grant. */
static void grant_library(const struct rules *rules, const char *path)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return;
    grant(rules, real, READ);
    *strrchr(real, '/') = '\0';
    grant_some(rules, real[0] ? real : "/", is_library);
}

/* Folders of programs and their libraries. */
static void grant_programs(const struct rules *rules)
{
    static const char *const folders[] = {"/usr", "/bin", "/lib", "/lib32", "/lib64", "/opt"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        grant(rules, folders[i], READ);
}

static void grant_system(const struct rules *rules)
{
    static const char *const folders[] = {"/etc", "/proc", "/sys"};
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        grant(rules, folders[i], READ);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        grant(rules, devices[i], WRITE);
}

/* Paths that the driver of CUDA writes to: its devices (those of Tegra and WSL, too), memory that
 * it shares, the names of its threads in /proc (cuInit fails otherwise), and pipes to its server
 * MPS. */
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

/* The folder in which a program was installed, PREFIX of PREFIX/bin/NAME, which has what it reads;
 * where that is the user's home, or has it in it, PREFIX/bin alone. */
static void grant_installation(const struct rules *rules, const char *program)
{
    char real[PATH_MAX], above[PATH_MAX];
    const char *home = getenv("HOME");
    if (!realpath(program, real))
        return;
    *strrchr(real, '/') = '\0';
    snprintf(above, sizeof above, "%s", real);
    char *last = strrchr(above, '/');
    const bool in_bin = last && last > above && strcmp(last, "/bin") == 0;
    if (in_bin)
        *last = '\0';
    const size_t length = strlen(above);
    const bool has_home =
        home && strncmp(home, above, length) == 0 && (home[length] == '/' || home[length] == '\0');
    if (real[0])
        grant(rules, in_bin && !has_home ? above : real, READ);
}

/* Headers beside the source and in the folder above it. */
static void grant_headers(const struct rules *rules, const char *source)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", source);
    for (int i = 0; i < 2; i++) {
        char *last = strrchr(folder, '/');
        if (!last)
            return;
        *last = '\0';
        grant_some(rules, folder[0] ? folder : "/", is_header);
    }
}

/* Lets a compiler read programs, libraries, the loader's settings, the processor's features, one
 * source and, unless it is to be alone, the headers beside it; and write its folder. */
static void grant_compiler(const struct rules *rules, const struct cgs_containment *containment)
{
    static const char *const files[] = {"/etc/ld.so.cache",  "/etc/ld.so.conf",
                                        "/etc/ld.so.conf.d", "/etc/alternatives",
                                        "/proc/cpuinfo",     "/sys/devices/system/cpu"};
    grant_programs(rules);
    grant_library_path(rules);
    if (containment->judge) /* its folder may have the model solution */
        grant(rules, containment->compiler, READ);
    else
        grant_installation(rules, containment->compiler);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        grant(rules, files[i], READ);
    grant(rules, "/dev/null", WRITE);
    grant(rules, containment->source, READ);
    if (!containment->alone)
        grant_headers(rules, containment->source);
    grant(rules, containment->folder, WRITE | MAKE_FILE | REMOVE_FILE);
}

static void grant_kernel(const struct rules *rules, const struct cgs_containment *containment)
{
    grant_programs(rules);
    grant_system(rules);
    grant_library_path(rules);
    grant_library(rules, containment->library);
    if (containment->cuda)
        grant_driver(rules);
}

long cgs_landlock_version(void)
{
    return syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
}

bool cgs_landlock(const struct cgs_containment *containment)
{
    const long version = cgs_landlock_version();
    if (version < 1)
        return false;
    const struct ruleset set = handled(version, containment->cuda);
    const struct rules rules = {.descriptor = (int)syscall(CREATE_RULESET, &set, sizeof set, 0),
                                .handled = set.files};
    if (rules.descriptor < 0)
        return false;
    (containment->folder ? grant_compiler : grant_kernel)(&rules, containment);
    const bool done = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      syscall(RESTRICT_SELF, rules.descriptor, 0) == 0;
    close(rules.descriptor);
    return done;
}
