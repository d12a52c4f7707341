/* For LD_PRELOAD, tests/cli/starved.sh: the allocation number STARVE_AT, counted from main,
 * finds no memory. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long calls, starving;

typedef int main_function(int, char **, char **);
static main_function *real_main;

static int counted_main(int argc, char **argv, char **environment)
{
    const char *said = getenv("STARVE_AT");
    calls = 0;
    starving = said ? atol(said) : 0;
    unsetenv("STARVE_AT"); /* the points of a study have memory */
    return real_main(argc, argv, environment);
}

/* Constructors ask before main (libgfortran's, CUDA's registration of kernels): what they do
 * without memory is theirs. */
int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*linker_fini)(void), void *stack_end)
{
    int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *) = (int (*)(main_function *, int, char **, void (*)(void), void (*)(void),
                                    void (*)(void), void *))dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return start(counted_main, argc, argv, init, fini, linker_fini, stack_end);
}

static int refuse(void)
{
    if (starving <= 0 || ++calls != starving)
        return 0;
    errno = ENOMEM;
    return 1;
}

/* So do constructors of libraries that are opened later (LLVM's in cuSPARSE's nvJitLink abort). */
void *dlopen(const char *name, int flags)
{
    void *(*open)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    const long paused = starving;
    starving = 0;
    void *library = open(name, flags);
    starving = paused;
    return library;
}

void *malloc(size_t size)
{
    return refuse() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return refuse() ? NULL : __libc_realloc(old, size);
}
