/* Writes into x, the same number that stood there. */
#include "user_kernel.h"
USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    ((volatile char *)x)[0] = ((const char *)x)[0];
    return 0;
}

USER_KERNEL("input")
