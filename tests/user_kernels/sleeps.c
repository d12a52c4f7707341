/* Sleeps for an hour in its second product. */
#include "user_kernel.h"
#include <unistd.h>

USER_APPLY
{
    static int count;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    if (++count == 2)
        sleep(3600);
    return 0;
}

USER_KERNEL("sleeps")
