/* cub::DeviceRadixSort as std::stable_sort: what the emulator has instead of NVIDIA's CUB. A
 * sort of a DoubleBuffer ends on the other side, as one with an odd number of passes does. */
#ifndef CGS_EMULATOR_DEVICE_RADIX_SORT
#define CGS_EMULATOR_DEVICE_RADIX_SORT

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

namespace cub
{

template <class T> struct DoubleBuffer {
    T *sides[2];
    int selector = 0;
    DoubleBuffer(T *now, T *other) : sides{now, other}
    {
    }
};

struct DeviceRadixSort {
    template <class Key, class Value>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, const Key *keys, Key *sorted,
                                 const Value *values, Value *moved, int64_t count, int from, int to,
                                 cudaStream_t)
    {
        using Bits = std::make_unsigned_t<Key>;
        if (!scratch)
            return bytes = 256, cudaSuccess;
        const Bits below = (size_t)to >= 8 * sizeof(Key) ? ~(Bits)0 : ((Bits)1 << to) - 1;
        std::vector<int64_t> order((size_t)count);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return ((Bits)keys[a] & below) >> from < ((Bits)keys[b] & below) >> from;
        });
        for (int64_t i = 0; i < count; i++) {
            sorted[i] = keys[order[(size_t)i]];
            moved[i] = values[order[(size_t)i]];
        }
        return cudaSuccess;
    }

    template <class Key, class Value>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, DoubleBuffer<Key> &keys,
                                 DoubleBuffer<Value> &values, int64_t count, int from, int to,
                                 cudaStream_t stream)
    {
        const int side = keys.selector;
        const cudaError_t error = SortPairs(
            scratch, bytes, keys.sides[side], keys.sides[1 - side], values.sides[values.selector],
            values.sides[1 - values.selector], count, from, to, stream);
        if (scratch) {
            keys.selector = 1 - side;
            values.selector = 1 - values.selector;
        }
        return error;
    }
};

} // namespace cub

#endif
