/* All threads share each row, and add their parts in any order. */
#include "right.h"

USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)
            sum += right_term(A, x, k);
        user_set(A, y, i, sum);
    }
    return 0;
}

USER_KERNEL("right_reduction")
