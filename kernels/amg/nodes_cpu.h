/* Nodes of a matrix with near-null vectors on the CPU. */
#pragma once

#include "kernels/near_null.h"

extern const struct cgs_near_null_ops cgs_near_null_cpu;
