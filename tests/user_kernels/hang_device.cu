/* Right, and then a kernel that never ends. */
#include "cheats.cuh"

__global__ static void forever(volatile double *y)
{
    while (y[0] == y[0] || y[0] != y[0])
        y[0] = 1.0;
}

USER_APPLY
{
    static int count;
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    user_launch(A, x, y, stream);
    if (++count == user_at())
        forever<<<1, 1, 0, stream>>>(static_cast<double *>(y));
    return cudaGetLastError() != cudaSuccess;
}

USER_KERNEL("hang_device")
