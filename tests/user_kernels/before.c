/* Writes a number before the begin of y. */
#include "user_kernel.h"
USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    user_set(A, y, -1, 1);
    return 0;
}

USER_KERNEL("before")
