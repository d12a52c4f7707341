/* Right at first, then it never returns. */
#include "user_kernel.h"
USER_APPLY
{
    static volatile int count;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    if (++count == user_at(3))
        for (;;)
            count = 3;
    return 0;
}

USER_KERNEL("hang")
