#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "core/io/stack.h"

#include <pthread.h>
#include <sys/resource.h>

static const rlim_t USUAL = 8 << 20;

/* Threads take their size from the limit as it was when the program began. */
static void widen_threads(rlim_t bytes)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, bytes) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

bool cgs_stack_ensure(int64_t *bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= CGS_STACK_LEAST)
        return true; /* RLIM_INFINITY is the largest number */
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < USUAL ? limit.rlim_max : USUAL;
    if (limit.rlim_cur < CGS_STACK_LEAST || setrlimit(RLIMIT_STACK, &limit) != 0) {
        *bytes = (int64_t)before;
        return false;
    }
    widen_threads(limit.rlim_cur);
    return true;
}
