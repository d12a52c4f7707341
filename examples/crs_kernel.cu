/* A user kernel in CUDA: y = A x with CRS, several threads a row.
 *
 *     cgsolve spmv --kernel=examples/crs_kernel.cu              compiled on the spot
 *     nvcc -O3 -arch=native -shared -Xcompiler -fPIC -o crs_kernel.so crs_kernel.cu
 *     cgsolve --kernel=./crs_kernel.so                          inside CG
 *
 * T = 2, 4, ... 32 neighbouring threads share a row, so that they read neighbouring entries; T is
 * chosen in prepare from the mean length of the rows. Their sums are added by shuffles.
 */
#include <cgsolve/kernel.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

enum { BLOCK = 256 };

template <int T, class Real>
__global__ void rows(int64_t count, const int64_t *__restrict__ pointers,
                     const int32_t *__restrict__ column, const Real *__restrict__ values,
                     const Real *__restrict__ x, Real *__restrict__ y)
{
    const int64_t row = ((int64_t)blockIdx.x * BLOCK + threadIdx.x) / T;
    const int lane = threadIdx.x % T;
    Real sum = 0;
    if (row < count)
        for (int64_t k = pointers[row] + lane; k < pointers[row + 1]; k += T)
            sum += values[k] * x[column[k]];
    for (int step = T / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step, T);
    if (row < count && lane == 0)
        y[row] = sum;
}

template <int T, class Real>
static void launch(const struct cgsolve_matrix *A, const void *x, void *y, cudaStream_t stream)
{
    const int64_t blocks = (A->rows * T + BLOCK - 1) / BLOCK;
    if (blocks > 0)
        rows<T, Real><<<(unsigned)blocks, BLOCK, 0, stream>>>(
            A->rows, A->pointers, A->column, static_cast<const Real *>(A->values),
            static_cast<const Real *>(x), static_cast<Real *>(y));
}

template <class Real>
static void choose(int threads, const struct cgsolve_matrix *A, const void *x, void *y,
                   cudaStream_t stream)
{
    switch (threads) {
    case 2: return launch<2, Real>(A, x, y, stream);
    case 4: return launch<4, Real>(A, x, y, stream);
    case 8: return launch<8, Real>(A, x, y, stream);
    case 16: return launch<16, Real>(A, x, y, stream);
    default: return launch<32, Real>(A, x, y, stream);
    }
}

/* Prepares this kernel for the matrix: here, only a number. */
static int prepare(const struct cgsolve_matrix *A, void **self)
{
    int *threads = static_cast<int *>(malloc(sizeof *threads));
    if (!threads) {
        snprintf(A->why, A->why_room, "no memory");
        return 1;
    }
    const double mean = A->rows > 0 ? (double)A->nonzeros / (double)A->rows : 0.0;
    *threads = 2;
    while (*threads < 32 && 8.0 * *threads < mean) /* some entries for each */
        *threads *= 2;
    *self = threads;
    return 0;
}

/* Only launches on the stream: it may be recorded in a graph. */
static int apply(void *self, const struct cgsolve_matrix *A, const void *x, void *y, void *stream_)
{
    const int threads = *static_cast<const int *>(self);
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    if (A->value_bytes == 8)
        choose<double>(threads, A, x, y, stream);
    else
        choose<float>(threads, A, x, y, stream);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        snprintf(A->why, A->why_room, "%s", cudaGetErrorString(error));
    return error != cudaSuccess;
}

static void release(void *self)
{
    free(self);
}

const struct cgsolve_kernel cgsolve_kernel = {
    CGSOLVE_KERNEL_ABI,
    CGSOLVE_CRS,
    CGSOLVE_CUDA,
    CGSOLVE_DOUBLE | CGSOLVE_SINGLE,
    CGSOLVE_REPRODUCIBLE | CGSOLVE_CAPTURABLE,
    "example_crs",
    "2 to 32 threads a row, by the mean length of the rows",
    prepare,
    apply,
    release,
};
