/* Limits the processor time of its parent: to an hour, so that a test in which it can goes on. */
#define _GNU_SOURCE
#include "attempt.h"
#include <sys/resource.h>

static const char *attempt(void)
{
    const struct rlimit none = {3600, 3600};
    return prlimit(getppid(), RLIMIT_CPU, &none, NULL) == 0 ? "it limited its parent" : NULL;
}

USER_ATTEMPT("limits_parent")
