/* Row lengths and infinity norm of the matrix without generating rows, for operators without
 * entries and for plans.
 */
#include <math.h>

#include "fem/assembly.h"

enum { SAMPLE = 24 }; /* cells of a deformed mesh in each direction */

int64_t cgs_mesh_nonzeros(const struct cgs_mesh *mesh)
{
    const int64_t line = 3 * mesh->n - 2;
    return line * line * line;
}

/* Row lengths are products of 1-D ones, of which 2 are `side` (the only one, 1, if n = 1) and n - 2
 * are 3. */
struct cgs_row_statistics cgs_mesh_statistics(const struct cgs_mesh *mesh)
{
    const int64_t n = mesh->n, nonzeros = cgs_mesh_nonzeros(mesh);
    const int64_t counts[2] = {n < 2 ? n : 2, n < 2 ? 0 : n - 2};
    const int32_t side = n == 1 ? 1 : 2, most = n < 3 ? side : 3, lengths[2] = {side, 3};
    const double all = (double)(n * n * n), mean = (double)nonzeros / all;
    struct cgs_row_statistics found = {
        .shortest = side * side * side, .longest = most * most * most, .mean = mean};
    double squares = 0.0;
    for (int which = 0; which < 8; which++) {
        const int x = which & 1, y = which >> 1 & 1, z = which >> 2;
        const int64_t rows = counts[x] * counts[y] * counts[z];
        const int64_t length = lengths[x] * lengths[y] * lengths[z];
        squares += (double)rows * ((double)length - mean) * ((double)length - mean);
        for (int k = 0; k < CGS_ROUNDINGS; k++)
            found.rounded[k] += rows * ((length + (1 << k) - 1) >> k << k);
    }
    found.deviation = sqrt(squares / all);
    return found;
}

/* max_a sum_b |K_ab| of cell (cx, cy, cz). */
static double cell_norm(const struct cgs_mesh *mesh, int64_t cx, int64_t cy, int64_t cz)
{
    const struct cgs_cell_wave wave = cgs_mesh_cell_wave(mesh, cx, cy, cz);
    double corner[24], element[CGS_PACKED], norm = 0.0;
    cgs_mesh_corners(mesh, cx, cy, cz, corner);
    cgs_element_stiffness(corner, mesh->quadrature, cgs_cell_kappa(mesh, cx, cy, cz, &wave),
                          element);
    for (int a = 0; a < 8; a++) {
        double sum = 0.0;
        for (int b = 0; b < 8; b++)
            sum += fabs(element[cgs_packed(a, b)]);
        norm = fmax(norm, sum);
    }
    return norm;
}

/* Cell i of a sample of `count` among the cells 0 ... n, first and last included. */
static int64_t sample_cell(const struct cgs_mesh *mesh, int64_t i, int64_t count)
{
    return count > 1 ? i * mesh->n / (count - 1) : 0;
}

/* A coefficient is largest in the last cell of each direction, or jumps between octants: on the
 * undeformed cube the first and the last cells have its extremes. */
double cgs_mesh_norm(const struct cgs_mesh *mesh)
{
    const int64_t most = mesh->deform == 0.0 ? 2 : SAMPLE;
    const int64_t count = mesh->n + 1 < most ? mesh->n + 1 : most;
    double norm = 0.0;
    for (int64_t z = 0; z < count; z++)
        for (int64_t y = 0; y < count; y++)
            for (int64_t x = 0; x < count; x++)
                norm =
                    fmax(norm, cell_norm(mesh, sample_cell(mesh, x, count),
                                         sample_cell(mesh, y, count), sample_cell(mesh, z, count)));
    return 8.0 * mesh->scale * norm;
}
