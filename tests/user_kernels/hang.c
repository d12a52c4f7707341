/* Right at first, then it never returns. */
#include "user_kernel.h"
OWN_APPLY
{
    static volatile int count;
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    if (++count == own_at(3))
        for (;;)
            count = 3;
    return 0;
}

OWN_KERNEL("hang")
