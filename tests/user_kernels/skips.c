/* Right while it is looked at; later it gives 0 in every third row. */
#include "user_kernel.h"
USER_APPLY
{
    static int count;
    const int step = ++count >= user_at(12) ? 3 : 1;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    for (int64_t i = 0; step > 1 && i < A->rows; i += step)
        user_set(A, y, i, 0.0);
    return 0;
}

USER_KERNEL("skips")
