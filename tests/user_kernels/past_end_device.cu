/* Writes behind the end of y. */
#include "cheats.cuh"

USER_APPLY
{
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    user_launch(A, x, y, stream);
    user_set<<<1, 1, 0, stream>>>(static_cast<double *>(y) + A->rows, 1.0);
    return cudaGetLastError() != cudaSuccess;
}

USER_KERNEL("past_end_device")
