/* Leaves, as if all were well. */
#include "user_kernel.h"

OWN_APPLY
{
    static int count;
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    if (++count == own_at(2))
        exit(0);
    return 0;
}

OWN_KERNEL("exits")
