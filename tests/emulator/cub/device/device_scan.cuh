/* cub::DeviceScan as plain loops: what the emulator has instead of NVIDIA's CUB. */
#ifndef CGS_EMULATOR_DEVICE_SCAN
#define CGS_EMULATOR_DEVICE_SCAN

#include <cuda_runtime.h>

namespace cub
{

struct DeviceScan {
    template <class Number>
    static cudaError_t InclusiveSum(void *scratch, size_t &bytes, const Number *from, Number *to,
                                    int64_t count, cudaStream_t)
    {
        if (!scratch)
            return bytes = 256, cudaSuccess;
        Number sum = 0;
        for (int64_t i = 0; i < count; i++)
            to[i] = sum += from[i];
        return cudaSuccess;
    }
};

} // namespace cub

#endif
