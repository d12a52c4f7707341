/* Loops of the CPU's space over one block of numbers, compiled for several vector widths. */
#pragma once

#include "kernels/vector/relax_cpu.h"
#include "kernels/vector/sum_cpu.h"

static CGS_CLONES void cgs_loop_set(int64_t n, real constant, real *restrict x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = constant;
}

static CGS_CLONES void cgs_loop_copy(int64_t n, const real *restrict x, real *restrict y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i];
}

static CGS_CLONES void cgs_loop_axpy(int64_t n, real a, const real *restrict x, real *restrict y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static CGS_CLONES void cgs_loop_xpby(int64_t n, const real *restrict x, real b, real *restrict y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] + b * y[i];
}

static CGS_CLONES double cgs_loop_dot(int64_t n, const real *x, const real *y)
{
    return cgs_lanes_dot(n, x, y);
}

/* y = d x componentwise; returns x'y. */
static CGS_CLONES double cgs_loop_multiply(int64_t n, const real *restrict d,
                                           const real *restrict x, real *restrict y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = d[i] * x[i];
    return cgs_lanes_dot(n, x, y);
}

/* A step of a smoother with q = A x; x NULL: from x = 0. */
static CGS_CLONES void cgs_loop_relax(int64_t n, real on_x, real on_y, real c,
                                      const real *restrict d, const real *restrict b,
                                      const real *restrict q, const real *restrict x,
                                      real *restrict y)
{
    if (x)
        cgs_relax(n, on_x, on_y, c, d, b, q, x, y);
    else
        for (int64_t i = 0; i < n; i++)
            y[i] = (d ? c * d[i] : c) * b[i];
}

/* x += alpha p, r -= alpha q; returns r'r, computed while the block is in the cache. */
static CGS_CLONES double cgs_loop_update(int64_t n, real alpha, const real *restrict p,
                                         const real *restrict q, real *restrict x, real *restrict r)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
    }
    return cgs_lanes_dot(n, r, r);
}
