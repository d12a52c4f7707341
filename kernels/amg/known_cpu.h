/* Grids of new numbers in known patterns on the CPU. */
#pragma once

#include "kernels/amg/known.h"

extern const struct cgs_amg_known_ops cgs_amg_known_cpu;
