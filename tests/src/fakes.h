/* Kernels that cheat the laboratory, each in a way of its own: CRS, double, on the CPU. */
#pragma once

#include <stdbool.h>

#include "src/spmv/lab.h"

struct fake_kernel {
    const char *name;
    struct cgs_kernel kernel;
    enum cgs_trial_state state; /* in the end */
    bool at_once;               /* found before anything is timed */
    const char *words;          /* in the reason */
};

/* The first is honest. */
enum { FAKES = 18 };
extern const struct fake_kernel fakes[FAKES];
