/* fem/box.h: the formulas by which a device assembles, over all rows against the row source. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "fem/assembly.h"
#include "fem/box.h"
#include "matrix/matrix.h"
#include "tests/support/rows.h"

static const int64_t SIZES[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {8, 8, 8},  {17, 17, 17},
                                   {5, 9, 3}, {9, 3, 5}, {1, 4, 2}, {33, 1, 2}, {2, 1, 6}};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES, SLOTS = CGS_SLOTS_OF_ROW };

/* The cubes are unit cubes, the boxes are stretched. */
static struct cgs_mesh mesh_of(int i, enum cgs_quadrature rule, double scale)
{
    static const double one[3] = {1.0, 1.0, 1.0}, size[3] = {1.0, 2.0, 0.5};
    return cgs_mesh_box(SIZES[i], i < 5 ? one : size, rule, scale);
}

static struct rows rows_of(const struct cgs_mesh *mesh)
{
    struct cgs_context context;
    struct cgs_row_source source;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_assembler_create(&context, mesh, cgs_gather_of(mesh), &source), CGS_OK);
    const struct rows rows = rows_gather(&source, 64);
    cgs_assembler_release(&context, &source);
    return rows;
}

static struct cgs_box_row row_of(const struct cgs_box *box, int64_t row)
{
    const int64_t *n = box->n;
    return cgs_box_row_at(box, row % n[0], row / n[0] % n[1], row / (n[0] * n[1]));
}

LOOP_TEST(rows_stand_where_they_should, SIZE_COUNT)
{
    const struct cgs_mesh mesh = mesh_of(_i, CGS_BLENDED, 3.0);
    const struct cgs_box box = cgs_box_of(&mesh);
    double class[8];
    cgs_box_classes(&mesh, class);
    struct rows rows = rows_of(&mesh);
    for (int64_t i = 0; i <= rows.count; i++) {
        const struct cgs_box_row r = row_of(&box, i);
        ck_assert_int_eq(cgs_box_pointer(&box, &r), rows.start[i]);
        if (i == rows.count)
            break;
        ck_assert_int_eq(cgs_box_row_length(&r), rows.length[i]);
        int found = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            const int d[3] = {slot % 3 - 1, slot / 3 % 3 - 1, slot / 9 - 1};
            if (!cgs_box_has(r.x, d[0]) || !cgs_box_has(r.y, d[1]) || !cgs_box_has(r.z, d[2]))
                continue;
            const int rank = cgs_box_rank(&r, d[0], d[1], d[2]);
            const int bits = abs(d[0]) + 2 * abs(d[1]) + 4 * abs(d[2]);
            ck_assert_int_eq(rank, found++);
            ck_assert_int_eq(rows.columns[rows.start[i] + rank],
                             i + cgs_box_offset(&box, &r, d[0], d[1], d[2]));
            ck_assert(rows.values[rows.start[i] + rank] ==
                      3.0 * ((8 >> __builtin_popcount((unsigned)bits)) * class[bits]));
        }
        ck_assert_int_eq(found, rows.length[i]);
    }
    rows_free(&rows);
}

/* All element matrices of a plane of cells, entry by entry: what a block has of a tile. */
static void fill_plane(const struct cgs_mesh *mesh, int64_t cz, double *tile)
{
    const int64_t line = mesh->n[0] + 1, lines = mesh->n[1] + 1;
    for (int64_t cy = 0; cy < lines; cy++)
        for (int64_t cx = 0; cx < line; cx++) {
            const struct cgs_cell_wave wave = cgs_mesh_cell_wave(mesh, cx, cy, cz);
            const double kappa = cgs_cell_kappa(mesh, cx, cy, cz, &wave);
            double corner[24], stiffness[CGS_PACKED];
            cgs_cell_corners(mesh, wave.x, wave.y, wave.z, corner);
            cgs_element_stiffness(corner, mesh->quadrature, kappa, stiffness);
            for (int i = 0; i < CGS_PACKED; i++)
                tile[(i * lines + cy) * line + cx] = stiffness[i];
        }
}

/* The nine slots (dx, dy, dz) of row i against `sum`. */
static void check_slots(const struct cgs_mesh *mesh, const struct rows *rows, int64_t i, int dz,
                        const double sum[9])
{
    const struct cgs_box box = cgs_box_of(mesh);
    const struct cgs_box_row r = row_of(&box, i);
    for (int slot = 0; slot < 9 && cgs_box_has(r.z, dz); slot++) {
        const int dx = slot % 3 - 1, dy = slot / 3 - 1;
        if (!cgs_box_has(r.x, dx) || !cgs_box_has(r.y, dy))
            continue;
        const double value = rows->values[rows->start[i] + cgs_box_rank(&r, dx, dy, dz)];
        ck_assert_double_eq_tol(mesh->scale * sum[slot], value,
                                1e-13 * rows->values[rows->start[i] + cgs_box_rank(&r, 0, 0, 0)]);
    }
}

/* The order of a CUDA block: lower cells first, the middle plane of nodes kept until the upper
 * ones. */
LOOP_TEST(gathered_plane_by_plane, SIZE_COUNT)
{
    for (int kind = 0; kind < 3; kind++) {
        struct cgs_mesh mesh = mesh_of(_i, CGS_GAUSS, 2.0);
        const int64_t *n = mesh.n, line = n[0] + 1;
        mesh.deform = !cgs_mesh_cubic(&mesh) ? 0.0 : kind == 0 ? 0.1 : kind == 1 ? -0.08 : 0.0;
        mesh.kappa.kind =
            (enum cgs_kappa_kind[]){CGS_KAPPA_ONE, CGS_KAPPA_JUMP, CGS_KAPPA_SMOOTH}[kind];
        mesh.kappa.ratio = 7.0;
        const int entry = (int)(line * (n[1] + 1));
        double *planes[2];
        for (int k = 0; k < 2; k++)
            planes[k] = malloc((size_t)(CGS_PACKED * entry) * sizeof(double));
        struct rows rows = rows_of(&mesh);
        for (int64_t iz = 0; iz < n[2]; iz++) {
            fill_plane(&mesh, iz, planes[0]);
            fill_plane(&mesh, iz + 1, planes[1]);
            for (int64_t iy = 0; iy < n[1]; iy++)
                for (int64_t ix = 0; ix < n[0]; ix++) {
                    double lower[9] = {0}, middle[9] = {0}, upper[9] = {0};
                    const int64_t at = iy * line + ix, row = (iz * n[1] + iy) * n[0] + ix;
                    cgs_box_gather(planes[0] + at, entry, (int)line, 0, lower, middle);
                    cgs_box_gather(planes[1] + at, entry, (int)line, 1, middle, upper);
                    check_slots(&mesh, &rows, row, -1, lower);
                    check_slots(&mesh, &rows, row, 0, middle);
                    check_slots(&mesh, &rows, row, 1, upper);
                }
        }
        rows_free(&rows);
        free(planes[0]);
        free(planes[1]);
    }
}

int main(void)
{
    return run_tests("box", 60, NULL, NULL);
}
