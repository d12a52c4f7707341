/* Adds in long double. */
#include "right.h"

USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        long double sum = 0;
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)
            sum += right_term(A, x, k);
        user_set(A, y, i, (double)sum);
    }
    return 0;
}

USER_KERNEL("right_long")
