/* Counts in an int that overflows, which -O3 turns into nothing. */
#include "../user_kernel.h"
#include <limits.h>

USER_APPLY
{
    int count = INT_MAX - 2;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    for (int64_t i = 0; i < A->rows; i++)
        count++;
    return count == 12345 ? 1 : 0;
}

USER_KERNEL("overflow")
