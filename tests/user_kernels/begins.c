/* Would be right, but is never loaded. */
#include "user_kernel.h"
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    for (;;)
        pause();
}

OWN_APPLY
{
    (void)self, (void)stream;
    own_rows(A, x, y, 0, A->rows);
    return 0;
}

OWN_KERNEL("begins")
