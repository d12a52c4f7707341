/* Adds in the precision of the matrix. */
#include "right.h"

USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        float narrow = 0;
        double wide = 0;
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++) {
            if (A->value_bytes == 8)
                wide += right_term(A, x, k);
            else
                narrow += (float)right_term(A, x, k);
        }
        user_set(A, y, i, A->value_bytes == 8 ? wide : (double)narrow);
    }
    return 0;
}

USER_KERNEL("right_single")
