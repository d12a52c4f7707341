/* Does half of the rows. */
#include "user_kernel.h"
USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows / 2);
    return 0;
}

USER_KERNEL("half")
