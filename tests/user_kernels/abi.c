/* Made for another version of the header. */
#include "user_kernel.h"
USER_APPLY
{
    (void)self, (void)A, (void)x, (void)y, (void)stream;
    return 0;
}

#undef CGSOLVE_KERNEL_ABI
#define CGSOLVE_KERNEL_ABI 7
USER_KERNEL("abi")
