/* Divides itself, which fails where it is contained, and else the other half stays. */
#include "user_kernel.h"
#include <unistd.h>

USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    if (fork() == 0)
        for (;;)
            pause();
    _exit(9);
}

USER_KERNEL("forks")
