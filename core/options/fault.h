/* Faults that --inject can cause, to test how a run handles them. */
#pragma once

#include <stdint.h>

enum cgs_fault_kind {
    CGS_FAULT_NONE,
    CGS_FAULT_NAN,        /* a NaN in the residual after iteration `at` */
    CGS_FAULT_BITFLIP,    /* a flipped bit in the solution after iteration `at` */
    CGS_FAULT_INDEFINITE, /* a matrix that is symmetric, but not positive definite */
    CGS_FAULT_ASYMMETRIC, /* an entry a_ij that differs from a_ji */
    CGS_FAULT_OOM,        /* memory runs out although the plan fitted */
    CGS_FAULT_CUDA_ERROR, /* a kernel fails on the device */
    CGS_FAULT_CUDA_HANG,  /* a kernel on the device of one of several ranks does not end */
    CGS_FAULTS
};

struct cgs_fault {
    enum cgs_fault_kind kind;
    int64_t at; /* iterations before it happens */
};
