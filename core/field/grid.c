#include "core/field/grid.h"

#include "base/plan.h"
#include "fem/grading.h"

int64_t cgs_grid_bytes(const struct cgs_mesh *mesh)
{
    return cgs_bytes(cgs_grid_layer_cells(mesh), CGS_HEXAHEDRON_NODES * sizeof(int64_t));
}

void cgs_grid_points(const struct cgs_mesh *mesh, int threads, int64_t iz, double *points)
{
    const int64_t nodes[2] = {cgs_grid_line_nodes(mesh, 0), cgs_grid_line_nodes(mesh, 1)};
    const int64_t first[3] = {cgs_grid_first(mesh, 0), cgs_grid_first(mesh, 1),
                              cgs_grid_first(mesh, 2)};
    double step, of_z;
    cgs_mesh_wave(mesh, 2, first[2] + iz, &of_z, &step);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t iy = 0; iy < nodes[1]; iy++)
        for (int64_t ix = 0; ix < nodes[0]; ix++) {
            const int64_t at[3] = {first[0] + ix, first[1] + iy, first[2] + iz};
            double *point = points + 3 * (iy * nodes[0] + ix), of_x, of_y, rest;
            cgs_mesh_wave(mesh, 0, at[0], &of_x, &rest);
            cgs_mesh_wave(mesh, 1, at[1], &of_y, &rest);
            const double move = mesh->deform * of_x * of_y * of_z;
            for (int k = 0; k < 3; k++)
                point[k] = mesh->grading
                               ? cgs_grading_node(mesh, k, at[k])
                               : mesh->size[k] * (cgs_mesh_coordinate(mesh, k, at[k]) + move);
        }
}

void cgs_grid_cells(const struct cgs_mesh *mesh, int threads, int64_t iz, int64_t *nodes)
{
    static const int corner[CGS_HEXAHEDRON_NODES][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const int64_t side = cgs_mesh_cells(mesh, 0), line = side + 1,
                  lines = cgs_grid_line_nodes(mesh, 1);
    const int64_t cells = cgs_grid_layer_cells(mesh);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t cell = 0; cell < cells; cell++)
        for (int k = 0; k < CGS_HEXAHEDRON_NODES; k++)
            nodes[CGS_HEXAHEDRON_NODES * cell + k] =
                ((iz + corner[k][2]) * lines + cell / side + corner[k][1]) * line + cell % side +
                corner[k][0];
}

void cgs_grid_bounds(const struct cgs_mesh *mesh, int64_t iz, int64_t *bounds)
{
    const int64_t cells = cgs_grid_layer_cells(mesh);
    for (int64_t cell = 0; cell <= cells; cell++)
        bounds[cell] = CGS_HEXAHEDRON_NODES * (iz * cells + cell);
}
