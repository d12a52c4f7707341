/* Writes into x. */
#include "cheats.cuh"

USER_APPLY
{
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    user_launch(A, x, y, stream);
    user_set<<<1, 1, 0, stream>>>(const_cast<double *>(static_cast<const double *>(x)), 1e9);
    return cudaGetLastError() != cudaSuccess;
}

USER_KERNEL("input_device")
