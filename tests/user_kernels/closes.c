/* Closes what it has not opened, in its third product. */
#include "user_kernel.h"
#include <unistd.h>

OWN_APPLY
{
    static int count;
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    if (++count == own_at(3))
        for (int i = 3; i < 32; i++)
            close(i);
    return 0;
}

OWN_KERNEL("closes")
