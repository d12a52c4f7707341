/* Shared by the CUDA kernels of these tests: a thread a row in double, and the descriptor. */
#include <cgsolve/kernel.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ static void user_rows(int64_t begin, int64_t end, const struct cgsolve_matrix A,
                                 const double *x, double *y)
{
    const int64_t i = begin + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const double *values = static_cast<const double *>(A.values);
    double sum = 0;
    if (i >= end)
        return;
    for (int64_t k = A.pointers[i]; k < A.pointers[i + 1]; k++)
        sum += values[k] * x[A.column[k]];
    y[i] = sum;
}

__global__ static void user_set(double *where, double number)
{
    *where = number;
}

static void user_launch(const struct cgsolve_matrix *A, const void *x, void *y, cudaStream_t stream)
{
    user_rows<<<(unsigned)((A->rows + 127) / 128), 128, 0, stream>>>(
        0, A->rows, *A, static_cast<const double *>(x), static_cast<double *>(y));
}

/* In which product it happens: at= behind other settings of CGSOLVE_TEST, or the third. */
static int user_at()
{
    const char *test = getenv("CGSOLVE_TEST"), *at = test ? strstr(test, ",at=") : nullptr;
    return at ? atoi(at + 4) : 3;
}

#define USER_APPLY                                                                                 \
    static int apply(void *, const struct cgsolve_matrix *A, const void *x, void *y, void *stream_)

#define USER_KERNEL(name)                                                                          \
    const struct cgsolve_kernel cgsolve_kernel = {CGSOLVE_KERNEL_ABI,                              \
                                                  CGSOLVE_CRS,                                     \
                                                  CGSOLVE_CUDA,                                    \
                                                  CGSOLVE_DOUBLE,                                  \
                                                  CGSOLVE_CAPTURABLE,                              \
                                                  name,                                            \
                                                  "a kernel of the tests",                         \
                                                  nullptr,                                         \
                                                  apply,                                           \
                                                  nullptr};
