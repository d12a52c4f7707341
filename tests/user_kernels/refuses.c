/* Does not take this matrix, and says why; and gives up in a product. */
#include "user_kernel.h"
#include <omp.h>
#include <stdio.h>

static int prepare(const struct cgsolve_matrix *A, void **self)
{
    *self = NULL;
    if (A->rows % 2 == 0)
        return 0;
    snprintf(A->why, A->why_room, "%lld rows are odd", (long long)A->rows);
    return 1;
}

USER_APPLY
{
    (void)self, (void)x, (void)y, (void)stream;
    snprintf(A->why, A->why_room, "this is too much for %d processors", omp_get_num_procs());
    return 1;
}

const struct cgsolve_kernel cgsolve_kernel = {
    CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE, 0, "refuses",
    "a kernel of the tests", prepare, apply, NULL};
