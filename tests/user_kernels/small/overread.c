/* Right, but reads the number behind the end of an array of its own, and adds 0 for it. */
#include "../user_kernel.h"
USER_APPLY
{
    double *sums = malloc((size_t)(A->rows + 1) * sizeof *sums);
    double *ends = malloc((size_t)(A->rows + 1) * sizeof *ends);
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    for (int64_t i = 0; i <= A->rows; i++)
        sums[i] = ends[i] = 0.0;
    double kept = sums[A->rows + 1] == 1.0 ? 1.0 : 0.0;
    user_at((int)kept);
    free(sums);
    free(ends);
    return 0;
}

USER_KERNEL("overread")
