/* Exact solutions: sums of products of functions of one variable (problem.c). Pure inline functions
 * in the common subset of C and CUDA, for host and device.
 */
#pragma once

#include <math.h>

#include "base/linkage.h"

enum cgs_factor {
    CGS_FACTOR_ONE,
    CGS_FACTOR_LINEAR,        /* t: represented exactly by finite elements */
    CGS_FACTOR_SQUARE,        /* t^2 */
    CGS_FACTOR_EXPONENTIAL,   /* exp(t) */
    CGS_FACTOR_DOUBLE_COSINE, /* cos(2 t) */
    CGS_FACTOR_SINE,          /* sin(pi t): from the nearer end, so that t = 1 gives exactly 0, and
                                 mirrored nodes equal bits */
    CGS_FACTOR_DOUBLE_SINE,   /* sin(2 pi t): zero exactly at 0, 1/2 and 1 */
    CGS_FACTOR_BUMP_1,        /* t (1 - t) exp(k t), k = 1, 2, 3 */
    CGS_FACTOR_BUMP_2,
    CGS_FACTOR_BUMP_3
};

CGS_INLINE void cgs_factor_bump(double k, double t, double *out)
{
    const double q = t * (1.0 - t), e = exp(k * t);
    out[0] = q * e;
    out[1] = (1.0 - 2.0 * t + k * q) * e;
    out[2] = (-2.0 + 2.0 * k * (1.0 - 2.0 * t) + k * k * q) * e;
}

/* out = g(t), g'(t), g''(t). */
CGS_INLINE void cgs_factor_at(enum cgs_factor factor, double t, double *out)
{
    const double pi = 3.14159265358979323846, tau = 6.28318530717958647693;
    switch (factor) {
    case CGS_FACTOR_ONE:
        out[0] = 1.0;
        out[1] = out[2] = 0.0;
        break;
    case CGS_FACTOR_LINEAR:
        out[0] = t;
        out[1] = 1.0;
        out[2] = 0.0;
        break;
    case CGS_FACTOR_SQUARE:
        out[0] = t * t;
        out[1] = 2.0 * t;
        out[2] = 2.0;
        break;
    case CGS_FACTOR_EXPONENTIAL:
        out[0] = out[1] = out[2] = exp(t);
        break;
    case CGS_FACTOR_DOUBLE_COSINE:
        out[0] = cos(2.0 * t);
        out[1] = -2.0 * sin(2.0 * t);
        out[2] = -4.0 * out[0];
        break;
    case CGS_FACTOR_SINE:
        out[0] = sin(pi * (t > 0.5 ? 1.0 - t : t));
        out[1] = pi * cos(pi * t);
        out[2] = -pi * pi * out[0];
        break;
    case CGS_FACTOR_DOUBLE_SINE:
        out[0] = t < 0.25 ? sin(tau * t) : t > 0.75 ? -sin(tau * (1.0 - t)) : sin(tau * (0.5 - t));
        out[1] = tau * cos(tau * t);
        out[2] = -tau * tau * out[0];
        break;
    default:
        cgs_factor_bump((double)(factor - CGS_FACTOR_BUMP_1 + 1), t, out);
        break;
    }
}

/* Makes derivatives in t those in x = t / over. */
CGS_INLINE void cgs_factor_stretch(double over, double *g)
{
    g[1] *= over;
    g[2] *= over * over;
}

/* Upper bound of the products in a sum. */
enum { CGS_TERMS = 2 };

/* u = sum_t X_t(t_x) Y_t(t_y) Z_t(t_z), t_k = x_k / L_k, at a point of a box of sizes L, for any
 * coefficient; derivatives in x: each d/dt has the factor 1/L_k. over: 1/L; point: t. */
struct cgs_exact {
    double u, gradient[3], laplace;
};

CGS_INLINE struct cgs_exact cgs_exact_of(int terms, const enum cgs_factor (*factor)[3],
                                         const double *over, const double *point)
{
    struct cgs_exact sum = {0.0, {0.0, 0.0, 0.0}, 0.0};
    for (int t = 0; t < terms; t++) {
        double x[3], y[3], z[3];
        cgs_factor_at(factor[t][0], point[0], x);
        cgs_factor_at(factor[t][1], point[1], y);
        cgs_factor_at(factor[t][2], point[2], z);
        cgs_factor_stretch(over[0], x);
        cgs_factor_stretch(over[1], y);
        cgs_factor_stretch(over[2], z);
        const double yz = y[0] * z[0];
        sum.u += x[0] * yz;
        sum.gradient[0] += x[1] * yz;
        sum.gradient[1] += x[0] * (y[1] * z[0]);
        sum.gradient[2] += x[0] * (y[0] * z[1]);
        sum.laplace += x[2] * yz + x[0] * (y[2] * z[0] + y[0] * z[2]);
    }
    return sum;
}

/* f = -div(kappa grad u) there, with the continuous coefficient sampled by CGS_KAPPA_SMOOTH,
 *     f = -(kappa Laplace u + grad kappa . grad u),   kappa = 1 + t_x + 2 t_y t_z,
 *     grad kappa = (1/L_x, 2 t_z/L_y, 2 t_y/L_z);
 * and -Laplace u if kappa jumps. over: 1/L; p: t. */
CGS_INLINE double cgs_exact_source(const struct cgs_exact *e, int smooth, const double *over,
                                   const double *p)
{
    const double *g = e->gradient;
    return smooth ? -((1.0 + p[0] + 2.0 * p[1] * p[2]) * e->laplace + over[0] * g[0] +
                      2.0 * (p[2] * (over[1] * g[1]) + p[1] * (over[2] * g[2])))
                  : -e->laplace;
}
