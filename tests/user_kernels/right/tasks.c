/* A task for each hundred rows. */
#include "right.h"

USER_APPLY
{
    (void)self, (void)stream;
#pragma omp parallel
#pragma omp single
    for (int64_t i = 0; i < A->rows; i += 100) {
#pragma omp task firstprivate(i)
        user_rows(A, x, y, i, i + 100 < A->rows ? i + 100 : A->rows);
    }
    return 0;
}

USER_KERNEL("right_tasks")
