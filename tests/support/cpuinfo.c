/* For LD_PRELOAD, odd_processor of verdicts.bash: the file CPUINFO stands for /proc/cpuinfo. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

typedef int open_function(const char *, int, ...);

static int open_real(const char *name, const char *path, int flags, mode_t mode)
{
    open_function *real = (open_function *)dlsym(RTLD_NEXT, name);
    return real(strcmp(path, "/proc/cpuinfo") == 0 ? CPUINFO : path, flags, mode);
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;              \
        va_end(list);                                                                              \
        return open_real(#name, path, flags, mode);                                                \
    }

OPEN(open)
OPEN(open64)
