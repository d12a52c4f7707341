/* The halves of a row, and the halves of these. */
#include "right.h"

static double half(const struct cgsolve_matrix *A, const void *x, int64_t begin, int64_t end)
{
    const int64_t middle = begin + (end - begin) / 2;
    if (end - begin < 2)
        return begin < end ? right_term(A, x, begin) : 0.0;
    return half(A, x, begin, middle) + half(A, x, middle, end);
}

USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++)
        user_set(A, y, i, half(A, x, A->pointers[i], A->pointers[i + 1]));
    return 0;
}

USER_KERNEL("right_halves")
