/* cuSPARSE's names of the number type of a build. */
#ifndef CGS_KERNELS_SPMV_VENDOR_CUSPARSE_NUMBER_CUH
#define CGS_KERNELS_SPMV_VENDOR_CUSPARSE_NUMBER_CUH

#include "kernels/precision.h"
#include "kernels/spmv/vendor/cusparse.cuh"

namespace
{

const cudaDataType REAL = CGS_REAL_NUMBER == CGS_F64 ? CUDA_R_64F : CUDA_R_32F;
const real ONE = 1, ZERO = 0;

} // namespace

#endif
