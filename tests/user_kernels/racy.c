/* Its threads share the sum of a row. They are made to meet: a race would show seldom on one
 * core. */
#define _DEFAULT_SOURCE
#include "user_kernel.h"
#include <unistd.h>

USER_APPLY
{
    static volatile double sum;
    (void)self, (void)stream;
#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int64_t i = 0; i < A->rows; i++) {
        sum = 0;
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++) {
            if (i % 16 < 2 && k == A->pointers[i] + 3)
                usleep(20);
            sum += A->value_bytes == 8
                       ? ((const double *)A->values)[k] * ((const double *)x)[A->column[k]]
                       : (double)((const float *)A->values)[k] * ((const float *)x)[A->column[k]];
        }
        user_set(A, y, i, sum);
    }
    return 0;
}

USER_KERNEL("racy")
