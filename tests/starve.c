/* For LD_PRELOAD, tests/starved.sh: the allocation number STARVE_AT, counted from main, finds no memory. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long calls, starving;

/* Libraries that are loaded before have asked by then: what they do without memory is theirs. */
__attribute__((constructor)) static void start(void)
{
    const char *said = getenv("STARVE_AT");
    calls = 0;
    starving = said ? atol(said) : 0;
}

static int refuse(void)
{
    if (starving <= 0 || ++calls != starving)
        return 0;
    errno = ENOMEM;
    return 1;
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
