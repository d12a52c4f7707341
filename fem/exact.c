/* Exact solution and source term, point by point.
 *
 *     f = -div(kappa grad u) = -(kappa Laplace u + grad kappa . grad u),
 *     kappa = 1 + x + 2 y z,   grad kappa = (1, 2 z, 2 y).
 */
#include "fem/exact.h"

struct cgs_exact cgs_exact_at(const struct cgs_problem *problem, const double point[3])
{
    struct cgs_exact sum = {0};
    for (int t = 0; t < problem->terms; t++) {
        double x[3], y[3], z[3];
        problem->factor[t][0](point[0], x);
        problem->factor[t][1](point[1], y);
        problem->factor[t][2](point[2], z);
        const double yz = y[0] * z[0];
        sum.u += x[0] * yz;
        sum.gradient[0] += x[1] * yz;
        sum.gradient[1] += x[0] * (y[1] * z[0]);
        sum.gradient[2] += x[0] * (y[0] * z[1]);
        sum.laplace += x[2] * yz + x[0] * (y[2] * z[0] + y[0] * z[2]);
    }
    return sum;
}

/* kappa next to node i of a direction: that of the cell before it, or of the first one. */
static int64_t cell_before(int64_t i)
{
    return i > 0 ? i - 1 : 0;
}

void cgs_exact_line(const struct cgs_problem *problem, const struct cgs_cells *cells, int64_t iy,
                    int64_t iz, double *out)
{
    const struct cgs_mesh *mesh = cells->mesh;
    for (int64_t i = 0; i <= mesh->n + 1; i++) {
        double point[3];
        cgs_cells_node(cells, i, iy, iz, point);
        out[i] = cgs_exact_at(problem, point).u;
        if (problem->over_kappa &&
            mesh->kappa.kind ==
                CGS_KAPPA_JUMP) /* between two octants u is zero, so that either will do */
            out[i] /= cgs_cell_kappa(mesh, cell_before(i), cell_before(iy), cell_before(iz), NULL);
    }
}

void cgs_source_line(const struct cgs_problem *problem, const struct cgs_cells *cells, int64_t iy,
                     int64_t iz, double *out)
{
    const struct cgs_mesh *mesh = cells->mesh;
    for (int64_t i = 0; i <= mesh->n + 1; i++) {
        double p[3];
        cgs_cells_node(cells, i, iy, iz, p);
        const struct cgs_exact e = cgs_exact_at(problem, p);
        out[i] = -e.laplace;
        if (mesh->kappa.kind == CGS_KAPPA_SMOOTH)
            out[i] = -((1.0 + p[0] + 2.0 * p[1] * p[2]) * e.laplace + e.gradient[0] +
                       2.0 * (p[2] * e.gradient[1] + p[1] * e.gradient[2]));
    }
}
