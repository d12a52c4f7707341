/* Table of the problems, and the functions of one variable in them.
 *
 * As functions of t = x / L, x y z for t below:
 *
 *     smooth   u = prod_k g_k(t_k),  g_k(t) = t (1 - t) exp(k t),  k = 1, 2, 3 for x, y, z
 *     sine     u = sin(pi x) sin(pi y) sin(pi z)
 *     course   u as in sine, b = A u, matrix divided by h_x h_y h_z: the course benchmark of document 004
 *     boundary u = exp(x) cos(2 y) + z^2: not zero on the boundary
 *     octants  u = prod_k sin(2 pi t_k), over kappa where that jumps between octants: then exact
 *     mass     u as in smooth; the equation is u = f
 *     random   u_i = cgs_random(i), b = A u
 */
#include "fem/problem.h"

#include <stddef.h>
#include <string.h>

#include "base/plain.h"
#include "fem/user_problem/user_problem.h"

static const struct cgs_problem problems[] = {
    {
        .name = "smooth",
        .description = "u = prod_k t_k (1 - t_k) exp(k t_k)",
        .terms = 1,
        .factor = {{CGS_FACTOR_BUMP_1, CGS_FACTOR_BUMP_2, CGS_FACTOR_BUMP_3}},
    },
    {
        .name = "sine",
        .description = "u = sin(pi x) sin(pi y) sin(pi z): on the plain cube an eigenvector, CG "
                       "needs one step",
        .terms = 1,
        .factor = {{CGS_FACTOR_SINE, CGS_FACTOR_SINE, CGS_FACTOR_SINE}},
    },
    {
        .name = "course",
        .description = "the course benchmark: u as in sine, b = A u, matrix divided by h^3",
        .terms = 1,
        .factor = {{CGS_FACTOR_SINE, CGS_FACTOR_SINE, CGS_FACTOR_SINE}},
        .product_rhs = true,
        .course = true,
    },
    {
        .name = "boundary",
        .description = "u = exp(x) cos(2 y) + z^2: boundary values that are not zero",
        .terms = 2,
        .factor = {{CGS_FACTOR_EXPONENTIAL, CGS_FACTOR_DOUBLE_COSINE, CGS_FACTOR_ONE},
                   {CGS_FACTOR_ONE, CGS_FACTOR_ONE, CGS_FACTOR_SQUARE}},
        .boundary_values = true,
    },
    {
        .name = "octants",
        .description =
            "u = sin(2 pi x) sin(2 pi y) sin(2 pi z), divided by kappa where that jumps; on "
            "the plain cube (odd N where kappa jumps) CG with jacobi needs one step",
        .terms = 1,
        .factor = {{CGS_FACTOR_DOUBLE_SINE, CGS_FACTOR_DOUBLE_SINE, CGS_FACTOR_DOUBLE_SINE}},
        .over_kappa = true,
    },
    {
        .name = "mass",
        .description = "u as in smooth, projected onto cells of order 2 and more: the mass matrix",
        .terms = 1,
        .factor = {{CGS_FACTOR_BUMP_1, CGS_FACTOR_BUMP_2, CGS_FACTOR_BUMP_3}},
        .mass = true,
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
    if (problem->user)
        return problem->user->exact ? CGS_KNOWN_EVERYWHERE : CGS_KNOWN_NOWHERE;
    if (problem->terms == 0)
        return CGS_KNOWN_AT_NODES;
    if (mesh->kappa.kind != CGS_KAPPA_JUMP)
        return CGS_KNOWN_EVERYWHERE;
    if (problem->over_kappa && mesh->deform == 0.0) /* even n: the jump is inside cells */
        return cgs_mesh_cuts(mesh) ? CGS_KNOWN_AT_NODES : CGS_KNOWN_EVERYWHERE;
    return problem->product_rhs ? CGS_KNOWN_AT_NODES : CGS_KNOWN_NOWHERE;
}

void cgs_problem_write(const struct cgs_problem *problem, const char *const t[3], char *text,
                       size_t size)
{
    static const char *const factors[] = {
        [CGS_FACTOR_LINEAR] = "t",
        [CGS_FACTOR_SQUARE] = "t^2",
        [CGS_FACTOR_EXPONENTIAL] = "exp(t)",
        [CGS_FACTOR_DOUBLE_COSINE] = "cos(2*t)",
        [CGS_FACTOR_SINE] = "sin(pi*t)",
        [CGS_FACTOR_DOUBLE_SINE] = "sin(2*pi*t)",
        [CGS_FACTOR_BUMP_1] = "t*(1-t)*exp(t)",
        [CGS_FACTOR_BUMP_2] = "t*(1-t)*exp(2*t)",
        [CGS_FACTOR_BUMP_3] = "t*(1-t)*exp(3*t)",
    };
    text[0] = '\0';
    for (int term = 0; term < problem->terms; term++) {
        const char *between = term > 0 ? "+" : "";
        for (int k = 0; k < 3; k++) {
            const char *factor = factors[problem->factor[term][k]], *rest;
            if (problem->factor[term][k] == CGS_FACTOR_ONE)
                continue;
            cgs_append(text, size, "%s", between);
            for (; (rest = strchr(factor, 't')); factor = rest + 1)
                cgs_append(text, size, "%.*s%s", (int)(rest - factor), factor, t[k]);
            cgs_append(text, size, "%s", factor);
            between = "*";
        }
    }
}

void cgs_problem_guess(const struct cgs_problem *problem, int64_t first, int64_t last, double *x)
{
    static const double course[] = {1.0, 0.8};
    for (int64_t row = first; row < last; row++)
        x[row - first] = problem->course && row < 2 ? course[row] : 0.0;
}
