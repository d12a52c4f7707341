/* Writes a page behind the end of y. */
#include "user_kernel.h"
OWN_APPLY
{
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    own_set(A, y, A->rows + 300, 1);
    return 0;
}

OWN_KERNEL("far")
