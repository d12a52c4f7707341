/* Does half of the rows. */
#include "cheats.cuh"

USER_APPLY
{
    const cudaStream_t stream = static_cast<cudaStream_t>(stream_);
    user_rows<<<(unsigned)((A->rows / 2 + 127) / 128), 128, 0, stream>>>(
        0, A->rows / 2, *A, static_cast<const double *>(x), static_cast<double *>(y));
    return cudaGetLastError() != cudaSuccess;
}

USER_KERNEL("half_device")
