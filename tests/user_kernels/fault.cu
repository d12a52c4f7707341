/* Right, and then it writes where no memory is: its CUDA context is lost. */
#include "cheats.cuh"

USER_APPLY
{
    static int count;
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    user_launch(A, x, y, stream);
    if (++count == user_at())
        user_set<<<1, 1, 0, stream>>>(reinterpret_cast<double *>(64), 1.0);
    return cudaGetLastError() != cudaSuccess;
}

USER_KERNEL("fault")
