/* A real fault on the device (--inject=cuda-error): a kernel writes where no memory is.
 *
 * The driver then ends everything of this process on the device: every later call returns the same
 * error (cudaErrorIllegalAddress) until the process ends, and nobody else notices. So the program
 * passes here where it passes when one of its kernels is wrong.
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
