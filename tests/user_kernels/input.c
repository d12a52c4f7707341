/* Writes into x, the same number that stood there. */
#include "user_kernel.h"
OWN_APPLY
{
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    ((volatile char *)x)[0] = ((const char *)x)[0];
    return 0;
}

OWN_KERNEL("input")
