/* Ends its process when it is loaded. */
#include "user_kernel.h"
__attribute__((constructor)) static void begin(void)
{
    abort();
}

OWN_APPLY
{
    (void)self, (void)A, (void)x, (void)y, (void)stream;
    return 0;
}

OWN_KERNEL("loads")
