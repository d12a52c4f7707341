/* Near-null vectors on CUDA (kernels/near_null.h). */
#pragma once

#include "kernels/near_null.h"

CGS_BEGIN_C

extern const struct cgs_near_null_ops cgs_near_null_cuda;

CGS_END_C
