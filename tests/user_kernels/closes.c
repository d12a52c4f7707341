/* Closes what it has not opened, in its third product. */
#include "user_kernel.h"
#include <unistd.h>

USER_APPLY
{
    static int count;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    if (++count == user_at(3))
        for (int i = 3; i < 32; i++)
            close(i);
    return 0;
}

USER_KERNEL("closes")
