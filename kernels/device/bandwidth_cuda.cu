/* Bandwidth of the device's memory: read, copy and triad (J. D. McCalpin's STREAM, and a pure
 * read), each byte read and each byte written counted once. 16-byte accesses, all processors busy,
 * best of several repeats.
 */
#include "kernels/device/bandwidth_cuda.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"

enum { REPEATS = 8, MARK_BEGIN = CGS_MARKS - 2, MARK_END = CGS_MARKS - 1, BLOCKS_A_PROCESSOR = 32 };

static __global__ void fill(int64_t n, double2 *a, double x)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        a[i] = make_double2(x + 1e-9 * (double)i, x);
}

static __global__ void read_all(int64_t n, const double2 *a, double *out)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    double x = 0.0, y = 0.0;
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const double2 v = a[i];
        x += v.x;
        y += v.y;
    }
    if (x + y == 0.123456789) /* never true, unknown to the compiler */
        *out = x;
}

static __global__ void copy(int64_t n, const double2 *a, double2 *b)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        b[i] = a[i];
}

static __global__ void triad(int64_t n, double2 *a, const double2 *b, const double2 *c, double s)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        a[i] = make_double2(b[i].x + s * c[i].x, b[i].y + s * c[i].y);
}

struct arrays {
    int64_t n; /* double2 numbers in each array */
    double2 *a, *b, *c;
    int64_t grid;
};

enum kind { READ, COPY, TRIAD };

static enum cgs_status launch(struct cgs_queue *queue, const struct arrays *x, enum kind kind)
{
    const char *name = "bandwidth kernel";
    switch (kind) {
    case READ: return cgs_launch(queue, name, read_all, x->grid, x->n, x->a, queue->partials);
    case COPY: return cgs_launch(queue, name, copy, x->grid, x->n, x->a, x->b);
    default: return cgs_launch(queue, name, triad, x->grid, x->n, x->a, x->b, x->c, 0.5);
    }
}

/* GB/s of the best of REPEATS, after an uncounted warm-up. */
static enum cgs_status best(struct cgs_queue *queue, const struct arrays *x, enum kind kind,
                            double seconds, double *gbs)
{
    const struct cgs_cuda_device *device = cgs_cuda_device(queue);
    const double bytes = (double)(kind + 1) * (double)x->n * sizeof(double2);
    const double begin = cgs_now();
    double least = 0.0;
    for (int repeat = 0; repeat <= REPEATS; repeat++) {
        float milliseconds = 0.0f;
        CGS_CUDA_TRY(queue->context,
                     cudaEventRecord(device->marks[MARK_BEGIN], cgs_cuda_stream(queue)));
        CGS_TRY(launch(queue, x, kind));
        CGS_CUDA_TRY(queue->context,
                     cudaEventRecord(device->marks[MARK_END], cgs_cuda_stream(queue)));
        CGS_CUDA_TRY(queue->context, cudaEventSynchronize(device->marks[MARK_END]));
        CGS_CUDA_TRY(queue->context, cudaEventElapsedTime(&milliseconds, device->marks[MARK_BEGIN],
                                                          device->marks[MARK_END]));
        if (repeat > 0 && (least == 0.0 || milliseconds < least))
            least = milliseconds;
        if (repeat > 0 && cgs_now() - begin > seconds)
            break;
    }
    *gbs = 1e-6 * bytes / least;
    return CGS_OK;
}

static enum cgs_status measure(struct cgs_queue *queue, const struct arrays *x, double seconds,
                               struct cgs_bandwidth *bandwidth)
{
    CGS_TRY(cgs_launch(queue, "fill", fill, x->grid, x->n, x->a, 1.0));
    CGS_TRY(cgs_launch(queue, "fill", fill, x->grid, x->n, x->b, 2.0));
    CGS_TRY(cgs_launch(queue, "fill", fill, x->grid, x->n, x->c, 3.0));
    CGS_TRY(best(queue, x, READ, seconds / 3.0, &bandwidth->read_gbs));
    CGS_TRY(best(queue, x, COPY, seconds / 3.0, &bandwidth->copy_gbs));
    return best(queue, x, TRIAD, seconds / 3.0, &bandwidth->triad_gbs);
}

enum cgs_status cgs_cuda_bandwidth(struct cgs_queue *queue, int64_t bytes, double seconds,
                                   struct cgs_bandwidth *bandwidth)
{
    const cudaDeviceProp *p = &cgs_cuda_device(queue)->properties;
    struct arrays x = {};
    struct cgs_bandwidth found = {};
    void *block = NULL;

    x.n = bytes / 3 / (int64_t)sizeof(double2);
    if (x.n < 1024)
        x.n = 1024;
    x.grid = (int64_t)p->multiProcessorCount * BLOCKS_A_PROCESSOR;
    /* Not by cgs_cuda_alloc: freed before the matrix comes, so no part of the peak. */
    CGS_CUDA_TRY(queue->context, cudaMalloc(&block, 3 * (size_t)x.n * sizeof(double2)));
    x.a = (double2 *)block;
    x.b = x.a + x.n;
    x.c = x.b + x.n;
    const enum cgs_status status = measure(queue, &x, seconds, &found);
    cudaFree(block);
    CGS_TRY(status);
    found.bytes = 3 * x.n * (int64_t)sizeof(double2);
    found.cached = found.bytes <= p->l2CacheSize;
    *bandwidth = found;
    return CGS_OK;
}
