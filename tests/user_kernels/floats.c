/* Adds in single precision what is of double. */
#include "user_kernel.h"
USER_APPLY
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        float sum = 0;
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)
            sum += A->value_bytes == 8
                       ? (float)(((const double *)A->values)[k] * ((const double *)x)[A->column[k]])
                       : ((const float *)A->values)[k] * ((const float *)x)[A->column[k]];
        user_set(A, y, i, sum);
    }
    return 0;
}

USER_KERNEL("floats")
