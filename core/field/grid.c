#include "core/field/grid.h"

#include "base/plan.h"
#include "fem/element/lobatto.h"
#include "fem/mesh.h"

int64_t cgs_grid_bytes(const struct cgs_mesh *mesh)
{
    const struct cgs_mesh cells = cgs_mesh_of_order(mesh, 1);
    const int64_t points = cgs_bytes(cgs_grid_plane_nodes(mesh), 3 * sizeof(double));
    const int64_t hexahedra = cgs_bytes(cgs_grid_layer_cells(&cells),
                                        cgs_grid_hexahedron(mesh) * (int64_t)sizeof(int64_t));
    return points > hexahedra ? points : hexahedra;
}

void cgs_grid_points(const struct cgs_mesh *mesh, int threads, int64_t iz, double *points)
{
    const struct cgs_mesh cells = cgs_mesh_of_order(mesh, 1);
    const int64_t line = cgs_grid_line_nodes(mesh, 0), nodes = cgs_grid_plane_nodes(mesh);
    const int p = mesh->order;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < nodes; i++) {
        const int64_t at[3] = {i % line, i / line, iz};
        int64_t cell[3];
        double s[3];
        for (int k = 0; k < 3; k++) {
            cell[k] = cgs_grid_first(mesh, k) + at[k] / p;
            s[k] = 2.0 * (double)(at[k] % p) / p - 1.0;
        }
        cgs_mesh_place(&cells, cell, s, points + 3 * i);
    }
}

/* Lists the points of a hexahedron of order p in VTK's order, as offsets in x, y, z: piece after
 * piece, each of the corners, edges, faces and the inside with a digit for each direction, 0 at the
 * lower end, 2 at the upper one, 1 between the two. Since version 2.1 of its files VTK has the last
 * two edges in the other order. It turns them in a file of version 1.0, which older releases and
 * meshio read, too. */
static void list_points(int p, int64_t (*offset)[3])
{
    static const char pieces[][4] = {
        "000", "200", "220", "020", "002", "202", "222", "022",               /* corners */
        "100", "210", "120", "010", "102", "212", "122", "012",               /* edges */
        "001", "201", "021", "221", "011", "211", "101", "121", "110", "112", /* faces */
        "111"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        int64_t low[3], high[3];
        for (int k = 0; k < 3; k++) {
            low[k] = pieces[i][k] == '0' ? 0 : pieces[i][k] == '1' ? 1 : p;
            high[k] = pieces[i][k] == '1' ? p - 1 : low[k];
        }
        for (int64_t z = low[2]; z <= high[2]; z++)
            for (int64_t y = low[1]; y <= high[1]; y++)
                for (int64_t x = low[0]; x <= high[0]; x++, offset++) {
                    (*offset)[0] = x;
                    (*offset)[1] = y;
                    (*offset)[2] = z;
                }
    }
}

void cgs_grid_hexahedra(const struct cgs_mesh *mesh, int threads, int64_t cz, int64_t *points)
{
    const struct cgs_mesh all = cgs_mesh_of_order(mesh, 1);
    const int64_t side = cgs_mesh_cells(&all, 0), cells = cgs_grid_layer_cells(&all);
    const int64_t line = cgs_grid_line_nodes(mesh, 0), lines = cgs_grid_line_nodes(mesh, 1);
    const int64_t count = cgs_grid_hexahedron(mesh);
    const int p = mesh->order;
    int64_t offset[CGS_NODES_MOST * CGS_NODES_MOST * CGS_NODES_MOST][3];
    list_points(p, offset);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t cell = 0; cell < cells; cell++)
        for (int64_t i = 0; i < count; i++)
            points[count * cell + i] =
                ((p * cz + offset[i][2]) * lines + p * (cell / side) + offset[i][1]) * line +
                p * (cell % side) + offset[i][0];
}

void cgs_grid_bounds(const struct cgs_mesh *mesh, int64_t cz, int64_t *bounds)
{
    const struct cgs_mesh all = cgs_mesh_of_order(mesh, 1);
    const int64_t cells = cgs_grid_layer_cells(&all);
    for (int64_t cell = 0; cell <= cells; cell++)
        bounds[cell] = cgs_grid_hexahedron(mesh) * (cz * cells + cell);
}
