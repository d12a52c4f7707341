/* Kernels made of one plain function: the last line of a file that `cgsolve exercise start` writes.
 *
 *     #include <cgsolve/exercise.h>
 *
 *     static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
 *                         const double *values, const double *x, double *y) { ... }
 *
 *     CGSOLVE_PRODUCT(product)
 *
 * Each macro defines the `cgsolve_kernel` of cgsolve/kernel.h, in double precision. Products of a
 * stored matrix (CGSOLVE_PRODUCT, CGSOLVE_CRS_CUDA, CGSOLVE_SELL_CUDA) work wherever a kernel does
 * (`cgsolve spmv --kernel=./mine.c`), CGSOLVE_BOX_PRODUCT on the box. The others hand numbers to a
 * function and back through x and y, as their comments say; only `cgsolve exercise check` knows
 * what these numbers should be.
 *
 * C99 and C++ (CUDA). Names that end in _ are not for users.
 */
#ifndef CGSOLVE_EXERCISE_H
#define CGSOLVE_EXERCISE_H

#include <stdlib.h>

#include <cgsolve/kernel.h>

/* Writes a reason where the program looks for it. Returns 1, so that it can be returned. */
static inline int cgsolve_because_(const struct cgsolve_matrix *A, const char *reason)
{
    size_t i = 0;
    if (A->why_room == 0)
        return 1;
    for (; reason[i] != '\0' && i + 1 < A->why_room; i++)
        A->why[i] = reason[i];
    A->why[i] = '\0';
    return 1;
}

/* Returns n where rows = n^3, else 0. */
static inline int64_t cgsolve_side_(int64_t rows)
{
    int64_t n = 0;
    while (n * n * n < rows)
        n++;
    return n * n * n == rows ? n : 0;
}

#define CGSOLVE_APPLY_                                                                             \
    static int cgsolve_apply_(void *self, const struct cgsolve_matrix *A, const void *x_,          \
                              void *y_, void *stream)

#define CGSOLVE_KERNEL_(format, device, flags, f, prepare)                                         \
    const struct cgsolve_kernel cgsolve_kernel = {CGSOLVE_KERNEL_ABI,                              \
                                                  format,                                          \
                                                  device,                                          \
                                                  CGSOLVE_DOUBLE,                                  \
                                                  flags,                                           \
                                                  #f,                                              \
                                                  "an exercise",                                   \
                                                  prepare,                                         \
                                                  cgsolve_apply_,                                  \
                                                  NULL};

/* Opens the body of an apply on the CPU, with x and y as numbers. */
#define CGSOLVE_BEGIN_                                                                             \
    const double *x = (const double *)x_;                                                          \
    double *y = (double *)y_;                                                                      \
    (void)self, (void)stream;

/* y = A x with CRS on the CPU:
 *     void f(int64_t rows, const int64_t *pointers, const int32_t *column, const double *values,
 *            const double *x, double *y)
 * Row i has the entries pointers[i] ... pointers[i + 1] - 1. */
#define CGSOLVE_PRODUCT(f)                                                                         \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        f(A->rows, A->pointers, A->column, (const double *)A->values, x, y);                       \
        return 0;                                                                                  \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_CRS, CGSOLVE_CPU, 0, f, NULL)

/* A permutation for SELL-C-sigma:
 *     void f(int64_t rows, int64_t sigma, const int64_t *length, int64_t *order)
 * Row order[i] stands in place i, sorted by descending length within windows of sigma places.
 * A: rows x (rows + 1), no entries; x[0] = sigma, x[1 + i] = length of row i; y[i] = order[i]. */
#define CGSOLVE_SORT(f)                                                                            \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        int64_t *length = (int64_t *)malloc((size_t)(2 * A->rows + 1) * sizeof *length);           \
        if (!length)                                                                               \
            return cgsolve_because_(A, "no memory");                                               \
        int64_t *order = length + A->rows;                                                         \
        for (int64_t i = 0; i < A->rows; i++) {                                                    \
            length[i] = (int64_t)x[1 + i];                                                         \
            order[i] = -1; /* no row, where f leaves it */                                         \
        }                                                                                          \
        f(A->rows, (int64_t)x[0], length, order);                                                  \
        for (int64_t i = 0; i < A->rows; i++)                                                      \
            y[i] = (double)order[i];                                                               \
        free(length);                                                                              \
        return 0;                                                                                  \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_CRS, CGSOLVE_CPU, 0, f, NULL)

/* The second difference and its dot product, in one pass:
 *     double f(int64_t n, const double *x, double *y)
 * y_i = 2 x_i - x_(i-1) - x_(i+1), where x outside of 0 ... n - 1 is 0; returns x'y.
 * A: (n + 1) x n, no entries; y[n] = the returned number. */
#define CGSOLVE_PRODUCT_DOT(f)                                                                     \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        y[A->columns] = f(A->columns, x, y);                                                       \
        return 0;                                                                                  \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_CRS, CGSOLVE_CPU, 0, f, NULL)

/* Conjugate gradients:
 *     int64_t f(int64_t rows, const int64_t *pointers, const int32_t *column, const double *values,
 *               const double *b, double tolerance, double *x, double *residual)
 * Solves A x = b from x = 0 until ||b - A x|| <= tolerance ||b||. Returns iterations; *residual is
 * the true ||b - A x|| / ||b|| at the end.
 * A: the matrix, and two empty rows and columns at its end. The product's x is b, then tolerance
 * and 0; its y is the solution, then iterations and residual. */
#define CGSOLVE_CG(f)                                                                              \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        const int64_t rows = A->rows - 2;                                                          \
        double residual = -1.0;                                                                    \
        if (rows < 1 || A->columns != A->rows || A->pointers[rows] != A->nonzeros)                 \
            return cgsolve_because_(A, "it solves systems, and is no product: it is for "          \
                                       "'cgsolve exercise check'");                                \
        const int64_t iterations = f(rows, A->pointers, A->column, (const double *)A->values, x,   \
                                     x[rows], y, &residual);                                       \
        y[rows] = (double)iterations;                                                              \
        y[rows + 1] = residual;                                                                    \
        return 0;                                                                                  \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_CRS, CGSOLVE_CPU, 0, f, NULL)

/* Element matrices of a cube of side h with trilinear functions:
 *     void f(double h, double stiffness[8][8], double mass[8][8])
 * Corner a = i + 2 j + 4 k lies at (i, j, k) h.
 * A: 128 x 1, no entries; x[0] = h; y = stiffness row by row, then mass. */
#define CGSOLVE_ELEMENT(f)                                                                         \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        if (A->rows != 128 || A->columns != 1)                                                     \
            return cgsolve_because_(A, "it makes element matrices, and is no product: it is for "  \
                                       "'cgsolve exercise check'");                                \
        f(x[0], (double(*)[8])y, (double(*)[8])(y + 64));                                          \
        return 0;                                                                                  \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_CRS, CGSOLVE_CPU, 0, f, NULL)

/* y = A x of the box problem without its entries:
 *     void f(int64_t n, const double *x, double *y)
 * n^3 unknowns, the first index fastest; A is h = 1/(n+1) times the 27-point stencil of gauss
 * (doc/theory.md): centre 8/3, faces 0, edges -1/6, corners -1/12. Other matrices are declined: no
 * cube of rows, other than (3n-2)^3 entries, or another first entry. */
#define CGSOLVE_BOX_PRODUCT(f)                                                                     \
    static int cgsolve_prepare_(const struct cgsolve_matrix *A, void **self)                       \
    {                                                                                              \
        const int64_t n = cgsolve_side_(A->rows), wide = 3 * n - 2;                                \
        const double centre = 8.0 / 3.0 / (double)(n + 1);                                         \
        *self = NULL;                                                                              \
        if (n == 0 || A->columns != A->rows || A->nonzeros != wide * wide * wide)                  \
            return cgsolve_because_(A, "this is not the matrix of the box");                       \
        const double first = ((const double *)A->values)[0] - centre;                              \
        if (!(-1e-12 * centre <= first && first <= 1e-12 * centre))                                \
            return cgsolve_because_(A, "this is not the matrix of the plain box with gauss");      \
        return 0;                                                                                  \
    }                                                                                              \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        f(cgsolve_side_(A->rows), x, y);                                                           \
        return 0;                                                                                  \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_ENTRYLESS, f, cgsolve_prepare_)

/* A preconditioner of that matrix:
 *     void f(int64_t n, const double *r, double *z)
 * z = M r, with M about its inverse, symmetric and linear.
 * A: n^3 x n^3, no entries; x = r, y = z. */
#define CGSOLVE_PRECONDITIONER(f)                                                                  \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        const int64_t n = cgsolve_side_(A->rows);                                                  \
        if (n == 0)                                                                                \
            return cgsolve_because_(A, "the rows are no cube");                                    \
        f(n, x, y);                                                                                \
        return 0;                                                                                  \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_CRS, CGSOLVE_CPU, 0, f, NULL)

#ifdef __CUDACC__

enum { CGSOLVE_BLOCK_ = 256 }; /* threads a block */

/* Returns 1 and the reason if the launch before failed. */
static inline int cgsolve_launched_(const struct cgsolve_matrix *A)
{
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? 0 : cgsolve_because_(A, cudaGetErrorString(error));
}

/* Blocks of 256 threads for that many threads. */
static inline unsigned cgsolve_blocks_(int64_t threads)
{
    return (unsigned)((threads + CGSOLVE_BLOCK_ - 1) / CGSOLVE_BLOCK_);
}

/* y = A x with CRS on a GPU:
 *     __global__ void k(int64_t rows, const int64_t *pointers, const int32_t *column,
 *                       const double *values, const double *x, double *y)
 * Blocks have 256 threads; there are at least rows * threads_a_row of them. */
#define CGSOLVE_CRS_CUDA(k, threads_a_row)                                                         \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        const unsigned blocks = cgsolve_blocks_(A->rows * (threads_a_row));                        \
        if (blocks == 0)                                                                           \
            return 0;                                                                              \
        k<<<blocks, CGSOLVE_BLOCK_, 0, (cudaStream_t)stream>>>(                                    \
            A->rows, A->pointers, A->column, (const double *)A->values, x, y);                     \
        return cgsolve_launched_(A);                                                               \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_CRS, CGSOLVE_CUDA, CGSOLVE_CAPTURABLE, k, NULL)

/* y = A x with SELL on a GPU, a thread a row:
 *     __global__ void k(int64_t rows, int32_t chunk, const int64_t *pointers,
 *                       const int32_t *permutation, const int32_t *column, const double *values,
 *                       const double *x, double *y)
 * Blocks have 256 threads; permutation may be NULL. cgsolve/kernel.h has the layout. */
#define CGSOLVE_SELL_CUDA(k)                                                                       \
    CGSOLVE_APPLY_                                                                                 \
    {                                                                                              \
        CGSOLVE_BEGIN_                                                                             \
        const unsigned blocks = cgsolve_blocks_(A->rows);                                          \
        if (blocks == 0)                                                                           \
            return 0;                                                                              \
        k<<<blocks, CGSOLVE_BLOCK_, 0, (cudaStream_t)stream>>>(                                    \
            A->rows, A->chunk, A->pointers, A->permutation, A->column, (const double *)A->values,  \
            x, y);                                                                                 \
        return cgsolve_launched_(A);                                                               \
    }                                                                                              \
    CGSOLVE_KERNEL_(CGSOLVE_SELL, CGSOLVE_CUDA, CGSOLVE_CAPTURABLE, k, NULL)

#endif /* __CUDACC__ */

#endif
