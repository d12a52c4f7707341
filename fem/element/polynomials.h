/* The exact solution inside eight cells at a time: each one-variable factor as a polynomial over
 * the cell's extent in that direction.
 *
 *     g(t) = sum_m c_m T_m(s),   s = (t - centre) / radius,   m = 0 ... 7,
 *     c_m = (2 - [m = 0]) / 8 sum_j g(t_j) cos(m theta_j),   theta_j = (2 j + 1) pi / 16,
 *
 * interpolated at the Chebyshev points t_j = centre + radius cos theta_j, with an error of about 2
 * (radius / 2)^8 max |g^(8)| / 8!, which is 1e-15 for the factors here in cells of h <= L/25. So 24
 * evaluations a cell and term serve its 64 quadrature points; the rest are products, eight at a
 * time. Source: L. N. Trefethen, Approximation Theory and Approximation Practice, chapters 3, 4, 8
 * (SIAM 2013). Internal to fem/.
 */
#pragma once

#include "fem/element/lanes.h"
#include "fem/problem.h"

/* Points of a factor, and the unknowns in each direction from which on they suffice. */
enum { CGS_CHEBYSHEV = 8, CGS_POLYNOMIALS_FROM = 24 };

struct cgs_polynomials {
    int terms;
    cgs_lanes centre[3], scale[3]; /* s = (x - centre) scale */
    cgs_lanes value[CGS_TERMS][3][CGS_CHEBYSHEV];
    cgs_lanes slope[CGS_TERMS][3][CGS_CHEBYSHEV]; /* of g', in x */
};

/* cosine[m][j] = cos(m theta_j): the same for all cells. */
void cgs_polynomials_cosines(double cosine[CGS_CHEBYSHEV][CGS_CHEBYSHEV]);

/* corner: of the eight cells, relative to `origin` (cgs_cells_corners), both x, not t; cosine:
 * as above; over: 1/L. */
void cgs_polynomials_fit(const struct cgs_problem *problem, const double over[3],
                         const double cosine[CGS_CHEBYSHEV][CGS_CHEBYSHEV],
                         const cgs_lanes corner[24], double origin[3][CGS_CELL_LANES],
                         struct cgs_polynomials *polynomials);

/* sum_m c_m T_m(s), by Clenshaw's recurrence. */
CGS_PIECE cgs_lanes cgs_chebyshev_sum(const cgs_lanes *c, cgs_lanes s)
{
    const cgs_lanes twice = s + s;
    cgs_lanes above = c[CGS_CHEBYSHEV - 1], here = c[CGS_CHEBYSHEV - 2] + twice * above;
    for (int m = CGS_CHEBYSHEV - 3; m > 0; m--) {
        const cgs_lanes next = c[m] + (twice * here - above);
        above = here;
        here = next;
    }
    return c[0] + (s * here - above);
}

/* u (the sum of the terms) and its gradient at one point x of each cell. */
CGS_PIECE cgs_lanes cgs_polynomials_at(const struct cgs_polynomials *polynomials,
                                       const cgs_lanes point[3], cgs_lanes gradient[3])
{
    cgs_lanes u = {0.0}, s[3];
    for (int k = 0; k < 3; k++) {
        s[k] = (point[k] - polynomials->centre[k]) * polynomials->scale[k];
        gradient[k] = u;
    }
    for (int term = 0; term < polynomials->terms; term++) {
        cgs_lanes g[3], d[3];
        for (int k = 0; k < 3; k++) {
            g[k] = cgs_chebyshev_sum(polynomials->value[term][k], s[k]);
            d[k] = cgs_chebyshev_sum(polynomials->slope[term][k], s[k]);
        }
        const cgs_lanes yz = g[1] * g[2];
        u += g[0] * yz;
        gradient[0] += d[0] * yz;
        gradient[1] += g[0] * (d[1] * g[2]);
        gradient[2] += g[0] * (g[1] * d[2]);
    }
    return u;
}
