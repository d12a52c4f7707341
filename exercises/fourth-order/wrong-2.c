/* cgsolve exercise: fourth-order */
/* Expect: order */
/* The right points for the stiffness, and Gauss's for the mass, "as the load is no matter of
 * order". */
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
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            stiffness[a][b] = mass[a][b] = 0.0;
    for (int q = 0; q < 8; q++) { /* the point in the octant of corner q */
        const double p = sqrt(2.0 / 3.0), r = sqrt(1.0 / 3.0);
        const double s[3] = {p * side(q, 0), p * side(q, 1), p * side(q, 2)};
        const double t[3] = {r * side(q, 0), r * side(q, 1), r * side(q, 2)};
        double value[8], g[8][3], unused[3];
        for (int a = 0; a < 8; a++) {
            shape(a, s, g[a]);
            value[a] = shape(a, t, unused);
        }
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++) {
                const double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
                stiffness[a][b] += h / 2.0 * dot;
                mass[a][b] += h * h * h / 8.0 * value[a] * value[b];
            }
    }
}

CGSOLVE_ELEMENT(element)
