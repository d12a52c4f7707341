/* Rows a few at a time, whoever is free. */
#include "right.h"

USER_APPLY
{
    (void)self, (void)stream;
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t i = 0; i < A->rows; i++)
        user_rows(A, x, y, i, i + 1);
    return 0;
}

USER_KERNEL("right_dynamic")
