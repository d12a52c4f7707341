/* Writes into x. */
#include "cheats.cuh"

OWN_APPLY
{
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    own_launch(A, x, y, stream);
    own_set<<<1, 1, 0, stream>>>(const_cast<double *>(static_cast<const double *>(x)), 1e9);
    return cudaGetLastError() != cudaSuccess;
}

OWN_KERNEL("input_device")
