/* Writes behind the end of y. */
#include "cheats.cuh"

OWN_APPLY
{
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    own_launch(A, x, y, stream);
    own_set<<<1, 1, 0, stream>>>(static_cast<double *>(y) + A->rows, 1.0);
    return cudaGetLastError() != cudaSuccess;
}

OWN_KERNEL("past_end_device")
