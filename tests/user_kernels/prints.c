/* Right, but it talks. */
#include "user_kernel.h"
#include <stdio.h>

USER_APPLY
{
    (void)self, (void)stream;
    printf("a word of the kernel's own\n");
    fflush(stdout);
    user_rows(A, x, y, 0, A->rows);
    return 0;
}

USER_KERNEL("prints")
