/* One-dimensional tables of a separable solution u = sum_t X_t(x) Y_t(y) Z_t(z), and their use in
 * load vector and error norms of the plain box: pure inline functions in the common subset of C
 * and CUDA. Filled on the host (tables.c, load.c, interpolation.c) in O(n), they make a node cost a
 * few operations on any device. kernels/ may include it.
 */
#pragma once

#include <stdint.h>

#include "base/linkage.h"

/* One number a node 0 ... n_axis + 1 for each term, axis and kind of table; all tables have the
 * stride of the longest one. The kinds are defined by the code that fills them. */
struct cgs_tables {
    int terms, kinds;
    int64_t stride;
    double *values; /* [terms][3][kinds][stride] */
};

CGS_INLINE int64_t cgs_tables_size(const struct cgs_tables *tables)
{
    return (int64_t)tables->terms * 3 * tables->kinds * tables->stride;
}

/* Table `kind` of factor `axis` of term `term`, indexed by node; 64-aligned. */
CGS_INLINE double *cgs_table(const struct cgs_tables *tables, int term, int axis, int kind)
{
    return tables->values + ((term * 3 + axis) * tables->kinds + kind) * tables->stride;
}

/* ---- load vector ---- */

/* Tables m g and m g'', m the rule's 1-D mass matrix, derivatives in x. */
enum cgs_mass { CGS_MASS_VALUE, CGS_MASS_SECOND, CGS_MASSES };

/* On a line of unknowns b_i = sum_t of_second (m X'')_i + of_value (m X)_i; node lines (j, k). */
struct cgs_load_weights {
    double of_second, of_value;
};

CGS_INLINE struct cgs_load_weights cgs_load_line(const struct cgs_tables *tables, int term,
                                                 double scale, int64_t j, int64_t k)
{
    const double y = cgs_table(tables, term, 1, CGS_MASS_VALUE)[j];
    const double z = cgs_table(tables, term, 2, CGS_MASS_VALUE)[k];
    const double y2 = cgs_table(tables, term, 1, CGS_MASS_SECOND)[j];
    const double z2 = cgs_table(tables, term, 2, CGS_MASS_SECOND)[k];
    struct cgs_load_weights w;
    w.of_second = -scale * (y * z);
    w.of_value = -scale * (y2 * z + y * z2);
    return w;
}

/* ---- interpolation error d = I u - u ---- */

/* Tables for a factor g with interpolation error delta = I g - g; phi_i: hat of node i;
 * integrals and derivatives in x. */
enum cgs_hat {
    CGS_HAT_NODAL,   /* g(x_i) */
    CGS_HAT_EXACT,   /* int phi_i g */
    CGS_HAT_ERROR,   /* int phi_i delta */
    CGS_HAT_EXACT_D, /* int phi_i' g' */
    CGS_HAT_ERROR_D, /* int phi_i' delta' */
    CGS_HATS
};

/* On a line of nodes in x, the projections of d on the 3-D hats phi_i phi_j phi_k are combinations
 * of four tables of term t, with constant coefficients:
 *
 *     int phi d           = l2[0] E_i + l2[1] X_i
 *     int grad phi.grad d = h1[0] E_i + h1[1] X_i + h1[2] E'_i + h1[3] X'_i
 *
 * summed over t; E = ERROR, X = EXACT, E' = ERROR_D, X' = EXACT_D. */
struct cgs_line_weights {
    double l2[2], h1[4];
};

CGS_INLINE struct cgs_line_weights cgs_interpolation_line(const struct cgs_tables *tables, int term,
                                                          int64_t j, int64_t k)
{
    /* X = int phi g, E = int phi delta, A = int phi Ig = X + E; the same with d for derivatives. */
    const double xy = cgs_table(tables, term, 1, CGS_HAT_EXACT)[j];
    const double ey = cgs_table(tables, term, 1, CGS_HAT_ERROR)[j];
    const double dxy = cgs_table(tables, term, 1, CGS_HAT_EXACT_D)[j];
    const double dey = cgs_table(tables, term, 1, CGS_HAT_ERROR_D)[j];
    const double xz = cgs_table(tables, term, 2, CGS_HAT_EXACT)[k];
    const double ez = cgs_table(tables, term, 2, CGS_HAT_ERROR)[k];
    const double dxz = cgs_table(tables, term, 2, CGS_HAT_EXACT_D)[k];
    const double dez = cgs_table(tables, term, 2, CGS_HAT_ERROR_D)[k];
    const double ay = xy + ey, day = dxy + dey, az = xz + ez, daz = dxz + dez;

    /* E A A + X (E A + X E), once for the value and once for each direction's derivative. */
    struct cgs_line_weights w;
    w.l2[0] = ay * az;
    w.l2[1] = ey * az + xy * ez;
    w.h1[0] = day * az + ay * daz;
    w.h1[1] = (dey * az + dxy * ez) + (ey * daz + xy * dez);
    w.h1[2] = w.l2[0];
    w.h1[3] = w.l2[1];
    return w;
}

/* ---- error sums ---- */

/* Sums over the nodes and cells of the plain box (see errors.c). */
struct cgs_error_sums {
    double nodal;    /* sum e_i^2 */
    double max;      /* max |e_i| */
    double cross_l2; /* sum e_i int phi_i d */
    double cross_h1; /* sum e_i int grad phi_i . grad d */
    double haar[4];  /* Q_c */
    double slope[3]; /* P_1, P_2, P_3; zero where cells are cubes, which don't need them */
};

/* Adds the squares of one cell's Haar transform. s, d: sums and differences in z of e at the lower
 * (0) and the upper (1) node in y; [0], [1]: the lower and the upper node in x. */
CGS_INLINE void cgs_haar_add(const double *s0, const double *s1, const double *d0, const double *d1,
                             double *q)
{
    const double ss[2] = {s0[0] + s1[0], s0[1] + s1[1]};
    const double sd[2] = {d0[0] + d1[0], d0[1] + d1[1]};
    const double ds[2] = {s1[0] - s0[0], s1[1] - s0[1]};
    const double dd[2] = {d1[0] - d0[0], d1[1] - d0[1]};
    const double sss = ss[0] + ss[1], dss = ss[1] - ss[0];
    const double ssd = sd[0] + sd[1], dsd = sd[1] - sd[0];
    const double sds = ds[0] + ds[1], dds = ds[1] - ds[0];
    const double sdd = dd[0] + dd[1], ddd = dd[1] - dd[0];
    q[0] += sss * sss;
    q[1] += dss * dss + ssd * ssd + sds * sds;
    q[2] += dsd * dsd + dds * dds + sdd * sdd;
    q[3] += ddd * ddd;
}

/* The same weighted for the gradient on cells that are no cubes: p[c - 1] grows by the sum over
 * the squares that are differences in c directions of square sum_(these directions) weight_k. */
CGS_INLINE void cgs_haar_add_slopes(const double *s0, const double *s1, const double *d0,
                                    const double *d1, const double *weight, double *p)
{
    const double ss[2] = {s0[0] + s1[0], s0[1] + s1[1]};
    const double sd[2] = {d0[0] + d1[0], d0[1] + d1[1]};
    const double ds[2] = {s1[0] - s0[0], s1[1] - s0[1]};
    const double dd[2] = {d1[0] - d0[0], d1[1] - d0[1]};
    const double x = ss[1] - ss[0], y = ds[0] + ds[1], z = sd[0] + sd[1];
    const double xy = ds[1] - ds[0], xz = sd[1] - sd[0], yz = dd[0] + dd[1], xyz = dd[1] - dd[0];
    p[0] += weight[0] * (x * x) + weight[1] * (y * y) + weight[2] * (z * z);
    p[1] += (weight[0] + weight[1]) * (xy * xy) + (weight[0] + weight[2]) * (xz * xz) +
            (weight[1] + weight[2]) * (yz * yz);
    p[2] += (weight[0] + weight[1] + weight[2]) * (xyz * xyz);
}

/* Sums for general meshes over all points (errors_cells.c). */
struct cgs_point_sums {
    double nodal, max, l2, h1, energy;
};

CGS_INLINE void cgs_point_sums_add(struct cgs_point_sums *into, const struct cgs_point_sums *other)
{
    into->nodal += other->nodal;
    into->max = other->max > into->max ? other->max : into->max;
    into->l2 += other->l2;
    into->h1 += other->h1;
    into->energy += other->energy;
}
