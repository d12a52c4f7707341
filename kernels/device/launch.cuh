/* Launches that overlap: programmatic dependent launch (CUDA Programming Guide, "Programmatic
 * Dependent Launch and Synchronization", Hopper and later).
 *
 * A kernel may let its successor start as soon as its own blocks have all begun; a successor launched
 * by cgs_launch_early does what does not depend on anybody, then waits until its predecessor is
 * complete and its results are visible. Only the products do both (H200, N = 64 double, products in
 * a row: 20.0 us each, overlapped 18.6); after a vector step, which does not let them start before it
 * ends, a product saves the launch alone. Vector steps gain nothing from it in a stream and lose in a
 * graph. On older architectures both calls are empty and launches are ordinary ones.
 *
 * Rule: a kernel launched by cgs_launch_early calls cgs_wait_for_previous() before it reads anything
 * that a kernel before may have written, and before it writes anything.
 */
#ifndef CGS_KERNELS_DEVICE_LAUNCH_CUH
#define CGS_KERNELS_DEVICE_LAUNCH_CUH

#include <nv/target>

#include "kernels/device/cuda.cuh"

__device__ inline void cgs_let_next_start()
{
    NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.launch_dependents;");))
}

__device__ inline void cgs_wait_for_previous()
{
    NV_IF_TARGET(NV_PROVIDES_SM_90, (asm volatile("griddepcontrol.wait;" ::: "memory");))
}

/* A grid of `count` blocks in one dimension, each with `shared` bytes beside its own shared memory. */
struct cgs_blocks {
    int64_t count;
    int threads = CGS_THREADS;
    int64_t shared = 0;
};

/* Queues kernel<<<count, threads, shared>>>(arguments...) with one attribute, or none. All kernels are
 * launched here, so that none is launched unchecked and a compiler without <<<>>> can take them
 * (tests/emulator/). */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_with(struct cgs_queue *queue, const char *name,
                                cudaLaunchAttribute *attribute, void (*kernel)(Parameters...),
                                const struct cgs_blocks &blocks, Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks.count);
    config.blockDim = dim3((unsigned)blocks.threads);
    config.dynamicSmemBytes = (size_t)blocks.shared;
    config.stream = cgs_cuda_stream(queue);
    config.attrs = attribute;
    config.numAttrs = attribute ? 1 : 0;
    const cudaError_t error =
        cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    if (error != cudaSuccess)
        return cgs_cuda_fail(queue->context, __FILE__, __LINE__, name, error);
    return CGS_OK;
}

/* An ordinary launch. */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch(struct cgs_queue *queue, const char *name,
                           void (*kernel)(Parameters...), int64_t grid, Arguments... arguments)
{
    return cgs_launch_with(queue, name, nullptr, kernel, {grid}, arguments...);
}

/* The same with blocks of another size. */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_blocks(struct cgs_queue *queue, const char *name,
                                  void (*kernel)(Parameters...), const struct cgs_blocks &blocks,
                                  Arguments... arguments)
{
    return cgs_launch_with(queue, name, nullptr, kernel, blocks, arguments...);
}

/* Where the device can, the kernel may start before the one before it has ended. shared: bytes that
 * a block is given beside its own; past 48 KiB the kernel has to have asked for them. */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_early_shared(struct cgs_queue *queue, const char *name,
                                        void (*kernel)(Parameters...), int64_t grid,
                                        int64_t shared, Arguments... arguments)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    const bool can = cgs_cuda_device(queue)->properties.major >= 9;
    return cgs_launch_with(queue, name, can ? &early : nullptr, kernel,
                           {.count = grid, .shared = shared}, arguments...);
}

template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_early(struct cgs_queue *queue, const char *name,
                                 void (*kernel)(Parameters...), int64_t grid,
                                 Arguments... arguments)
{
    return cgs_launch_early_shared(queue, name, kernel, grid, 0, arguments...);
}

/* All blocks are resident at a time, or the launch fails: they may wait for each other. */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_together(struct cgs_queue *queue, const char *name,
                                    void (*kernel)(Parameters...), const struct cgs_blocks &blocks,
                                    Arguments... arguments)
{
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    return cgs_launch_with(queue, name, &together, kernel, blocks, arguments...);
}

#endif
