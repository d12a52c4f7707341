/* cuSPARSE's names of the number type of a build. */
#pragma once

#include "kernels/precision.h"
#include "kernels/spmv/vendor/cusparse.cuh"

namespace
{

const cudaDataType REAL = CGS_REAL_NUMBER == CGS_F64 ? CUDA_R_64F : CUDA_R_32F;
const real ONE = 1, ZERO = 0;

} // namespace
