/* Modes of a cell of order p with Gauss-Lobatto nodes, and of a line of equal ones, by formulas.
 *
 * Reference cell [-1, 1], mass w_a of node a on the diagonal, stiffness K. Inner nodes and vertices
 * are split into even and odd parts, e_i = (u_i + u_(p - i)) / sqrt 2, o_i = (u_i - u_(p - i)) /
 * sqrt 2 (the middle node is even), and likewise s, d of u_0 and u_p (d = (u_p - u_0) / sqrt 2). K
 * and M do not couple even with odd ones. The inner parts have modes, K Q = M Q diag(mu), Q' M Q =
 * 1, and their coupling with the vertices is beta = Q' K_(inner, s or d). Since M is diagonal this
 * makes the inner nodes of K + tau M diagonal for any tau, with
 *
 *     even part: tau (w_0 + sum beta^2 / (mu (mu + tau))),   odd part: that + 1
 *
 * left for s and d: sums of positive numbers.
 *
 * For a wave of angle theta from vertex to vertex K V = l M V is an eigenproblem of p numbers, the
 * amplitudes of the vertices and of the inner modes. With C = sqrt 2 cos(theta / 2) and S = sqrt 2
 * sin(theta / 2) its eigenvalues are the roots of
 *
 *     0 = 2 w_0 - S^2 / l + sum_even C^2 beta^2 / (mu (mu - l))
 *                         + sum_odd  S^2 beta^2 / (mu (mu - l)),
 *
 * one between any two neighbouring poles and one beyond the last. K and M of a cell of length h are
 * 2 / h and h / 2 times those of the reference cell, so that lambda = (2 / h)^2 l.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

enum { CGS_INNER_MOST = 7 }; /* inner nodes of a cell in a direction, p - 1 */

/* Inner modes of the reference cell: `even` even ones, then the odd ones, p - 1 in all. */
struct cgs_cell_modes {
    int order, even;
    double weight; /* w_0 */
    double mu[CGS_INNER_MOST], beta[CGS_INNER_MOST];
    /* Q[i][m]: even part i + 1, or from `even` on odd part i + 1 - even, of mode m */
    double Q[CGS_INNER_MOST][CGS_INNER_MOST];
};

/* 2 <= order <= CGS_INNER_MOST + 1 */
void cgs_cell_modes_make(int order, struct cgs_cell_modes *cell);

/* Ends of a line of equal cells. */
enum cgs_order_ends {
    CGS_ORDER_VALUES, /* theta_q = pi q / cells, q = 0 ... cells */
    CGS_ORDER_FREE,   /* likewise */
    CGS_ORDER_MIXED   /* a value at the low end: pi (q + 1/2) / cells, q = 0 ... cells - 1 */
};

/* Returns how many angles theta_q there are. */
CGS_INLINE int64_t cgs_order_angles(enum cgs_order_ends ends, int64_t cells)
{
    return cells + (ends != CGS_ORDER_MIXED);
}

/* Returns the number of modes of the angles before angle q. Each has p, except for 0 and pi: those
 * of a line between values are (p - 1) / 2 and p / 2, of a free line 1 + p / 2 and 1 + (p - 1) / 2.
 */
CGS_INLINE int64_t cgs_order_modes_before(enum cgs_order_ends ends, int order, int64_t cells,
                                          int64_t q)
{
    const int64_t of_0 = ends == CGS_ORDER_VALUES ? (order - 1) / 2 : 1 + order / 2;
    if (ends == CGS_ORDER_MIXED || q == 0)
        return order * q;
    if (q > cells)
        return order * cells + (ends == CGS_ORDER_VALUES ? -1 : 1);
    return of_0 + order * (q - 1);
}

/* Finds the modes of a line: l of each, and the amplitudes of their waves, block[q][s][r] of mode r
 * of angle q, order^2 numbers an angle, 0 where there are fewer modes. S' M S = 1 with the M of
 * reference cells. Node a of cell k (vertices k and k + 1) of mode (q, r) is, with B_s =
 * block[q][s][r], parity = -1 and c(x) = -sin x if the low end has a value, else parity = 1 and
 * c(x) = cos x,
 *
 *     a = 0               B_0 c(k theta)
 *     0 < a < p / 2       B_(2a - 1) cos(k theta) - B_(2a) sin(k theta)
 *     a = p / 2           B_(p - 1) c((k + 1/2) theta)
 *     p / 2 < a < p       parity (B_(2b - 1) cos((k + 1) theta) + B_(2b) sin((k + 1) theta)),
 *                         b = p - a
 */
void cgs_order_line_modes(const struct cgs_cell_modes *cell, enum cgs_order_ends ends,
                          int64_t cells, double *l, double *block);

CGS_END_C
