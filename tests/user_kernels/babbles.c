/* Writes to descriptors that it never opened, and takes from files what is in them. */
#include "user_kernel.h"
#include <unistd.h>

USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    for (int i = 3; i < 32; i++)
        if (write(i, "what is no reply", 12) < 0 || ftruncate(i, 0) < 0)
            continue;
    return 0;
}

USER_KERNEL("babbles")
