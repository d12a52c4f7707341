/* A real fault on the device (--inject=cuda-error): a kernel writes to an invalid address.
 *
 * The driver then ends all work of this process on the device: every later call returns the same
 * error (cudaErrorIllegalAddress) until the process ends; other processes are not affected. The
 * program thus takes the path of a faulty kernel.
 */
#include "kernels/device/cuda_open.cuh"
#include "kernels/device/launch.cuh"

static __global__ void write_nowhere(volatile int *nowhere)
{
    *nowhere = 1;
}

enum cgs_status cgs_cuda_fault(struct cgs_queue *queue)
{
    return cgs_launch_blocks(queue, "write_nowhere", write_nowhere, {1, 1}, nullptr);
}
