/* fem/assembly.h: the sizes that it takes, and the largest mesh. */

#include "fem/assembly.h"
#include "fem/rows.h"
#include "matrix/layout.h"
#include "tests/support/check.h"

TEST(sizes_out_of_range_are_refused)
{
    static const int64_t sizes[] = {0, -3, 10001, 1000000000};
    for (int i = 0; i < 12; i++) {
        struct cgs_context context;
        struct cgs_row_source source = {.rows = -1};
        cgs_context_init(&context);
        struct cgs_mesh mesh = cgs_mesh_cube(1, CGS_GAUSS, 1.0);
        mesh.n[i / 4] = sizes[i % 4];
        ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source),
                         CGS_USAGE);
        ck_assert_int_eq(source.rows, -1);
        ck_assert_int_eq(context.host_bytes, 0);
    }
}

/* The largest mesh has columns and rows near 2^31 and more entries than that. */
TEST(the_largest_mesh)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(1290, CGS_GAUSS, 1.0);
    struct cgs_context context;
    struct cgs_row_source source;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    ck_assert_int_eq(cgs_mesh_nonzeros(&mesh), INT64_C(3868) * 3868 * 3868);
    int32_t columns[3 * 27], length[3];
    double values[3 * 27];
    source.lengths(&source, source.rows - 3, source.rows, length);
    source.fill(&source, source.rows - 3, source.rows, columns, values);
    ck_assert_int_eq(length[0], 12);
    ck_assert_int_eq(length[2], 8);
    ck_assert_int_eq(columns[12 + 12 + 7], source.rows - 1);
    ck_assert_int_eq(columns[12 + 12], source.rows - 1 - 1290 * 1290 - 1290 - 1);
    cgs_assembler_release(&context, &source);
}

/* Beyond it there are no rows to draw, but all that operators without entries ask for. */
TEST(larger_than_32_bits)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(1400, CGS_GAUSS, 1.0);
    struct cgs_context context;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    ck_assert(source.fill == NULL);
    ck_assert_int_eq(source.rows, INT64_C(2744000000));
    ck_assert_double_eq_tol(source.norm(&source), 16.0 / 3.0 * mesh.h[0], 1e-12 * mesh.h[0]);
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_NONE, 1, 1, &matrix), CGS_OK);
    ck_assert_int_eq(matrix.nonzeros, INT64_C(4198) * 4198 * 4198);
    ck_assert_int_eq(matrix.stored, 0);
    cgs_matrix_release(&context, &matrix);
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_SELL, 8, 1, &matrix), CGS_USAGE);
    cgs_assembler_release(&context, &source);
    ck_assert_int_eq(context.host_bytes, 0);
}

/* The number of rows decides, not that of unknowns in a direction. */
TEST(long_boxes_have_rows)
{
    static const int64_t sizes[][3] = {
        {10000, 100, 100}, {100, 100, 10000}, {10000, 10000, 21}, {10000, 10000, 22}};
    static const double size[3] = {1.0, 2.0, 0.5};
    for (int i = 0; i < 4; i++) {
        const struct cgs_mesh mesh = cgs_mesh_box(sizes[i], size, CGS_GAUSS, 1.0);
        const int64_t *n = mesh.n;
        struct cgs_context context;
        struct cgs_row_source source;
        cgs_context_init(&context);
        ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
        ck_assert_int_eq(source.rows, n[0] * n[1] * n[2]);
        ck_assert_int_eq(source.plane, n[0] * n[1]);
        ck_assert_int_eq(source.reach, n[0] * n[1] + n[0] + 1);
        ck_assert((source.fill == NULL) == (i == 3));
        if (source.fill) {
            int32_t columns[8];
            double values[8];
            source.fill(&source, source.rows - 1, source.rows, columns, values);
            ck_assert_int_eq(columns[0], source.rows - 1 - source.reach);
            ck_assert_int_eq(columns[1], source.rows - 1 - n[0] * n[1] - n[0]);
            ck_assert_int_eq(columns[2], source.rows - 1 - n[0] * n[1] - 1);
            ck_assert_int_eq(columns[7], source.rows - 1);
        }
        cgs_assembler_release(&context, &source);
    }
}

int main(void)
{
    return run_tests("sizes of meshes", 120, NULL, NULL);
}
