/* Right, but one of its products ends in abort(). */
#include "user_kernel.h"

OWN_APPLY
{
    static int count;
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    if (++count == 5)
        abort();
    return 0;
}

OWN_KERNEL("abort")
