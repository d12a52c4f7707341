/* A function on a cell from its values at the 5 x 5 x 5 Gauss-Lobatto points: its polynomial of
 * degree 4 in each direction, and the derivatives of that, at tensor products of points.
 *
 *     p(s) = sum_j u_j l_j(s),   s_j = -1, -sqrt(3/7), 0, sqrt(3/7), 1,   l_j Lagrange's polynomials.
 *
 * In one direction |u - p| <= M_5/5! (h/2)^5 max |w|, w(s) = (s^2 - 1) s (s^2 - 3/7), max |w| <
 * 0.095: less than 2.5e-5 h^5 M_5; at the end points, where it is largest, |u' - p'| <= M_5/5!
 * (h/2)^4 |w'(1)|, w'(1) = 8/7: 6e-4 h^4 M_5. Internal to fem/user_problem.
 */
#pragma once

#include <stdint.h>

enum { CGS_SAMPLES = 5, CGS_BASIS_POINTS = 4 };

/* Up to 4 points of a direction: l_j and its derivative there, and weights of Gauss's rule on
 * [-1, 1]. */
struct cgs_user_basis {
    int points;
    double s[CGS_BASIS_POINTS], weight[CGS_BASIS_POINTS];
    double value[CGS_BASIS_POINTS][CGS_SAMPLES], slope[CGS_BASIS_POINTS][CGS_SAMPLES];
};

/* Returns that of Gauss's rule of 3 or 4 points, and of the single point s, with weight 1. */
struct cgs_user_basis cgs_user_basis_gauss(int points);
struct cgs_user_basis cgs_user_basis_point(double s);

/* Computes value and gradient in s at all points (x fastest). samples: the first one of the
 * cell; they are stride[k] apart in direction k. */
void cgs_user_interpolate(const struct cgs_user_basis *const basis[3], const double *samples,
                          const int64_t stride[3], double *value, double *const gradient[3]);
