/* Writes a number before the begin of y. */
#include "user_kernel.h"
OWN_APPLY
{
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    own_set(A, y, -1, 1);
    return 0;
}

OWN_KERNEL("before")
