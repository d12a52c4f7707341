/* Rows a few at a time, whoever is free. */
#include "right.h"

OWN_APPLY
{
    (void)self, (void)stream;
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t i = 0; i < A->rows; i++)
        own_rows(A, x, y, i, i + 1);
    return 0;
}

OWN_KERNEL("right_dynamic")
