#include "kernels/vector/convert.h"

void cgs_convert_from_double(int threads, const double *in, int64_t count, enum cgs_number number,
                             void *out)
{
    double *as_double = out;
    float *as_float = out;
    if (number == CGS_F64) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
        for (int64_t i = 0; i < count; i++)
            as_double[i] = in[i];
    } else {
#pragma omp parallel for simd num_threads(threads) schedule(static)
        for (int64_t i = 0; i < count; i++)
            as_float[i] = (float)in[i];
    }
}

void cgs_convert_to_double(int threads, enum cgs_number number, const void *in, int64_t count,
                           double *out)
{
    const double *as_double = in;
    const float *as_float = in;
    if (number == CGS_F64) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
        for (int64_t i = 0; i < count; i++)
            out[i] = as_double[i];
    } else {
#pragma omp parallel for simd num_threads(threads) schedule(static)
        for (int64_t i = 0; i < count; i++)
            out[i] = as_float[i];
    }
}
