/* Writes a number behind the end of y. */
#include "user_kernel.h"
USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    user_set(A, y, A->rows, 1);
    return 0;
}

USER_KERNEL("past_end")
