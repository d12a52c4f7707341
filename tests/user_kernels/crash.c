/* Right at first, then it follows a null pointer. */
#include "user_kernel.h"
USER_APPLY
{
    static int count;
    volatile char *nowhere = NULL;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    if (++count == user_at(3))
        *nowhere = 1;
    return 0;
}

USER_KERNEL("crash")
