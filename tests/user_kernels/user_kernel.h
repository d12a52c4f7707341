/* Shared by the kernels of these tests: rows of a product, and the descriptor of a kernel for
 * CRS on the CPU in both precisions. A kernel that cheats defines `apply` and ends in
 * USER_KERNEL("name"). */
#pragma once

#include <cgsolve/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline void user_rows(const struct cgsolve_matrix *A, const void *x, void *y, int64_t begin,
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
static inline void user_set(const struct cgsolve_matrix *A, void *y, int64_t i, double number)
{
    if (A->value_bytes == 8)
        ((double *)y)[i] = number;
    else
        ((float *)y)[i] = (float)number;
}

/* Returns the text behind NAME= in the list CGSOLVE_TEST of the environment, to the list's end, or
 * NULL. */
static inline const char *user_test(const char *name)
{
    const size_t length = strlen(name);
    const char *at = getenv("CGSOLVE_TEST");
    while (at && (strncmp(at, name, length) != 0 || at[length] != '='))
        at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    return at ? at + length + 1 : NULL;
}

/* In which product it happens: at=, or this one. */
static inline int user_at(int usual)
{
    const char *at = user_test("at");
    return at ? atoi(at) : usual;
}

#define USER_APPLY                                                                                 \
    static int apply(void *self, const struct cgsolve_matrix *A, const void *x, void *y,           \
                     void *stream)

#define USER_KERNEL(name)                                                                          \
    const struct cgsolve_kernel cgsolve_kernel = {CGSOLVE_KERNEL_ABI,                              \
                                                  CGSOLVE_CRS,                                     \
                                                  CGSOLVE_CPU,                                     \
                                                  CGSOLVE_DOUBLE | CGSOLVE_SINGLE,                 \
                                                  0,                                               \
                                                  name,                                            \
                                                  "a kernel of the tests",                         \
                                                  NULL,                                            \
                                                  apply,                                           \
                                                  NULL};
