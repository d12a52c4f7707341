/* Right at first, then it follows a null pointer. */
#include "user_kernel.h"
OWN_APPLY
{
    static int count;
    volatile char *nowhere = NULL;
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    if (++count == own_at(3))
        *nowhere = 1;
    return 0;
}

OWN_KERNEL("crash")
