/* Right, but what it has made is never given back. */
#include "user_kernel.h"
#include <unistd.h>

static int prepare(const struct cgsolve_matrix *A, void **self)
{
    (void)A;
    *self = NULL;
    return 0;
}

USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    return 0;
}

static void release(void *self)
{
    (void)self;
    for (;;)
        pause();
}

const struct cgsolve_kernel cgsolve_kernel = {
    CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE, 0, "sticks",
    "a kernel of the tests", prepare, apply, release};
