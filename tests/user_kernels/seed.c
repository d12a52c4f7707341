/* Right for the first input that it meets, wrong in one row for all others. */
#include "user_kernel.h"
USER_APPLY
{
    static double first;
    static int met;
    const double now = A->value_bytes == 8 ? ((const double *)x)[0] : (double)((const float *)x)[0];
    (void)self, (void)stream;
    if (!met++)
        first = now;
    user_rows(A, x, y, 0, A->rows);
    if (now != first)
        user_set(A, y, A->rows / 3, 1e3);
    return 0;
}

USER_KERNEL("seed")
