/* Does not compile. */
#include "user_kernel.h"
OWN_APPLY
{
    return nowhere_declared;
}
