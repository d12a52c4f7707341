/* Shared by the kernels of these tests that are right, each in a way of its own (user_kernel.h). */
#pragma once

#include "../user_kernel.h"

/* Entry k times the number of x that it meets, rounded as in the matrix's precision. */
static inline double right_term(const struct cgsolve_matrix *A, const void *x, int64_t k)
{
    return A->value_bytes == 8
               ? ((const double *)A->values)[k] * ((const double *)x)[A->column[k]]
               : (double)(((const float *)A->values)[k] * ((const float *)x)[A->column[k]]);
}
