#include "kernels/plugin/contain.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "kernels/plugin/landlock.h"
#include "kernels/plugin/seccomp.h"

/* A sanitizer's allocator reserves terabytes, and ends the process where it gets none. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static void add_word(char *list, size_t size, const char *word)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

/* ---- limits ---- */

/* Lowers the soft and the hard limit. */
static bool lower(__rlimit_resource_t resource, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return false;
    limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
    limit.rlim_cur = limit.rlim_cur < limit.rlim_max ? limit.rlim_cur : limit.rlim_max;
    return setrlimit(resource, &limit) == 0;
}

/* Returns the bytes of address space in use, 0 if unknown. */
static rlim_t address_space(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Returns the bytes of a thread's stack, from OMP_STACKSIZE or the system. */
static rlim_t stack_bytes(void)
{
    const char *said = getenv("OMP_STACKSIZE");
    const int64_t bytes = said ? cgs_memory_stack(said) : 0;
    struct rlimit stack;
    if (bytes > 0)
        return (rlim_t)bytes;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
        return stack.rlim_cur;
    return 8 << 20;
}

/* Limits the address space. Beside the memory that is asked for, each thread gets its stack and the
 * 128 MiB that the C library reserves for its heap. */
static bool limit_memory(const struct cgs_containment *containment)
{
    const rlim_t heap = 128 << 20, now = address_space();
    const rlim_t threads = (rlim_t)containment->threads * (heap + stack_bytes());
    if (containment->cuda)
        return true;
    if (SANITIZED || now == 0)
        return false;
    return containment->memory == 0 ||
           lower(RLIMIT_AS, now + threads + (rlim_t)containment->memory);
}

/* Returns the bytes to which a file may grow. The process opens no file for writing, but its
 * standard error may be one. */
static rlim_t file_bytes(void)
{
    const rlim_t more = 16 << 20;
    struct stat printed;
    return fstat(STDERR_FILENO, &printed) == 0 && printed.st_size > 0
               ? (rlim_t)printed.st_size + more
               : more;
}

enum { DESCRIPTORS = 256 };

/* Limits of each program that a compiler consists of: the memory of honest sources is a tenth of
 * it. */
static void limit_compiler(const struct cgs_containment *containment, char *missing, size_t size)
{
    const rlim_t memory = 900 << 20, file = 32 << 20;
    bool done = lower(RLIMIT_CORE, 0);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails with EFBIG */
    done = lower(RLIMIT_FSIZE, file) && done;
    done = lower(RLIMIT_NOFILE, DESCRIPTORS) && done;
    done = lower(RLIMIT_CPU, (rlim_t)containment->seconds) && done;
    done = lower(RLIMIT_AS, memory) && done;
    if (!done)
        add_word(missing, size, "limits");
}

static void limit(const struct cgs_containment *containment, char *missing, size_t size)
{
    bool done = lower(RLIMIT_CORE, 0);
    if (!containment->cuda) {
        signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails with EFBIG */
        done = lower(RLIMIT_FSIZE, file_bytes()) && done;
        done = lower(RLIMIT_NOFILE, DESCRIPTORS) && done;
    }
    if (!done)
        add_word(missing, size, "limits");
    if (!limit_memory(containment))
        add_word(missing, size, "a limit of memory");
}

/* ---- all ---- */

static const char variable[] = "CGSOLVE_CONTAIN";

/* Returns true if the variable is not set, or names this. */
static bool wanted(const char *word)
{
    const char *said = getenv(variable);
    return !said || !said[0] || strcmp(said, "1") == 0 || strstr(said, word) != NULL;
}

void cgs_contain(const struct cgs_containment *containment, char *missing, size_t size)
{
    missing[0] = '\0';
    if (!wanted("limits"))
        add_word(missing, size, "limits");
    else if (!containment->folder)
        limit(containment, missing, size);
    const bool files = wanted("landlock") && cgs_landlock(containment);
    if (!files)
        add_word(missing, size, "Landlock");
    if (!wanted("seccomp") || !cgs_seccomp(containment, !files))
        add_word(missing, size, "seccomp");
    if (wanted("limits") && containment->folder) /* last: this process itself may have more */
        limit_compiler(containment, missing, size);
}

void cgs_contain_alone(void)
{
    const char *said = getenv(variable);
    if (!said || !said[0] || strcmp(said, "1") == 0)
        setenv(variable, "landlock,seccomp,limits,alone", 1);
}

bool cgs_contain_is_alone(void)
{
    const char *said = getenv(variable);
    return said && strstr(said, "alone") != NULL;
}

bool cgs_contain_hides_files(void)
{
    return wanted("landlock") && cgs_landlock_version() >= 1;
}
