/* Right, for SELL-C-sigma; keeps a copy of its own of what it needs, to be given back. */
#include "user_kernel.h"

static int prepare(const struct cgsolve_matrix *A, void **self)
{
    int64_t *widths = malloc((size_t)(A->units + 1) * sizeof *widths);
    for (int64_t c = 0; widths && c < A->units; c++)
        widths[c] = (A->pointers[c + 1] - A->pointers[c]) / A->chunk;
    *self = widths;
    return widths == NULL;
}

USER_APPLY
{
    const int64_t *widths = self;
    (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        const int64_t c = i / A->chunk, l = i % A->chunk;
        double sum = 0;
        for (int64_t j = 0; j < widths[c]; j++) {
            const int64_t k = A->pointers[c] + j * A->chunk + l;
            sum += A->value_bytes == 8
                       ? ((const double *)A->values)[k] * ((const double *)x)[A->column[k]]
                       : (double)((const float *)A->values)[k] * ((const float *)x)[A->column[k]];
        }
        user_set(A, y, A->permutation ? A->permutation[i] : i, sum);
    }
    return 0;
}

const struct cgsolve_kernel cgsolve_kernel = {CGSOLVE_KERNEL_ABI,
                                              CGSOLVE_SELL,
                                              CGSOLVE_CPU,
                                              CGSOLVE_DOUBLE | CGSOLVE_SINGLE,
                                              CGSOLVE_REPRODUCIBLE,
                                              "sell",
                                              "a kernel of the tests",
                                              prepare,
                                              apply,
                                              free};
