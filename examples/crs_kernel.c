/* A user kernel in C: y = A x with CRS, rows divided among OpenMP's threads.
 *
 *     cgsolve spmv --kernel=examples/crs_kernel.c               compiled on the spot
 *     cc -O3 -march=native -fopenmp -shared -fPIC -o crs_kernel.so crs_kernel.c
 *     cgsolve spmv --kernel=./crs_kernel.so                     beside all others
 *     cgsolve --kernel=./crs_kernel.so                          inside CG
 *
 * Each row of the matrix is read once: the same bytes as cgsolve's own kernels for CRS.
 */
#include <cgsolve/kernel.h>

/* The loop for one number type; FLOAT is double or float. */
#define ROWS(FLOAT)                                                                                \
    static void rows_##FLOAT(const struct cgsolve_matrix *A, const FLOAT *x, FLOAT *y)             \
    {                                                                                              \
        const FLOAT *values = A->values;                                                           \
        _Pragma("omp parallel for schedule(static)") for (int64_t i = 0; i < A->rows; i++)         \
        {                                                                                          \
            FLOAT sum = 0;                                                                         \
            for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)                          \
                sum += values[k] * x[A->column[k]];                                                \
            y[i] = sum;                                                                            \
        }                                                                                          \
    }
ROWS(double)
ROWS(float)

static int apply(void *self, const struct cgsolve_matrix *A, const void *x, void *y, void *stream)
{
    (void)self, (void)stream; /* nothing was prepared, and the CPU has no stream */
    if (A->value_bytes == 8)
        rows_double(A, x, y);
    else
        rows_float(A, x, y);
    return 0;
}

const struct cgsolve_kernel cgsolve_kernel = {
    .abi = CGSOLVE_KERNEL_ABI,
    .format = CGSOLVE_CRS,
    .device = CGSOLVE_CPU,
    .precisions = CGSOLVE_DOUBLE | CGSOLVE_SINGLE,
    .flags = CGSOLVE_REPRODUCIBLE, /* a row's sum does not depend on who computes it */
    .name = "example_crs",
    .description = "a row after the other, rows divided evenly among the threads",
    .apply = apply,
};
