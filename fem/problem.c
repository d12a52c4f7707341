/* The table of problems and the functions of one variable that they are made of.
 *
 *     smooth   u = prod_k g_k(t_k),  g_k(t) = t (1 - t) exp(k t),  k = 1, 2, 3 for x, y, z
 *     sine     u = sin(pi x) sin(pi y) sin(pi z)
 *     course   u as in sine, b = A u, matrix divided by h^3: the course benchmark of document 004
 *     boundary u = exp(x) cos(2 y) + z^2: not zero on the boundary
 *     octants  u = prod_k sin(2 pi t_k), over kappa where that jumps between octants: then exact
 *     random   u_i = cgs_random(i), b = A u
 */
#include "fem/problem.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* t (1 - t) exp(k t) and its derivatives. */
static void bump(double k, double t, double out[3])
{
    const double q = t * (1.0 - t), e = exp(k * t);
    out[0] = q * e;
    out[1] = (1.0 - 2.0 * t + k * q) * e;
    out[2] = (-2.0 + 2.0 * k * (1.0 - 2.0 * t) + k * k * q) * e;
}

static void smooth_x(double t, double out[3])
{
    bump(1.0, t, out);
}

static void smooth_y(double t, double out[3])
{
    bump(2.0, t, out);
}

static void smooth_z(double t, double out[3])
{
    bump(3.0, t, out);
}

static void sine(double t, double out[3])
{
    const double pi = 3.14159265358979323846;
    /* From the nearer end, so that t = 1 gives exactly 0, and mirrored nodes the same bits. */
    out[0] = sin(pi * (t > 0.5 ? 1.0 - t : t));
    out[1] = pi * cos(pi * t);
    out[2] = -pi * pi * out[0];
}

/* sin(2 pi t): zero exactly at 0, 1/2 and 1. */
static void double_sine(double t, double out[3])
{
    const double tau = 6.28318530717958647693;
    out[0] = t < 0.25 ? sin(tau * t) : t > 0.75 ? -sin(tau * (1.0 - t)) : sin(tau * (0.5 - t));
    out[1] = tau * cos(tau * t);
    out[2] = -tau * tau * out[0];
}

static void exponential(double t, double out[3])
{
    out[0] = out[1] = out[2] = exp(t);
}

static void double_cosine(double t, double out[3])
{
    out[0] = cos(2.0 * t);
    out[1] = -2.0 * sin(2.0 * t);
    out[2] = -4.0 * out[0];
}

static void square(double t, double out[3])
{
    out[0] = t * t;
    out[1] = 2.0 * t;
    out[2] = 2.0;
}

static void one(double t, double out[3])
{
    (void)t;
    out[0] = 1.0;
    out[1] = out[2] = 0.0;
}

static const struct cgs_problem problems[] = {
    {
        .name = "smooth",
        .description = "u = prod_k t_k (1 - t_k) exp(k t_k)",
        .terms = 1,
        .factor = {{smooth_x, smooth_y, smooth_z}},
    },
    {
        .name = "sine",
        .description = "u = sin(pi x) sin(pi y) sin(pi z): on the plain cube an eigenvector, CG "
                       "needs one step",
        .terms = 1,
        .factor = {{sine, sine, sine}},
    },
    {
        .name = "course",
        .description = "the course benchmark: u as in sine, b = A u, matrix divided by h^3",
        .terms = 1,
        .factor = {{sine, sine, sine}},
        .product_rhs = true,
        .course = true,
    },
    {
        .name = "boundary",
        .description = "u = exp(x) cos(2 y) + z^2: boundary values that are not zero",
        .terms = 2,
        .factor = {{exponential, double_cosine, one}, {one, one, square}},
        .boundary_values = true,
    },
    {
        .name = "octants",
        .description = "u = sin(2 pi x) sin(2 pi y) sin(2 pi z), divided by kappa where that jumps",
        .terms = 1,
        .factor = {{double_sine, double_sine, double_sine}},
        .over_kappa = true,
    },
    {
        .name = "random",
        .description = "u_i uniform in [-1, 1), b = A u: for timing, all frequencies present",
        .product_rhs = true,
    },
};

const struct cgs_problem *cgs_problems(int *count)
{
    *count = (int)(sizeof problems / sizeof *problems);
    return problems;
}

const struct cgs_problem *cgs_problem_find(const char *name)
{
    int count;
    const struct cgs_problem *all = cgs_problems(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

enum cgs_known cgs_problem_known(const struct cgs_problem *problem, const struct cgs_mesh *mesh)
{
    if (problem->terms == 0)
        return CGS_KNOWN_AT_NODES;
    if (mesh->kappa.kind != CGS_KAPPA_JUMP)
        return CGS_KNOWN_EVERYWHERE;
    if (problem->over_kappa && mesh->deform == 0.0) /* an even n: the jump cuts cells */
        return mesh->n % 2 == 1 ? CGS_KNOWN_EVERYWHERE : CGS_KNOWN_AT_NODES;
    return problem->product_rhs ? CGS_KNOWN_AT_NODES : CGS_KNOWN_NOWHERE;
}

void cgs_problem_guess(const struct cgs_problem *problem, int64_t first, int64_t last, double *x)
{
    static const double course[] = {1.0, 0.8};
    for (int64_t row = first; row < last; row++)
        x[row - first] = problem->course && row < 2 ? course[row] : 0.0;
}
