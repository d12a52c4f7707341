/* The CUDA backend: device, streams, events, and the driver's view of memory. */
#include <cstdio>
#include <cstring>

#include "base/memory.h"
#include "kernels/backend.h"
#include "kernels/device/bandwidth_cuda.cuh"
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
    .bandwidth = cgs_cuda_bandwidth,
    .read = nullptr,
    .mark = mark,
    .elapsed = elapsed,
    .fault = fault,
    .hang = hang_device,
    .box = &cgs_box_cuda,
    .plugin = &cgs_plugin_memory_cuda,
    .rows = &cgs_cuda_rows,
};
