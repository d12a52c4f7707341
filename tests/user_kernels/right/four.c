/* Four sums a row, and what is left. */
#include "right.h"

USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        double sum[4] = {0};
        int64_t k = A->pointers[i];
        for (; k + 4 <= A->pointers[i + 1]; k += 4)
            for (int j = 0; j < 4; j++)
                sum[j] += right_term(A, x, k + j);
        for (; k < A->pointers[i + 1]; k++)
            sum[0] += right_term(A, x, k);
        user_set(A, y, i, (sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    return 0;
}

USER_KERNEL("right_four")
