/* No kernel at all. */
#include "user_kernel.h"
int nothing_here;
