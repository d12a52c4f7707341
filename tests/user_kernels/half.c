/* Does half of the rows. */
#include "user_kernel.h"
OWN_APPLY
{
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows / 2);
    return 0;
}

OWN_KERNEL("half")
