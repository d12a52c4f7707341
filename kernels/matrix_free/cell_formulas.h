/* The product of a cell's element matrix with its 8 nodal values, without assembling the matrix:
 * formulas for any type of number. Includers define
 *
 *     cgs_cell_lanes           numbers, one a cell: a vector (cell_lanes.h) or `real` (cells.cuh)
 *     CGS_CELL_INLINE          how functions are declared
 *     CGS_CELL_QUOTIENT(a, b)  a / b of such numbers
 *
 * Reference coordinates s in [-1, 1]^3. The nodal values x_a are written in the basis m_w = product
 * of s_k over the bits k of w, w = 0 ... 7, by Walsh and Hadamard's transform, 24 additions:
 *
 *     u = sum_w h_w m_w,   h = H x / 8,   H_wa = product over the bits k of w of side_k(a).
 *
 * In a plain cell K_ab depends only on a ^ b, so that H diagonalises K:
 *
 *     K x = H' diag(lambda) H x / 8,  lambda_w = sum_b K_0b H_wb,  lambda_0 = 0;
 *
 * in a cube lambda_w depends only on the number of bits in w. The mass of a free face is of this
 * form as well, with lambda_0 > 0.
 *
 * On the deformed mesh, of cubes of side h, all nodes move along (1, 1, 1) by a trilinear
 * M(s) = A X(s_1) Y(s_2) Z(s_3).
 * With e = (1, 1, 1), g = (2/h) grad_s M and m = 1 + e'g
 *
 *     J = (h/2) (I + e g'),   det J = (h/2)^3 m,   J^-T = (2/h) (I - g e' / m),
 *
 * and with u's gradient d at a quadrature point, the flux against grad_s phi is
 *
 *     f = kappa (h/2) (m v - e g'v),   v = d - g (e'd) / m,
 *
 * and (K x)_a = sum over the 8 points of f . grad_s phi_a. d_1 and g_1 do not depend on s_1, and so
 * on: each has four values for the eight points. About 280 operations and 8 divisions a cell.
 */
#pragma once

#include "kernels/matrix_free/free.h"

/* H x and H' x in place: pairs (low, high) become (low + high, high - low), and back (low - high,
 * low + high). */
CGS_CELL_INLINE void cgs_cell_transform(bool back, cgs_cell_lanes *x)
{
    for (int bit = 1; bit < 8; bit *= 2)
        for (int a = 0; a < 8; a++)
            if (!(a & bit)) {
                const cgs_cell_lanes low = x[a], high = x[a | bit];
                x[a] = back ? low - high : low + high;
                x[a | bit] = back ? low + high : high - low;
            }
}

/* x = K x of plain cells; factor[w] = lambda_w / 8 for kappa = 1. cubic: known to the compiler,
 * which then forms three products with kappa for seven. */
CGS_CELL_INLINE void cgs_cell_plain(bool cubic, const real *factor, cgs_cell_lanes kappa,
                                    cgs_cell_lanes *x)
{
    const cgs_cell_lanes zero = {0};
    cgs_cell_transform(false, x);
    x[0] = zero;
    for (int w = 1; w < 8; w++)
        x[w] *= factor[cubic ? (1 << ((w & 1) + (w >> 1 & 1) + (w >> 2))) - 1 : w] * kappa;
    cgs_cell_transform(true, x);
}

/* The same of orthotropic kappa, three numbers a cell; part[k][w]: what direction k has in lambda_w
 * / 8, zero unless k is a bit of w (cgs_cell_parts). reaction: known to the compiler; there is a
 * fourth number, that of the mass matrix. */
CGS_CELL_INLINE void cgs_cell_orthotropic(bool reaction, const real part[CGS_MOST_NUMBERS][8],
                                          const cgs_cell_lanes *kappa, cgs_cell_lanes *x)
{
    const cgs_cell_lanes zero = {0};
    cgs_cell_transform(false, x);
    for (int w = 0; w < 8; w++) {
        cgs_cell_lanes factor = zero;
        for (int k = 0; k < 3; k++)
            if (w >> k & 1)
                factor += part[k][w] * kappa[k];
        if (reaction)
            factor += part[CGS_REACTION][w] * kappa[CGS_REACTION];
        x[w] *= factor;
    }
    cgs_cell_transform(true, x);
}

/* The same of void cells outside a free face (cgs_face_factors): a mass, whose lambda_0 is not
 * zero. */
CGS_CELL_INLINE void cgs_cell_face(const real *factor, cgs_cell_lanes kappa, cgs_cell_lanes *x)
{
    cgs_cell_transform(false, x);
    for (int w = 0; w < 8; w++)
        x[w] *= factor[w] * kappa;
    cgs_cell_transform(true, x);
}

/* Data of a line of deformed cells at the quadrature points; index 0 is s = -sigma, 1 is +sigma.
 * With Y_j, Z_k the wave at the points and dY, dZ its steps from node to node:
 *     yz[j + 2k] = (A/h) Y_j Z_k,   dz[k] = (A/h) dY Z_k,   dy[j] = (A/h) Y_j dZ. */
struct cgs_cell_line {
    real sigma;
    real yz[4], dz[2], dy[2];
};

/* y, z: value and step of the wave in cells (., cy, cz); over: A/h. */
CGS_CELL_INLINE struct cgs_cell_line cgs_cell_line_of(real over, real sigma, const real y[2],
                                                      const real z[2])
{
    struct cgs_cell_line line;
    line.sigma = sigma;
    for (int j = 0; j < 2; j++) {
        const real share = (real)0.5 * ((real)1 + (j ? sigma : -sigma));
        const real at_y = over * (y[0] + share * y[1]), at_z = over * (z[0] + share * z[1]);
        line.dz[j] = y[1] * at_z;
        line.dy[j] = at_y * z[1];
        for (int k = 0; k < 2; k++)
            line.yz[j + 2 * k] =
                at_y * (z[0] + (real)0.5 * ((real)1 + (k ? sigma : -sigma)) * z[1]);
    }
    return line;
}

/* Evaluates a derivative at the points: d[j + 2k] = c[0] +- c[1] (j) +- (c[2] +- c[3]) (k), from
 * coefficients times powers of sigma. */
CGS_CELL_INLINE void cgs_cell_spread(const cgs_cell_lanes *c, cgs_cell_lanes *d)
{
    const cgs_cell_lanes low[2] = {c[0] - c[1], c[0] + c[1]};
    const cgs_cell_lanes high[2] = {c[2] - c[3], c[2] + c[3]};
    for (int j = 0; j < 2; j++) {
        d[j] = low[j] - high[j];
        d[j + 2] = low[j] + high[j];
    }
}

/* Transpose of cgs_cell_spread: sums over the points. */
CGS_CELL_INLINE void cgs_cell_collect(const cgs_cell_lanes *d, cgs_cell_lanes *c)
{
    const cgs_cell_lanes low[2] = {d[0] + d[2], d[1] + d[3]};
    const cgs_cell_lanes high[2] = {d[2] - d[0], d[3] - d[1]};
    c[0] = low[0] + low[1];
    c[1] = low[1] - low[0];
    c[2] = high[0] + high[1];
    c[3] = high[1] - high[0];
}

/* x = K x of deformed cells. weight: kappa (h/2) / 64; wave: X at the left node; step: its increase
 * to the right node. */
CGS_CELL_INLINE void cgs_cell_deformed(const struct cgs_cell_line *line, cgs_cell_lanes weight,
                                       cgs_cell_lanes wave, cgs_cell_lanes step, cgs_cell_lanes *x)
{
    const cgs_cell_lanes zero = {0};
    cgs_cell_lanes d1[4], d2[4], d3[4], f1[4], f2[4], f3[4];
    cgs_cell_transform(false, x);
    const real sigma = line->sigma;
    const cgs_cell_lanes weights[3] = {weight, sigma * weight, sigma * sigma * weight};
    for (int w = 1; w < 8; w++)
        x[w] *= weights[(w & 1) + (w >> 1 & 1) + (w >> 2) - 1];
    /* d_1 at (s_2, s_3), d_2 at (s_1, s_3), d_3 at (s_1, s_2) */
    const cgs_cell_lanes h1[4] = {x[1], x[3], x[5], x[7]};
    const cgs_cell_lanes h2[4] = {x[2], x[3], x[6], x[7]};
    const cgs_cell_lanes h3[4] = {x[4], x[5], x[6], x[7]};
    cgs_cell_spread(h1, d1);
    cgs_cell_spread(h2, d2);
    cgs_cell_spread(h3, d3);
    const cgs_cell_lanes middle = wave + (real)0.5 * step, reach = (real)0.5 * sigma * step;
    const cgs_cell_lanes at[2] = {middle - reach, middle + reach};
    for (int q = 0; q < 8; q++) {
        const int i = q & 1, j = q >> 1 & 1, k = q >> 2;
        const int jk = j + 2 * k, ik = i + 2 * k, ij = i + 2 * j;
        const cgs_cell_lanes g1 = step * line->yz[jk], g2 = at[i] * line->dz[k],
                             g3 = at[i] * line->dy[j];
        const cgs_cell_lanes m = ((real)1 + g1) + g2 + g3;
        const cgs_cell_lanes t = CGS_CELL_QUOTIENT(d1[jk] + d2[ik] + d3[ij], m);
        const cgs_cell_lanes v1 = d1[jk] - g1 * t, v2 = d2[ik] - g2 * t, v3 = d3[ij] - g3 * t;
        const cgs_cell_lanes gv = g1 * v1 + g2 * v2 + g3 * v3;
        f1[jk] = i ? f1[jk] + (m * v1 - gv) : m * v1 - gv;
        f2[ik] = j ? f2[ik] + (m * v2 - gv) : m * v2 - gv;
        f3[ij] = k ? f3[ij] + (m * v3 - gv) : m * v3 - gv;
    }
    cgs_cell_lanes c1[4], c2[4], c3[4];
    cgs_cell_collect(f1, c1);
    cgs_cell_collect(f2, c2);
    cgs_cell_collect(f3, c3);
    x[0] = zero;
    x[1] = c1[0];
    x[2] = c2[0];
    x[3] = sigma * (c1[1] + c2[1]);
    x[4] = c3[0];
    x[5] = sigma * (c1[2] + c3[1]);
    x[6] = sigma * (c2[2] + c3[2]);
    x[7] = sigma * sigma * (c1[3] + c2[3] + c3[3]);
    cgs_cell_transform(true, x);
}
