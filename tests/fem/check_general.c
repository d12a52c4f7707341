/* General meshes, boxes among them: positions, coefficients, cells that a deformation turns
 * inside out. Rows and loads are in check_general_rows.c, errors in check_general_errors.c,
 * orders in check_general_orders.c. */
#include <stdio.h>
#include <string.h>

#include "fem/diagonal.h"
#include "tests/fem/general.h"
#include "tests/fem/textbook.h"

LOOP_TEST(cells_are_where_they_are_said_to_be, MESHES + BOXES)
{
    const struct cgs_mesh mesh = _i < MESHES
                                     ? mesh_number(_i, 6, CGS_GAUSS)
                                     : box_number(_i % BOXES, CGS_GAUSS, CGS_KAPPA_SMOOTH, 1.0);
    for (int64_t c = 0; c < cells_of(&mesh); c++) {
        int64_t cell[3];
        double corner[24], origin[3];
        cell_at(&mesh, c, cell);
        cgs_mesh_corners(&mesh, cell[0], cell[1], cell[2], corner);
        position(&mesh, cell, origin);
        for (int a = 0; a < 8; a++) {
            const int64_t i[3] = {cell[0] + (a & 1), cell[1] + (a >> 1 & 1), cell[2] + (a >> 2)};
            double point[3];
            position(&mesh, i, point);
            for (int k = 0; k < 3; k++)
                ck_assert_double_eq_tol(corner[3 * a + k], point[k] - origin[k],
                                        4 * EPS * fmax(1.0, mesh.size[k]));
        }
        const struct cgs_cell_wave wave = cgs_mesh_cell_wave(&mesh, cell[0], cell[1], cell[2]);
        const double kappa = coefficient(&mesh, cell);
        ck_assert_double_eq_tol(cgs_cell_kappa(&mesh, cell[0], cell[1], cell[2], &wave), kappa,
                                8 * EPS * kappa);
    }
}

/* A kappa that jumps takes one of two values in each cell, to the bit. */
LOOP_TEST(a_jump_has_two_values, 2)
{
    for (int64_t n = 1; n <= 12; n++) {
        const struct cgs_mesh mesh = general(n, CGS_GAUSS, 0.0, CGS_KAPPA_JUMP, _i ? 1e-3 : 0.7e6);
        for (int64_t c = 0; c < (n + 1) * (n + 1) * (n + 1); c++) {
            const int64_t cell[3] = {c % (n + 1), c / (n + 1) % (n + 1), c / ((n + 1) * (n + 1))};
            ck_assert_double_eq(cgs_cell_kappa(&mesh, cell[0], cell[1], cell[2], NULL),
                                coefficient(&mesh, cell));
        }
    }
}

LOOP_TEST(a_jump_in_a_box_has_two_values, BOXES)
{
    const struct cgs_mesh mesh = box_number(_i, CGS_GAUSS, CGS_KAPPA_JUMP, 1e-3);
    for (int64_t c = 0; c < cells_of(&mesh); c++) {
        int64_t cell[3];
        cell_at(&mesh, c, cell);
        ck_assert_double_eq(cgs_cell_kappa(&mesh, cell[0], cell[1], cell[2], NULL),
                            coefficient(&mesh, cell));
    }
}

/* A deformed cube of any size is the image of the unit cube. */
TEST(a_deformed_cube_scales)
{
    static const int64_t n[3] = {6, 6, 6};
    static const double size[3] = {2.0, 2.0, 2.0};
    struct cgs_mesh unit = general(6, CGS_GAUSS, 0.1, CGS_KAPPA_SMOOTH, 1.0);
    struct cgs_mesh large = cgs_mesh_box(n, size, CGS_GAUSS, 1.0);
    large.deform = unit.deform;
    large.kappa = unit.kappa;
    struct rows a = textbook_matrix(&unit), b = textbook_matrix(&large);
    for (int64_t k = 0; k < a.entries; k++)
        ck_assert(b.values[k] == 2.0 * a.values[k]);
    struct cgs_context context;
    double diagonal[2][216];
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_mesh_diagonal(&context, &unit, 0, 6, diagonal[0]), CGS_OK);
    ck_assert_int_eq(cgs_mesh_diagonal(&context, &large, 0, 6, diagonal[1]), CGS_OK);
    for (int i = 0; i < 216; i++)
        ck_assert_double_eq_tol(diagonal[1][i], 2.0 * diagonal[0][i], 8 * EPS * diagonal[1][i]);
    unit.deform = large.deform = 0.9;
    char message[sizeof context.message];
    ck_assert_int_eq(cgs_mesh_check(&context, &unit), CGS_USAGE);
    memcpy(message, context.message, sizeof message);
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_mesh_check(&context, &large), CGS_USAGE);
    ck_assert_str_eq(strchr(message, '-'), strchr(context.message, '-'));
    rows_free(&a);
    rows_free(&b);
}

/* On a coarse grid of multigrid a cell has the mean over its 8^3 parts, of which each is lower,
 * upper, or half of both in each direction. */
TEST(a_cell_that_a_jump_cuts_has_a_mean)
{
    struct cgs_mesh mesh = general(10, CGS_GAUSS, 0.0, CGS_KAPPA_JUMP, 1000.0);
    for (int k = 0; k < 3; k++) {
        mesh.low[k] = 4.25 - k;
        mesh.high[k] = 6.5 + k;
    }
    for (int64_t c = 0; c < 1331; c++) {
        const int64_t cell[3] = {c % 11, c / 11 % 11, c / 121};
        double mean = 0.0;
        for (int part = 0; part < 512; part++) {
            double odd = 0.0; /* how many of the 8 ways to choose halves end in an odd octant */
            for (int way = 0; way < 8; way++) {
                int upper = 0;
                for (int k = 0; k < 3; k++) {
                    const double x = (double)cell[k] + ((part >> 3 * k & 7) + 0.5) / 8;
                    upper += x > mesh.high[k] || (x > mesh.low[k] && (way >> k & 1));
                }
                odd += upper % 2;
            }
            mean += (1.0 + 999.0 * odd / 8) / 512;
        }
        ck_assert_double_eq_tol(cgs_cell_kappa(&mesh, cell[0], cell[1], cell[2], NULL), mean,
                                1e-12 * mean);
    }
}

/* Without cancellation: edges of cells in a fine mesh to full relative accuracy. sin a - sin b by
 * addition formulas in long double. */
TEST(edges_of_a_fine_mesh_are_accurate)
{
    const struct cgs_mesh mesh = general(1000, CGS_GAUSS, 0.1, CGS_KAPPA_ONE, 1.0);
    const long double pi = 3.14159265358979323846264L, h = 1.0L / 1001;
    for (int64_t c = 0; c <= 1000; c += 37) {
        double corner[24];
        cgs_mesh_corners(&mesh, c, 333, 700, corner);
        const long double x = sinl(pi * h * (c + 1)) - sinl(pi * h * c);
        const long double rest = sinl(pi * h * 333) * sinl(pi * h * 700);
        const double step = (double)(0.1L * x * rest);
        ck_assert_double_eq_tol(corner[4], step, 32 * EPS * 0.1 * M_PI * mesh.h[0]);
    }
}

TEST(cells_turned_inside_out_are_named)
{
    struct cgs_context context;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int64_t n = 1; n <= 40; n += 3) {
            double least = HUGE_VAL, fits = 0.0;
            struct cgs_mesh mesh = general(n, CGS_GAUSS, sign * 0.9, CGS_KAPPA_ONE, 1.0);
            for (int64_t c = 0; c < (n + 1) * (n + 1) * (n + 1); c++) {
                double corner[24];
                cgs_mesh_corners(&mesh, c % (n + 1), c / (n + 1) % (n + 1), c / ((n + 1) * (n + 1)),
                                 corner);
                for (int a = 0; a < 8; a++) {
                    const double s[3] = {cgs_node_side(a, 0), cgs_node_side(a, 1),
                                         cgs_node_side(a, 2)};
                    least = fmin(least, cgs_jacobian_determinant(corner, s));
                }
            }
            /* 1 + A m: where it is zero. */
            fits = 0.9 / (1.0 - least / pow(mesh.h[0] / 2, 3));
            for (int threads = 1; threads <= 3; threads += 2) {
                cgs_context_init(&context);
                context.threads = threads;
                mesh.deform = sign * fits * 0.999;
                ck_assert_int_eq(cgs_mesh_check(&context, &mesh), CGS_OK);
                mesh.deform = sign * fits * 1.001;
                ck_assert_int_eq(cgs_mesh_check(&context, &mesh), CGS_USAGE);
                ck_assert_ptr_nonnull(strstr(context.message, "inside out"));
                char bound[32];
                snprintf(bound, sizeof bound, "%.3f keeps", sign * floor(1e3 * fits) / 1e3);
                ck_assert_msg(strstr(context.message, bound) != NULL, "%s: %s", bound,
                              context.message);
                ck_assert_int_eq(context.host_bytes, 0);
            }
        }
}

TEST(only_plain_cells_share_a_matrix)
{
    struct cgs_context context;
    struct cgs_row_source source;
    for (int m = 0; m < 4; m++) {
        const struct cgs_mesh mesh = mesh_number(m, 4, CGS_GAUSS);
        cgs_context_init(&context);
        ck_assert_int_eq(cgs_gather_of(&mesh), CGS_GATHER_CELLS);
        ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source),
                         CGS_BUG);
        ck_assert_int_eq(context.host_bytes, 0);
    }
}

int main(void)
{
    return run_tests("general meshes", 300, NULL, NULL);
}
