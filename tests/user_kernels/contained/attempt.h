/* Shared by kernels that are right, and try in their first product what they are not to be able
 * to: `attempt` returns what it could do, which then is the reason why they give up, or NULL. */
#pragma once

#include "../user_kernel.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Returns true if the last call failed because it was forbidden. */
static inline bool forbidden(void)
{
    return errno == EPERM || errno == EACCES;
}

#define USER_ATTEMPT(name)                                                                         \
    USER_APPLY                                                                                     \
    {                                                                                              \
        static int count;                                                                          \
        const char *did = count++ == 0 ? attempt() : NULL;                                         \
        (void)self, (void)stream;                                                                  \
        user_rows(A, x, y, 0, A->rows);                                                            \
        if (did)                                                                                   \
            snprintf(A->why, A->why_room, "%s", did);                                              \
        return did != NULL;                                                                        \
    }                                                                                              \
    USER_KERNEL(name)
