/* A descriptor that makes no sense. */
#include "user_kernel.h"
const struct cgsolve_kernel cgsolve_kernel = {
    CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE, 0,
    "fields",           "",          NULL,        NULL,           NULL};
