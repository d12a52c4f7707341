/* Overlapping launches: programmatic dependent launch (CUDA Programming Guide, "Programmatic
 * Dependent Launch and Synchronization", Hopper and later).
 *
 * A kernel may let its successor start as soon as all its own blocks have begun. A successor
 * launched by cgs_launch_early first does its independent work, then waits until its predecessor is
 * complete and its results are visible. Only the products do both (H200, N = 64 double, successive
 * products: 20.0 us each, overlapped 18.6). After a vector step, which does not let them start
 * early, a product saves only the launch. Vector steps gain nothing from it in a stream and lose in
 * a graph. On older architectures both calls are empty and launches are ordinary.
 *
 * Rule: a kernel launched by cgs_launch_early calls cgs_wait_for_previous() before it reads
 * anything that an earlier kernel may have written, and before it writes anything.
 */
#pragma once

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

/* One-dimensional grid of `count` blocks, with `shared` bytes of dynamic shared memory each. */
struct cgs_launch_shape {
    int64_t count;
    int threads = CGS_THREADS;
    int64_t shared = 0;
};

/* Returns the blocks of a kernel whose threads stride over `count` numbers: 8 for each
 * multiprocessor at most. */
inline int64_t cgs_blocks_for(const struct cgs_queue *queue, int64_t count)
{
    enum { WAVES = 8 };
    const int64_t most = (int64_t)WAVES * cgs_cuda_device(queue)->properties.multiProcessorCount;
    const int64_t blocks = (count + CGS_THREADS - 1) / CGS_THREADS;
    return blocks < 1 ? 1 : blocks < most ? blocks : most;
}

/* Queues kernel<<<count, threads, shared>>>(arguments...) with at most one attribute. All kernels
 * are launched here, so that every launch is checked and compilers without <<<>>> can build them
 * (tests/emulator/). */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_with(struct cgs_queue *queue, const char *name,
                                cudaLaunchAttribute *attribute, void (*kernel)(Parameters...),
                                const struct cgs_launch_shape &blocks, Arguments... arguments)
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
enum cgs_status cgs_launch(struct cgs_queue *queue, const char *name, void (*kernel)(Parameters...),
                           int64_t grid, Arguments... arguments)
{
    return cgs_launch_with(queue, name, nullptr, kernel, {grid}, arguments...);
}

/* The same with another block size. */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_blocks(struct cgs_queue *queue, const char *name,
                                  void (*kernel)(Parameters...),
                                  const struct cgs_launch_shape &blocks, Arguments... arguments)
{
    return cgs_launch_with(queue, name, nullptr, kernel, blocks, arguments...);
}

/* Launches a kernel that may start before the previous one has ended, if the device can. Above
 * 48 KiB of shared memory a block the kernel must have opted in. */
template <class... Parameters, class... Arguments>
enum cgs_status
cgs_launch_early_blocks(struct cgs_queue *queue, const char *name, void (*kernel)(Parameters...),
                        const struct cgs_launch_shape &blocks, Arguments... arguments)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    const bool can = cgs_cuda_device(queue)->properties.major >= 9;
    return cgs_launch_with(queue, name, can ? &early : nullptr, kernel, blocks, arguments...);
}

template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_early(struct cgs_queue *queue, const char *name,
                                 void (*kernel)(Parameters...), int64_t grid,
                                 Arguments... arguments)
{
    return cgs_launch_early_blocks(queue, name, kernel, {grid}, arguments...);
}

/* Cooperative launch: all blocks are resident at once, or it fails, so that they may wait for each
 * other. */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch_together(struct cgs_queue *queue, const char *name,
                                    void (*kernel)(Parameters...),
                                    const struct cgs_launch_shape &blocks, Arguments... arguments)
{
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    return cgs_launch_with(queue, name, &together, kernel, blocks, arguments...);
}
