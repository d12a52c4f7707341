/* Failed calls of CUDA, with a remedy. */
#include "base/comm.h"
#include "kernels/device/cuda.cuh"

enum cgs_status cgs_cuda_fail(struct cgs_context *context, const char *file, int line,
                              const char *call, cudaError_t error)
{
    const enum cgs_status status = error == cudaErrorMemoryAllocation ? CGS_MEMORY : CGS_DEVICE;
    const struct cgs_comm *comm = context->comm;
    if (comm && comm->silent && *comm->silent >= 0)
        return cgs_fail(context, CGS_DEVICE,
                        "the GPU of rank %d has not answered in time: it hangs or is too slow, or "
                        "its program was stopped",
                        (int)*comm->silent);
    const char *remedy = "";
    if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction)
        remedy = "; this program has no code for the device: configure with its CUDA_ARCH";
    else if (error == cudaErrorDevicesUnavailable)
        remedy = "; another process holds the device exclusively";
    else if (error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure)
        remedy = "; a kernel faulted: run again under compute-sanitizer to see where";
    return cgs_fail_at(context, file, line, status, "CUDA: %s: %s (%s)%s", call,
                       cudaGetErrorString(error), cudaGetErrorName(error), remedy);
}
