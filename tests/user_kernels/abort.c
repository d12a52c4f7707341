/* Right, but one of its products ends in abort(). */
#include "user_kernel.h"

USER_APPLY
{
    static int count;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    if (++count == 5)
        abort();
    return 0;
}

USER_KERNEL("abort")
