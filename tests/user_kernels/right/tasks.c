/* A task for each hundred rows. */
#include "right.h"

OWN_APPLY
{
    (void)self, (void)stream;
#pragma omp parallel
#pragma omp single
    for (int64_t i = 0; i < A->rows; i += 100) {
#pragma omp task firstprivate(i)
        own_rows(A, x, y, i, i + 100 < A->rows ? i + 100 : A->rows);
    }
    return 0;
}

OWN_KERNEL("right_tasks")
