/* The CUDA backend: device, streams, events, and the driver's view of memory. */
#include <cstdio>
#include <cstring>

#include "base/memory.h"
#include "kernels/backend.h"
#include "kernels/device/cuda.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/link_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/open_cuda.cuh"
#include "kernels/device/peers.cuh"
#include "kernels/device/peers_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/spmv/vendor/cusparse.cuh"

/* Bandwidth of the device's memory: read, copy and triad (J. D. McCalpin's STREAM, and a pure
 * read), each byte read and each byte written counted once. 16-byte accesses, all processors busy,
 * best of several repeats.
 */

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

/* x = b x + c in CHAINS independent numbers of a thread, with as many threads as fit. */
enum { CHAINS = 8, CHAIN_STEPS = 1024, CHAIN_BLOCKS = 2048 / CGS_THREADS };

template <typename T> static __global__ void arithmetic(T b, T c, double *out)
{
    T x[CHAINS], sum = 0;
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        x[i] = b + (T)(i + (int)threadIdx.x);
#pragma unroll 4
    for (int step = 0; step < CHAIN_STEPS; step++) {
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = x[i] * b + c;
    }
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    if (sum == (T)0.123456789) /* never true, unknown to the compiler */
        *out = (double)sum;
}

struct arrays {
    int64_t n; /* double2 numbers in each array */
    double2 *a, *b, *c;
    int64_t grid;
};

enum kind { READ, COPY, TRIAD, DOUBLES, FLOATS };

static enum cgs_status launch(struct cgs_queue *queue, const struct arrays *x, enum kind kind)
{
    const char *name = kind < DOUBLES ? "bandwidth kernel" : "arithmetic kernel";
    switch (kind) {
    case READ: return cgs_launch(queue, name, read_all, x->grid, x->n, x->a, queue->partials);
    case COPY: return cgs_launch(queue, name, copy, x->grid, x->n, x->a, x->b);
    case DOUBLES:
        return cgs_launch(queue, name, arithmetic<double>, x->grid, 0.999, 0.001, queue->partials);
    case FLOATS:
        return cgs_launch(queue, name, arithmetic<float>, x->grid, 0.999f, 0.001f,
                          queue->partials);
    default: return cgs_launch(queue, name, triad, x->grid, x->n, x->a, x->b, x->c, 0.5);
    }
}

/* Seconds of the best of REPEATS, after an uncounted warm-up. */
static enum cgs_status best(struct cgs_queue *queue, const struct arrays *x, enum kind kind,
                            double seconds, double *fastest)
{
    const struct cgs_cuda_device *device = cgs_cuda_device(queue);
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
    *fastest = 1e-3 * least;
    return CGS_OK;
}

/* GB/s likewise. */
static enum cgs_status best_rate(struct cgs_queue *queue, const struct arrays *x, enum kind kind,
                                 double seconds, double *gbs)
{
    double fastest;
    CGS_TRY(best(queue, x, kind, seconds, &fastest));
    *gbs = 1e-9 * (double)(kind + 1) * (double)x->n * sizeof(double2) / fastest;
    return CGS_OK;
}

static enum cgs_status measure(struct cgs_queue *queue, const struct arrays *x, double seconds,
                               struct cgs_bandwidth *bandwidth)
{
    CGS_TRY(cgs_launch(queue, "fill", fill, x->grid, x->n, x->a, 1.0));
    CGS_TRY(cgs_launch(queue, "fill", fill, x->grid, x->n, x->b, 2.0));
    CGS_TRY(cgs_launch(queue, "fill", fill, x->grid, x->n, x->c, 3.0));
    CGS_TRY(best_rate(queue, x, READ, seconds / 3.0, &bandwidth->read_gbs));
    CGS_TRY(best_rate(queue, x, COPY, seconds / 3.0, &bandwidth->copy_gbs));
    return best_rate(queue, x, TRIAD, seconds / 3.0, &bandwidth->triad_gbs);
}

/* struct cgs_backend's `arithmetic`. */
static enum cgs_status cuda_arithmetic(struct cgs_queue *queue, enum cgs_number number,
                                       double seconds, double *gflops)
{
    struct arrays x = {};
    double fastest;
    x.grid = (int64_t)cgs_cuda_device(queue)->properties.multiProcessorCount * CHAIN_BLOCKS;
    CGS_TRY(best(queue, &x, number == CGS_F64 ? DOUBLES : FLOATS, seconds, &fastest));
    const int64_t operations = x.grid * CGS_THREADS * (2 * CHAINS * CHAIN_STEPS);
    *gflops = 1e-9 * (double)operations / fastest;
    return CGS_OK;
}

/* struct cgs_backend's `bandwidth`. */
static enum cgs_status cuda_bandwidth(struct cgs_queue *queue, int64_t bytes, double seconds,
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

/* Host memory of the runtime once kernels and a graph are loaded (3.3 MB measured, driver 580.159,
 * CUDA 13.0). */
enum { RUNTIME_BYTES = 3 << 20 };

static void destroy(struct cgs_queue *queue)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    struct cgs_context *context = queue->context;

    cgs_cuda_part(queue);
    if (device->cusparse)
        cgs_cusparse_close(device->cusparse);
    cgs_free(context, device->cusparse);
    cudaFree(queue->partials);
    cudaFree(queue->ticket);
    cudaFreeHost(device->looks);
    for (int slot = 0; slot < CGS_SLOTS; slot++) {
        cgs_cuda_unpin(device->staging[slot]);
        if (device->looked[slot])
            cudaEventDestroy(device->looked[slot]);
        if (device->copy_begun[slot])
            cudaEventDestroy(device->copy_begun[slot]);
        if (device->copy_done[slot])
            cudaEventDestroy(device->copy_done[slot]);
    }
    for (int mark = 0; mark < CGS_MARKS; mark++)
        if (device->marks[mark])
            cudaEventDestroy(device->marks[mark]);
    cgs_cuda_pool_close(device);
    if (device->copies)
        cudaStreamDestroy(device->copies);
    if (device->stream)
        cudaStreamDestroy(device->stream);
    cudaGetLastError(); /* a sticky fault has been reported where it was met */
    cgs_free(context, device);
    cgs_free(context, queue);
}

static enum cgs_status create(struct cgs_queue *queue)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    struct cgs_context *context = queue->context;
    size_t available, all;

    CGS_TRY(
        cgs_alloc(context, 1, sizeof *device->cusparse, "cuSPARSE", (void **)&device->cusparse));
    *device->cusparse = {};
    CGS_CUDA_TRY(context, cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking));
    CGS_CUDA_TRY(context, cudaStreamCreateWithFlags(&device->copies, cudaStreamNonBlocking));
    queue->stream = device->stream;
    for (int mark = 0; mark < CGS_MARKS; mark++)
        CGS_CUDA_TRY(context, cudaEventCreate(&device->marks[mark]));
    for (int slot = 0; slot < CGS_SLOTS; slot++) {
        CGS_CUDA_TRY(context,
                     cudaEventCreateWithFlags(&device->looked[slot], cudaEventDisableTiming));
        CGS_CUDA_TRY(context, cudaEventCreate(&device->copy_begun[slot]));
        CGS_CUDA_TRY(context, cudaEventCreate(&device->copy_done[slot]));
    }
    CGS_CUDA_TRY(context, cudaHostAlloc((void **)&device->looks, CGS_SLOTS * sizeof *device->looks,
                                        cudaHostAllocDefault));
    CGS_CUDA_TRY(context, cudaMemGetInfo(&available, &all));
    device->free_at_open = device->free_least = (int64_t)available;
    CGS_TRY(cgs_cuda_alloc(queue, CGS_SCRATCH, sizeof(double), "partial sums",
                           (void **)&queue->partials));
    CGS_TRY(
        cgs_cuda_alloc(queue, CGS_TICKETS, sizeof(unsigned), "tickets", (void **)&queue->ticket));
    CGS_CUDA_TRY(context, cudaMemset(queue->partials, 0, CGS_SCRATCH * sizeof(double)));
    CGS_CUDA_TRY(context, cudaMemset(queue->ticket, 0, CGS_TICKETS * sizeof(unsigned)));
    CGS_CUDA_TRY(context, cudaDeviceSynchronize());
    return CGS_OK;
}

static void enter(struct cgs_queue *queue)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    if (cudaGetDevice(&device->outer) != cudaSuccess)
        device->outer = device->index;
    if (device->outer != device->index)
        cudaSetDevice(device->index);
}

static void leave(struct cgs_queue *queue)
{
    const struct cgs_cuda_device *device = cgs_cuda_device(queue);
    if (device->outer != device->index)
        cudaSetDevice(device->outer);
}

static enum cgs_status device_open(struct cgs_context *context, int index, struct cgs_queue **queue)
{
    struct cgs_queue *made;
    struct cgs_cuda_device *device;
    int outer;

    if (cudaGetDevice(&outer) != cudaSuccess) {
        outer = index;
        cudaGetLastError(); /* the next call says what is missing */
    }
    CGS_TRY(cgs_cuda_select(context, index));
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "queue", (void **)&made));
    enum cgs_status status = cgs_alloc(context, 1, sizeof *device, "CUDA device", (void **)&device);
    if (status != CGS_OK) {
        cgs_free(context, made);
        return status;
    }
    memset(made, 0, sizeof *made);
    memset(device, 0, sizeof *device);
    device->index = index;
    device->outer = outer;
    made->context = context;
    made->device = device;
    const cudaError_t error = cudaGetDeviceProperties(&device->properties, index);
    status = error == cudaSuccess
                 ? create(made)
                 : cgs_cuda_fail(context, __FILE__, __LINE__, "cudaGetDeviceProperties", error);
    if (status != CGS_OK) {
        destroy(made);
        return status;
    }
    *queue = made;
    return CGS_OK;
}

static void device_close(struct cgs_queue *queue)
{
    if (!queue)
        return;
    const struct cgs_cuda_device *device = cgs_cuda_device(queue);
    const int index = device->index, outer = device->outer;
    destroy(queue);
    if (outer != index)
        cudaSetDevice(outer);
}

static enum cgs_status describe(struct cgs_queue *queue, struct cgs_device_info *info)
{
    const cudaDeviceProp *p = &cgs_cuda_device(queue)->properties;
    int runtime = 0;

    CGS_CUDA_TRY(queue->context, cudaRuntimeGetVersion(&runtime));
    memset(info, 0, sizeof *info);
    CGS_TRY(cgs_cuda_available(queue, &info->memory_free));
    snprintf(info->name, sizeof info->name, "%.127s", p->name);
    cgs_cuda_driver_version(info->driver, sizeof info->driver);
    snprintf(info->runtime, sizeof info->runtime, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    snprintf(info->architecture, sizeof info->architecture, "sm_%d%d", p->major, p->minor);
    info->memory_bytes = (int64_t)p->totalGlobalMem;
    info->cache_bytes = p->l2CacheSize;
    info->processors = p->multiProcessorCount;
    info->bus = ((int64_t)p->pciDomainID << 16) | (p->pciBusID << 8) | p->pciDeviceID;
    return CGS_OK;
}

static void plan(struct cgs_plan *plan, bool sends)
{
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "partial sums", CGS_SCRATCH, sizeof(double));
    if (sends)
        cgs_plan_add(plan, CGS_HOST, "pinned staging", CGS_SLOTS, CGS_STAGING_BYTES);
    cgs_plan_add(plan, CGS_HOST, "CUDA runtime: code, graphs", 1, RUNTIME_BYTES);
}

static enum cgs_status memory(struct cgs_queue *queue, int64_t *available, int64_t *peak)
{
    const struct cgs_cuda_device *device = cgs_cuda_device(queue);
    CGS_TRY(cgs_cuda_available(queue, available));
    *peak = device->free_at_open - device->free_least;
    return CGS_OK;
}

static enum cgs_status mark(struct cgs_queue *queue, int mark)
{
    CGS_CUDA_TRY(queue->context,
                 cudaEventRecord(cgs_cuda_device(queue)->marks[mark], cgs_cuda_stream(queue)));
    return CGS_OK;
}

static enum cgs_status elapsed(struct cgs_queue *queue, int from, int to, double *seconds)
{
    const struct cgs_cuda_device *device = cgs_cuda_device(queue);
    float milliseconds = 0.0f;
    CGS_TRY(cgs_cuda_wait_for(queue, device->marks[to]));
    CGS_CUDA_TRY(queue->context,
                 cudaEventElapsedTime(&milliseconds, device->marks[from], device->marks[to]));
    *seconds = 1e-3 * milliseconds;
    return CGS_OK;
}

/* ---- real faults on the device, so that the program takes the path of a faulty kernel ----
 *
 * --inject=cuda-error: a kernel writes to an invalid address. The driver then ends all work of this
 * process on the device: every later call returns the same error (cudaErrorIllegalAddress) until
 * the process ends; other processes are not affected.
 *
 * --inject=cuda-hang: a kernel goes on for a minute, so that the device does nothing else. */

static __global__ void write_nowhere(volatile int *nowhere)
{
    *nowhere = 1;
}

static __global__ void hang()
{
    static const int64_t MINUTE = INT64_C(60000000000);
    const int64_t begin = cgs_device_time();
    while (cgs_device_time() - begin < MINUTE)
        NV_IF_ELSE_TARGET(NV_IS_DEVICE, (__nanosleep(1000);), (return;))
}

static enum cgs_status hang_device(struct cgs_queue *queue)
{
    return cgs_launch_blocks(queue, "hang", hang, {1, 1});
}

static enum cgs_status fault(struct cgs_queue *queue)
{
    return cgs_launch_blocks(queue, "write_nowhere", write_nowhere, {1, 1}, nullptr);
}

/* ---- the table ---- */

extern "C" {
extern const struct cgs_space_ops cgs_cuda_space_f64, cgs_cuda_space_f32;
extern const struct cgs_multigrid_ops cgs_cuda_grid_f64, cgs_cuda_grid_f32;
extern const struct cgs_fdm_ops cgs_cuda_fdm_f64, cgs_cuda_fdm_f32;
extern const struct cgs_sparse_ops cgs_cuda_sparse_f64, cgs_cuda_sparse_f32;
extern const struct cgs_amg_ops cgs_cuda_amg;
extern const struct cgs_assembly_ops cgs_box_cuda;
extern const struct cgs_plugin_memory cgs_plugin_memory_cuda;
extern const struct cgs_rows_ops cgs_cuda_rows;
}

/* A chunk of 32 rows: a warp reads whole cache lines, with the least padding. */
CGS_EXPORT(struct cgs_backend, cgs_backend_cuda) = {
    .name = "cuda",
    .place = CGS_DEVICE_MEMORY,
    .chunk = {32, 32},
    .spaces = {&cgs_cuda_space_f64, &cgs_cuda_space_f32},
    .grids = {&cgs_cuda_grid_f64, &cgs_cuda_grid_f32},
    .fdm = {&cgs_cuda_fdm_f64, &cgs_cuda_fdm_f32},
    .sparse = {&cgs_cuda_sparse_f64, &cgs_cuda_sparse_f32},
    .amg = &cgs_cuda_amg,
    .survey = cgs_cuda_survey,
    .open = device_open,
    .close = device_close,
    .join = cgs_cuda_join,
    .link = cgs_cuda_link,
    .times = cgs_cuda_times,
    .enter = enter,
    .leave = leave,
    .describe = describe,
    .plan = plan,
    .memory = memory,
    .trim = cgs_cuda_pool_trim,
    .bandwidth = cuda_bandwidth,
    .arithmetic = cuda_arithmetic,
    .read = nullptr,
    .mark = mark,
    .elapsed = elapsed,
    .fault = fault,
    .hang = hang_device,
    .box = &cgs_box_cuda,
    .plugin = &cgs_plugin_memory_cuda,
    .rows = &cgs_cuda_rows,
};
