/* Leaves, as if all were well. */
#include "user_kernel.h"

USER_APPLY
{
    static int count;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    if (++count == user_at(2))
        exit(0);
    return 0;
}

USER_KERNEL("exits")
