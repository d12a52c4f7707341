/* Exact solution and source term, line by line. */
#include "fem/exact.h"

struct cgs_exact cgs_exact_at(const struct cgs_problem *problem, const double over[3],
                              const double point[3])
{
    return cgs_exact_of(problem->terms, problem->factor, over, point);
}

/* Cell whose kappa is used at node i of a direction: the one before it, or the first one. */
static int64_t cell_before(int64_t i)
{
    return i > 0 ? i - 1 : 0;
}

void cgs_exact_line(const struct cgs_problem *problem, const struct cgs_cells *cells, int64_t iy,
                    int64_t iz, double *out)
{
    const struct cgs_mesh *mesh = cells->mesh;
    for (int64_t i = 0; i <= mesh->n[0] + 1; i++) {
        double point[3];
        cgs_cells_node(cells, i, iy, iz, point);
        out[i] = cgs_exact_at(problem, cells->over, point).u;
        if (problem->over_kappa &&
            mesh->kappa.kind ==
                CGS_KAPPA_JUMP) /* between two octants u is zero, so either kappa will do */
            out[i] /= cgs_cell_kappa(mesh, cell_before(i), cell_before(iy), cell_before(iz), NULL);
    }
}

void cgs_source_line(const struct cgs_problem *problem, const struct cgs_cells *cells, int64_t iy,
                     int64_t iz, double *out)
{
    const struct cgs_mesh *mesh = cells->mesh;
    for (int64_t i = 0; i <= mesh->n[0] + 1; i++) {
        double p[3];
        cgs_cells_node(cells, i, iy, iz, p);
        const struct cgs_exact e = cgs_exact_at(problem, cells->over, p);
        out[i] = cgs_exact_source(&e, mesh->kappa.kind == CGS_KAPPA_SMOOTH, cells->over, p);
    }
}
