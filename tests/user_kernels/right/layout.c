/* Says that a product reads the bytes of says= (CGSOLVE_TEST), of a layout of its own. */
#include "right.h"

static int prepare(const struct cgsolve_matrix *A, void **self)
{
    const char *bytes = user_test("says");
    *self = NULL;
    if (*A->bytes != 0)
        return 1;
    *A->bytes = bytes ? atoll(bytes) : 0;
    return 0;
}

USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = 0.0;
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)
            sum += right_term(A, x, k);
        user_set(A, y, i, sum);
    }
    return 0;
}

const struct cgsolve_kernel cgsolve_kernel = {
    CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE | CGSOLVE_SINGLE, 0, "layout",
    "a kernel of the tests", prepare, apply, NULL};
