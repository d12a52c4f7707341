/* Takes square matrices without empty rows alone, and says so. */
#include "right.h"
#include <stdio.h>

static int prepare(const struct cgsolve_matrix *A, void **self)
{
    *self = NULL;
    if (A->rows != A->columns) {
        snprintf(A->why, A->why_room, "it is not square");
        return 1;
    }
    for (int64_t i = 0; i < A->rows; i++)
        if (A->pointers[i] == A->pointers[i + 1]) {
            snprintf(A->why, A->why_room, "row %lld has no entries", (long long)i);
            return 1;
        }
    return 0;
}

USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        int64_t k = A->pointers[i];
        double sum = right_term(A, x, k);
        while (++k < A->pointers[i + 1])
            sum += right_term(A, x, k);
        user_set(A, y, i, sum);
    }
    return 0;
}

const struct cgsolve_kernel cgsolve_kernel = {
    CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE | CGSOLVE_SINGLE, 0,
    "right_declines", "a kernel of the tests", prepare, apply, NULL};
