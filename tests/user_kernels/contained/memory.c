/* Takes far more memory than its matrix could need, and writes into the last page: it is only
 * reserved, so that a test in which it gets it goes on. */
#include "attempt.h"
#include <sys/mman.h>

static const char *attempt(void)
{
    const size_t length = (size_t)1 << 38;
    volatile char *begin = mmap(NULL, length, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED)
        return NULL;
    begin[length - 1] = 1;
    return "it got 256 GiB of memory";
}

USER_ATTEMPT("memory")
