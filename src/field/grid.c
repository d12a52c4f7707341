#include "src/field/grid.h"

#include "base/plan.h"

int64_t cgs_grid_bytes(int64_t n)
{
    return cgs_bytes((n + 1) * (n + 1), CGS_HEXAHEDRON_NODES * sizeof(int64_t));
}

void cgs_grid_points(const struct cgs_mesh *mesh, int threads, int64_t iz, int64_t stride,
                     double *points)
{
    const int64_t nodes = mesh->n + 2;
    double step, of_z;
    cgs_mesh_wave(mesh, iz, &of_z, &step);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t iy = 0; iy < nodes; iy++)
        for (int64_t ix = 0; ix < nodes; ix++) {
            double *point = points + stride * (iy * nodes + ix), of_x, of_y, rest;
            cgs_mesh_wave(mesh, ix, &of_x, &rest);
            cgs_mesh_wave(mesh, iy, &of_y, &rest);
            const double move = mesh->deform * of_x * of_y * of_z;
            point[0] = cgs_mesh_coordinate(mesh, ix) + move;
            point[1] = cgs_mesh_coordinate(mesh, iy) + move;
            point[2] = cgs_mesh_coordinate(mesh, iz) + move;
        }
}

void cgs_grid_cells(int64_t n, int threads, int64_t iz, int64_t *nodes)
{
    static const int corner[CGS_HEXAHEDRON_NODES][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const int64_t side = n + 1, line = side + 1;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t cell = 0; cell < side * side; cell++)
        for (int k = 0; k < CGS_HEXAHEDRON_NODES; k++)
            nodes[CGS_HEXAHEDRON_NODES * cell + k] =
                ((iz + corner[k][2]) * line + cell / side + corner[k][1]) * line + cell % side +
                corner[k][0];
}

void cgs_grid_bounds(int64_t n, int64_t iz, int64_t *bounds)
{
    const int64_t cells = (n + 1) * (n + 1);
    for (int64_t cell = 0; cell <= cells; cell++)
        bounds[cell] = CGS_HEXAHEDRON_NODES * (iz * cells + cell);
}
