/* Does not compile. */
#include "own.h"
OWN_APPLY
{
    return nowhere_declared;
}
