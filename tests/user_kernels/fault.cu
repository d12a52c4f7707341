/* Right, and then it writes where no memory is: its CUDA context is lost. */
#include "cheats.cuh"

OWN_APPLY
{
    static int count;
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    own_launch(A, x, y, stream);
    if (++count == own_at())
        own_set<<<1, 1, 0, stream>>>(reinterpret_cast<double *>(64), 1.0);
    return cudaGetLastError() != cudaSuccess;
}

OWN_KERNEL("fault")
