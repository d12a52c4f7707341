/* Right, but it takes its time: 20 ms a product. */
#include "user_kernel.h"
#include <unistd.h>

OWN_APPLY
{
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    usleep(20000);
    return 0;
}

OWN_KERNEL("slow")
