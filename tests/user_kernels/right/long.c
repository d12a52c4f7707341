/* Adds in long double. */
#include "right.h"

OWN_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        long double sum = 0;
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)
            sum += right_term(A, x, k);
        own_set(A, y, i, (double)sum);
    }
    return 0;
}

OWN_KERNEL("right_long")
