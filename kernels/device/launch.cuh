/* Launches that overlap: programmatic dependent launch (CUDA Programming Guide, "Programmatic
 * Dependent Launch and Synchronization", Hopper and later).
 *
 * A kernel lets its successor start as soon as its own blocks have all begun; the successor does
 * what does not depend on anybody, then waits until its predecessor is complete and its results visible.
 * Saves 1 to 2 us an iteration launched plainly (H200, N = 64). Graphs, whose own edges are faster
 * (28.5 us an iteration without, 32.1 with), and older architectures do without: launches are
 * ordinary ones, and both calls are empty or return at once.
 *
 * Rule: a kernel launched by cgs_launch calls cgs_wait_for_previous() before it reads anything
 * that a kernel before may have written, and before it writes anything.
 */
#ifndef CGS_KERNELS_LAUNCH_CUH
#define CGS_KERNELS_LAUNCH_CUH

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

/* Queues kernel<<<grid, CGS_THREADS>>>(arguments...). */
template <class... Parameters, class... Arguments>
enum cgs_status cgs_launch(struct cgs_queue *queue, const char *name,
                           void (*kernel)(Parameters...), int64_t grid, Arguments... arguments)
{
    cudaLaunchAttribute overlap = {};
    cudaLaunchConfig_t config = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3((unsigned)grid);
    config.blockDim = dim3(CGS_THREADS);
    config.stream = cgs_cuda_stream(queue);
    config.attrs = &overlap;
    config.numAttrs = cgs_cuda_device(queue)->overlap ? 1 : 0;
    const cudaError_t error =
        cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    if (error != cudaSuccess)
        return cgs_cuda_fail(queue->context, __FILE__, __LINE__, name, error);
    return CGS_OK;
}

#endif
