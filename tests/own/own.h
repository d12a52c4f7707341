/* Shared by the kernels of these tests: rows of a product, and the descriptor of a kernel for
 * CRS on the CPU in both precisions. A kernel that cheats defines `apply` and ends in
 * OWN_KERNEL("name"). */
#ifndef CGS_TESTS_OWN_H
#define CGS_TESTS_OWN_H

#include <cgsolve/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline void own_rows(const struct cgsolve_matrix *A, const void *x, void *y, int64_t begin,
                            int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        double sum = 0;
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)
            sum += A->value_bytes == 8
                       ? ((const double *)A->values)[k] * ((const double *)x)[A->column[k]]
                       : (double)((const float *)A->values)[k] * ((const float *)x)[A->column[k]];
        if (A->value_bytes == 8)
            ((double *)y)[i] = sum;
        else
            ((float *)y)[i] = (float)sum;
    }
}

/* y[i] = number */
static inline void own_set(const struct cgsolve_matrix *A, void *y, int64_t i, double number)
{
    if (A->value_bytes == 8)
        ((double *)y)[i] = number;
    else
        ((float *)y)[i] = (float)number;
}

/* In which product it happens: OWN_AT of the environment, or this one. */
static inline int own_at(int usual)
{
    const char *at = getenv("OWN_AT");
    return at ? atoi(at) : usual;
}

#define OWN_APPLY                                                                                  \
    static int apply(void *self, const struct cgsolve_matrix *A, const void *x, void *y,           \
                     void *stream)

#define OWN_KERNEL(name)                                                                           \
    const struct cgsolve_kernel cgsolve_kernel = {                                                 \
        CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE | CGSOLVE_SINGLE, 0, name,    \
        "a kernel of the tests", NULL, apply, NULL};

#endif
