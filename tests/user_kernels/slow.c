/* Right, but it takes its time: 20 ms a product. */
#include "user_kernel.h"
#include <unistd.h>

USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    usleep(20000);
    return 0;
}

USER_KERNEL("slow")
