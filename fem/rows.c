/* Row lengths and infinity norm of the matrix without generating rows, for operators without
 * entries and for plans.
 */
#include <math.h>
#include <stddef.h>

#include "fem/box.h"
#include "fem/rows.h"

enum { SAMPLE = 24 }; /* cells of a deformed mesh in each direction */

int64_t cgs_mesh_nonzeros(const struct cgs_mesh *mesh)
{
    const struct cgs_box box = cgs_box_of(mesh);
    int64_t nonzeros = 1;
    for (int k = 0; k < 3; k++)
        nonzeros *= cgs_box_before(&box, k, mesh->n[k]);
    return nonzeros;
}

int32_t cgs_mesh_diagonals(const struct cgs_mesh *mesh)
{
    int32_t diagonals = 1;
    for (int k = 0; k < 3; k++)
        diagonals *= cgs_periodic(mesh->open[k]) ? 5 : 3;
    return diagonals;
}

/* Row lengths are products of 1-D ones, of which in a direction of n unknowns 2 are 2 and n - 2
 * are 3; the only one is 1 if n = 1; all are 3 if it is periodic. */
struct cgs_row_statistics cgs_mesh_statistics(const struct cgs_mesh *mesh)
{
    const int64_t nonzeros = cgs_mesh_nonzeros(mesh);
    const double all = (double)cgs_mesh_rows(mesh), mean = (double)nonzeros / all;
    struct cgs_row_statistics found = {.shortest = 1, .longest = 1, .mean = mean};
    int64_t counts[3][2];
    int32_t lengths[3][2];
    double squares = 0.0;
    for (int k = 0; k < 3; k++) {
        const int64_t n = mesh->n[k], ends = cgs_periodic(mesh->open[k]) ? 0 : n < 2 ? n : 2;
        counts[k][0] = ends;
        counts[k][1] = n - ends;
        lengths[k][0] = n == 1 ? 1 : 2;
        lengths[k][1] = 3;
        found.shortest *= lengths[k][ends > 0 ? 0 : 1];
        found.longest *= lengths[k][n == ends ? 0 : 1];
    }
    for (int which = 0; which < 8; which++) {
        const int x = which & 1, y = which >> 1 & 1, z = which >> 2;
        const int64_t rows = counts[0][x] * counts[1][y] * counts[2][z];
        const int64_t length = lengths[0][x] * lengths[1][y] * lengths[2][z];
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

/* Cell i of a sample of `count` among the cells 0 ... n of a direction, first and last included. */
static int64_t sample_cell(int64_t n, int64_t i, int64_t count)
{
    return count > 1 ? i * n / (count - 1) : 0;
}

/* The largest number of a cell of each class, times the largest row sum of its matrix for 1; of
 * orthotropic kappa a bound, the sum of those of three directions, and of the reaction's. */
static double norm_of_numbers(const struct cgs_mesh *mesh)
{
    const int numbers = mesh->kappa.orthotropic ? cgs_mesh_numbers(mesh) : 0;
    double largest[4] = {0.0}, along[CGS_MOST_NUMBERS] = {0.0}, value[8], norm = 0.0, inner = 0.0;
    for (int64_t cz = 0; cz <= mesh->n[2]; cz++)
        for (int64_t cy = 0; cy <= mesh->n[1]; cy++)
            for (int64_t cx = 0; cx <= mesh->n[0]; cx++) {
                double *most = &largest[cgs_cell_class(mesh, cx, cy, cz)];
                *most = fmax(*most, cgs_cell_kappa(mesh, cx, cy, cz, NULL));
                for (int k = 0; k < numbers; k++)
                    along[k] = fmax(along[k], cgs_cell_kappa_along(mesh, k, cx, cy, cz, NULL));
            }
    for (int i = 0; i < 8 * numbers; i++)
        inner += along[i / 8] * fabs(cgs_box_part(mesh, i / 8, i % 8));
    for (int class = 0; class < 4; class ++) {
        double sum = 0.0;
        if (class == 0)
            cgs_box_classes(mesh, value);
        else
            cgs_box_face_classes(mesh, class - 1, value);
        for (int b = 0; b < 8; b++)
            sum += fabs(value[b]);
        norm = fmax(norm, class == 0 && mesh->kappa.orthotropic ? inner : largest[class] * sum);
    }
    return norm;
}

/* A coefficient is largest in the last cell of each direction, or jumps between octants: on the
 * undeformed box the first and the last cells have its extremes. */
double cgs_mesh_norm(const struct cgs_mesh *mesh)
{
    const int64_t most = mesh->deform == 0.0 ? 2 : SAMPLE;
    const int64_t *n = mesh->n;
    int64_t count[3];
    double norm = 0.0;
    if (mesh->kappa.kind == CGS_KAPPA_CELLS)
        return 8.0 * mesh->scale * norm_of_numbers(mesh);
    for (int k = 0; k < 3; k++)
        count[k] = n[k] + 1 < most ? n[k] + 1 : most;
    for (int64_t z = 0; z < count[2]; z++)
        for (int64_t y = 0; y < count[1]; y++)
            for (int64_t x = 0; x < count[0]; x++)
                norm = fmax(norm, cell_norm(mesh, sample_cell(n[0], x, count[0]),
                                            sample_cell(n[1], y, count[1]),
                                            sample_cell(n[2], z, count[2])));
    return 8.0 * mesh->scale * norm;
}

bool cgs_mesh_unheld(const struct cgs_mesh *mesh)
{
    for (int k = 0; k < 3; k++)
        if (mesh->open[k] != 3 && !cgs_periodic(mesh->open[k]))
            return false;
    return true;
}

bool cgs_mesh_singular(const struct cgs_mesh *mesh)
{
    const int64_t line = mesh->n[0] + 1, lines = mesh->n[1] + 1,
                  all = line * lines * (mesh->n[2] + 1);
    if (!cgs_mesh_unheld(mesh))
        return false;
    for (int f = 0; f < 6 && mesh->order > 1; f++)
        if (mesh->transfer[f >> 1][f & 1] > 0.0)
            return false;
    for (int64_t i = 0; mesh->kappa.varying && i < cgs_order_varying_numbers(mesh); i++)
        if (mesh->kappa.cells[cgs_order_kappa_alone(mesh) + i] > 0.0)
            return false;
    if (mesh->order > 1)
        return !(mesh->reaction > 0.0);
    for (int64_t i = 0; i < all; i++) {
        if (mesh->kappa.reaction && mesh->kappa.cells[CGS_REACTION * all + i] > 0.0)
            return false;
        if (cgs_cell_class(mesh, i % line, i / line % lines, i / (line * lines)) > 0 &&
            mesh->kappa.cells[i] > 0.0)
            return false;
    }
    return true;
}
