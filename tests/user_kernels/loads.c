/* Ends its process when it is loaded. */
#include "user_kernel.h"
__attribute__((constructor)) static void begin(void)
{
    abort();
}

USER_APPLY
{
    (void)self, (void)A, (void)x, (void)y, (void)stream;
    return 0;
}

USER_KERNEL("loads")
