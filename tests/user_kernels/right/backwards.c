/* From the last row to the first, and from the last entry to the first. */
#include "right.h"

USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = A->rows - 1; i >= 0; i--) {
        double sum = 0;
        for (int64_t k = A->pointers[i + 1] - 1; k >= A->pointers[i]; k--)
            sum += right_term(A, x, k);
        user_set(A, y, i, sum);
    }
    return 0;
}

USER_KERNEL("right_backwards")
