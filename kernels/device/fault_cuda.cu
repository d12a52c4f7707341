/* Real faults on the device, so that the program takes the path of a faulty kernel.
 *
 * --inject=cuda-error: a kernel writes to an invalid address. The driver then ends all work of this
 * process on the device: every later call returns the same error (cudaErrorIllegalAddress) until
 * the process ends; other processes are not affected.
 *
 * --inject=cuda-hang: a kernel goes on for a minute, so that the device does nothing else. */
#include "kernels/device/cuda_open.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/peers.cuh"

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

enum cgs_status cgs_cuda_hang(struct cgs_queue *queue)
{
    return cgs_launch_blocks(queue, "hang", hang, {1, 1});
}

enum cgs_status cgs_cuda_fault(struct cgs_queue *queue)
{
    return cgs_launch_blocks(queue, "write_nowhere", write_nowhere, {1, 1}, nullptr);
}
