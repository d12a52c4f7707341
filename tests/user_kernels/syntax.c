/* Does not compile. */
#include "user_kernel.h"
USER_APPLY
{
    return nowhere_declared;
}
