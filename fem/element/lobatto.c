/* Points and weights by Newton's method on Legendre's polynomials, in long double, so that they are
 * right to the rounding of a double:
 *
 *     (k + 1) P_(k+1) = (2 k + 1) x P_k - k P_(k-1)
 *     (1 - x^2) P_k' = k (P_(k-1) - x P_k),     ((1 - x^2) P_k')' = -k (k + 1) P_k
 */
#include "fem/element/lobatto.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { STEPS = 10 }; /* of Newton's method, which needs 3 to 5 from these first guesses */

#define PI 3.141592653589793238462643383279502884L

/* Returns P_k(x), and P_(k-1)(x) in *before; k >= 1. */
static long double legendre(int k, long double x, long double *before)
{
    long double here = x;
    *before = 1.0L;
    for (int m = 1; m < k; m++) {
        const long double next = ((2 * m + 1) * x * here - m * *before) / (m + 1);
        *before = here;
        here = next;
    }
    return here;
}

/* Writes point a from below and its mirror image from above; the middle one is 0. */
static void place(int points, int a, long double x, long double w, double *point, double *weight)
{
    point[a] = -(double)x;
    point[points - 1 - a] = (double)x;
    weight[a] = weight[points - 1 - a] = (double)w;
}

void cgs_gauss(int points, double *point, double *weight)
{
    for (int a = 0; a < (points + 1) / 2; a++) {
        long double x = 2 * a + 1 == points ? 0.0L : cosl(PI * (a + 0.75L) / (points + 0.5L));
        long double before, slope = 0.0L;
        for (int step = 0; step < STEPS; step++) {
            const long double value = legendre(points, x, &before);
            slope = points * (before - x * value) / (1.0L - x * x);
            x -= value / slope;
        }
        place(points, a, x, 2.0L / ((1.0L - x * x) * slope * slope), point, weight);
    }
}

static void lobatto_points(int order, double *point, double *weight)
{
    for (int a = 0; a <= order / 2; a++) {
        long double x = a == 0 ? 1.0L : 2 * a == order ? 0.0L : cosl(PI * a / order), before;
        for (int step = 0; step < STEPS; step++) {
            const long double value = legendre(order, x, &before);
            x += (before - x * value) / ((order + 1) * value);
        }
        const long double value = legendre(order, x, &before);
        place(order + 1, a, x, 2.0L / (order * (order + 1) * value * value), point, weight);
    }
}

void cgs_lobatto_make(int order, struct cgs_lobatto *lobatto)
{
    assert(order >= 1 && order <= CGS_ORDER_MOST);
    struct cgs_lobatto made = {.order = order};
    double value[CGS_NODES_MOST];
    lobatto_points(order, made.point, made.weight);
    for (int a = 0; a <= order; a++) {
        made.product[a] = 1.0;
        for (int b = 0; b <= order; b++)
            if (b != a)
                made.product[a] *= made.point[a] - made.point[b];
    }
    for (int q = 0; q <= order / 2; q++) {
        double *own = made.slope + q * CGS_NODES_MOST, sum = 0.0;
        double *mirrored = made.slope + (order - q) * CGS_NODES_MOST;
        cgs_lagrange(&made, made.point[q], value, own);
        own[q] = 0.0;
        for (int a = 0; a <= order; a++)
            mirrored[order - a] = -own[a]; /* in a middle row, the upper half of it */
        /* The slopes of a constant add up to 0: pairs first, so that a middle row has a 0. */
        for (int a = 0; a <= order / 2; a++)
            sum += 2 * a == order ? own[a] : own[a] + own[order - a];
        own[q] = -sum;
        mirrored[order - q] = 2 * q == order ? -sum : sum;
    }
    *lobatto = made;
}

void cgs_basis_lobatto(int order, struct cgs_basis *basis)
{
    struct cgs_lobatto lobatto;
    cgs_lobatto_make(order, &lobatto);
    *basis = (struct cgs_basis){.order = order, .points = order + 1};
    for (int q = 0; q <= order; q++) {
        basis->point[q] = lobatto.point[q];
        basis->weight[q] = lobatto.weight[q];
        basis->value[q][q] = 1.0;
        memcpy(basis->slope[q], lobatto.slope + q * CGS_NODES_MOST, sizeof basis->slope[q]);
    }
}

void cgs_basis_gauss(int order, int points, struct cgs_basis *basis)
{
    struct cgs_lobatto lobatto;
    assert(points >= 1 && points <= CGS_BASIS_POINTS);
    cgs_lobatto_make(order, &lobatto);
    *basis = (struct cgs_basis){.order = order, .points = points};
    cgs_gauss(points, basis->point, basis->weight);
    for (int q = 0; q < points; q++)
        cgs_lagrange(&lobatto, basis->point[q], basis->value[q], basis->slope[q]);
}
