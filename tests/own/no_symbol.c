/* No kernel at all. */
#include "own.h"
int nothing_here;
