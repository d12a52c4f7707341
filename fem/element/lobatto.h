/* The element of order p in one direction, p = 1 ... 8: nodes at the p + 1 Gauss-Lobatto points of
 * [-1, 1], which are the ends and the zeros of P_p', and the Lagrange polynomials of these nodes.
 *
 *     rule                points   exact up to degree   weights
 *     Gauss-Lobatto, p    p + 1    2 p - 1              2 / (p (p + 1) P_p(x)^2)
 *     Gauss, q points     q        2 q - 1              2 / ((1 - x^2) P_q'(x)^2)
 *
 * P_p: Legendre's polynomials. Points ascend and, like the weights and slopes, are symmetric to the
 * bit: x_a = -x_(p - a), slope(q, a) = -slope(p - q, p - a), so that kernels may work on even and
 * odd halves. Source: C. Canuto, M. Y. Hussaini, A. Quarteroni, T. A. Zang, Spectral Methods:
 * Fundamentals in Single Domains, sections 2.2.3 and 2.3 (Springer 2006). Kernels may include this
 * header.
 */
#pragma once

#include "base/linkage.h"

CGS_BEGIN_C

enum {
    CGS_ORDER_MOST = 8,   /* p, at most */
    CGS_NODES_MOST = 9,   /* nodes of a cell in a direction, p + 1 */
    CGS_POINTS_MOST = 10, /* points of an operator's rule, p + 2 */
    CGS_BASIS_POINTS = 11 /* points of any rule here: error norms have p + 3 */
};

struct cgs_lobatto {
    int order; /* p */
    double point[CGS_NODES_MOST], weight[CGS_NODES_MOST];
    /* slope[q * CGS_NODES_MOST + a]: derivative of Lagrange polynomial a at point q */
    double slope[CGS_NODES_MOST * CGS_NODES_MOST];
    double product[CGS_NODES_MOST]; /* of x_a - x_b over all b != a */
};

/* Computes points and weights to rounding, and the slopes from them; 1 <= order <= CGS_ORDER_MOST.
 */
void cgs_lobatto_make(int order, struct cgs_lobatto *lobatto);

/* Computes points and weights of the Gauss rule, `points` numbers each; 1 <= points. */
void cgs_gauss(int points, double *point, double *weight);

/* Computes the p + 1 Lagrange polynomials at s, and their derivatives in s. Products without a
 * division by s - x_a, so that s may be at a node or beside it; at a node the values are 0 and 1,
 * exactly. */
CGS_INLINE void cgs_lagrange(const struct cgs_lobatto *lobatto, double s, double *value,
                             double *slope)
{
    for (int a = 0; a <= lobatto->order; a++) {
        double product = 1.0, derivative = 0.0;
        for (int b = 0; b <= lobatto->order; b++)
            if (b != a) {
                const double distance = s - lobatto->point[b];
                derivative = derivative * distance + product;
                product *= distance;
            }
        value[a] = product / lobatto->product[a];
        slope[a] = derivative / lobatto->product[a];
    }
}

/* The Lagrange polynomials of order p and their derivatives at the points of a rule: [q][a]. */
struct cgs_basis {
    int order, points;
    double point[CGS_BASIS_POINTS], weight[CGS_BASIS_POINTS];
    double value[CGS_BASIS_POINTS][CGS_NODES_MOST], slope[CGS_BASIS_POINTS][CGS_NODES_MOST];
};

/* The rule whose points are the nodes: values are 0 and 1. */
void cgs_basis_lobatto(int order, struct cgs_basis *basis);

/* The Gauss rule; points <= CGS_BASIS_POINTS. */
void cgs_basis_gauss(int order, int points, struct cgs_basis *basis);

CGS_END_C
