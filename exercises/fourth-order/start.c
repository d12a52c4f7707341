/* cgsolve exercise: fourth-order */
/* Fourth order by quadrature.
 *
 * The finite elements here are trilinear. In a cube of side h with corners a = i + 2 j + 4 k at
 * (i, j, k) h, the eight shape functions on the reference cube -1 <= s, t, u <= 1 are
 *
 *     phi_a(s, t, u) = (1 +- s) (1 +- t) (1 +- u) / 8,     + where the bit i, j or k of a is 1.
 *
 * A cell contributes its stiffness to the matrix and its mass to the right-hand side:
 *
 *     K_ab = integral of grad phi_a . grad phi_b,     M_ab = integral of phi_a phi_b.
 *
 * "Quadrature" replaces an integral by a sum. With the eight points q = (+-p, +-p, +-p), each of
 * weight 1,
 *
 *     K_ab = sum over q of  (2/h)^2 g_a(q) . g_b(q) (h/2)^3,     M_ab = sum over q of phi_a(q) phi_b(q) (h/2)^3
 *
 * where g is the gradient with respect to s, t, u. The factor 2/h turns it into the gradient with
 * respect to x, y, z, and (h/2)^3 is the volume of the cell divided by that of the reference cube.
 * So K_ab = h/2 (sum of g_a . g_b).
 *
 * Gauss's points p = sqrt(1/3) integrate these K_ab and M_ab exactly. The solution then has an
 * error of order h^2 at the nodes: half the h gives a quarter of the error. But exact integrals are
 * not the goal; a small error of the solution is. In one dimension the rule gives, with
 * m = (1 - p^2)/4,
 *
 *     stiffness (-1, 2, -1)/h,     mass h (m, 1 - 2 m, m).
 *
 * Apply both to a wave sin(w x). At a node the stiffness multiplies it by (2 - 2 cos wh)/h, the
 * mass by h (1 - 2 m + 2 m cos wh). Divide the first by the second, expand in h up to h^2, and
 * compare with w^2, the value for the differential equation: for one p the term with h^2 vanishes.
 * Then the error at the nodes is of order h^4: half the h gives a sixteenth of it. The same p works
 * in three dimensions, since K is a sum of products of these (M. Ainsworth, H. A. Wajid, SIAM J.
 * Numer. Anal. 48 (2010) 346).
 *
 *     cos wh = 1 - (wh)^2/2 + (wh)^4/24 - ...
 *
 * The judge assembles your matrices for several h, uses M for the load as well (b = M f), and
 * computes the order from the errors.
 *
 *     cgsolve exercise check fourth-order.c
 *     cgsolve study --N=7,15,31 --quadrature=gauss,blended --tol=1e-12      the two orders, by cgsolve
 */
#include <math.h>

#include <cgsolve/exercise.h>

/* +1 or -1: the side on which corner a lies in direction d. */
static double side(int a, int d)
{
    return (a >> d & 1) ? 1.0 : -1.0;
}

/* Value of phi_a at s, and its gradient by s. */
static double shape(int a, const double s[3], double gradient[3])
{
    const double x = 1.0 + side(a, 0) * s[0], y = 1.0 + side(a, 1) * s[1],
                 z = 1.0 + side(a, 2) * s[2];
    gradient[0] = side(a, 0) * y * z / 8.0;
    gradient[1] = x * side(a, 1) * z / 8.0;
    gradient[2] = x * y * side(a, 2) / 8.0;
    return x * y * z / 8.0;
}

static void element(double h, double stiffness[8][8], double mass[8][8])
{
    /* TODO: the eight points, and the sum over them. These are the functions at the centre. */
    const double centre[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            double g[3], k[3];
            const double value = shape(a, centre, g) * shape(b, centre, k);
            mass[a][b] = value * h * h * h;
            stiffness[a][b] = (g[0] * k[0] + g[1] * k[1] + g[2] * k[2]) * 4.0 * h;
        }
}

CGSOLVE_ELEMENT(element)
