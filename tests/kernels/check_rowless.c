/* Facts of a mesh's matrix without its rows: the stencil's numbers, a bound of the norm, the
 * diagonal. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/diagonal.h"
#include "fem/element/stencil.h"
#include "fem/rows.h"
#include "matrix/walk.h"
#include "tests/kernels/free.h"
#include "tests/support/rows.h"

/* The eight numbers are the very bits of the assembled rows, and equal in as many directions
 * where cells are cubes. */
TEST(stencil_numbers_are_the_entries)
{
    for (int which = 0; which < 3; which++)
        for (int s = 2; s < PLACES; s++) {
            const struct cgs_mesh mesh = mesh_at(which, s);
            const int64_t *n = mesh.n, middle = (n[2] / 2 * n[1] + n[1] / 2) * n[0] + n[0] / 2;
            struct cgs_row_source source;
            double number[8], values[27];
            int32_t columns[27];
            if (n[0] < 3 || n[1] < 3 || n[2] < 3)
                continue;
            must(cgs_assembler_create(&bed.context, &mesh, CGS_GATHER_SHARED, &source));
            source.fill(&source, middle, middle + 1, columns, values);
            cgs_mesh_stencil(&mesh, number);
            for (int k = 0; k < 27; k++) {
                const int away = (k % 3 != 1) + 2 * (k / 3 % 3 != 1) + 4 * (k / 9 != 1);
                ck_assert(memcmp(&values[k], &number[away], sizeof values[k]) == 0);
            }
            if (mesh.h[0] == mesh.h[1] && mesh.h[1] == mesh.h[2]) {
                ck_assert(number[1] == number[2] && number[2] == number[4]);
                ck_assert(number[3] == number[5] && number[5] == number[6]);
            }
            cgs_assembler_release(&bed.context, &source);
        }
}

/* The bound of the norm bounds the norm of the rows, and by little. */
TEST(norm_without_rows)
{
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < (which < MESHES_OF_BOXES ? PLACES : SIZES); s++) {
            const struct cgs_mesh mesh = mesh_at(which, s);
            const double bound = cgs_mesh_norm(&mesh);
            struct cgs_row_source source;
            must(cgs_assembler_create(&bed.context, &mesh, cgs_gather_of(&mesh), &source));
            struct rows rows = rows_gather(&source, 1000);
            double norm = 0.0;
            for (int64_t i = 0; i < rows.count; i++) {
                double sum = 0.0;
                for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++)
                    sum += fabs(rows.values[k]);
                norm = fmax(norm, sum);
            }
            ck_assert_double_ge(bound, 0.98 * norm);
            if (s < SIZES && sizes[s] > 5)
                ck_assert_double_le(bound, 2.5 * norm);
            rows_free(&rows);
            cgs_assembler_release(&bed.context, &source);
        }
}

/* The diagonal is that of the rows: to the bit where the mesh is not deformed, to rounding else,
 * the same by any number of threads. */
TEST(diagonal_without_rows)
{
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < (which < MESHES_OF_BOXES ? PLACES : SIZES); s++) {
            const struct cgs_mesh mesh = mesh_at(which, s);
            struct cgs_row_source source;
            must(cgs_assembler_create(&bed.context, &mesh, cgs_gather_of(&mesh), &source));
            struct rows rows = rows_gather(&source, 1000);
            const size_t bytes = (size_t)rows.count * sizeof(double);
            double *diagonal = must_have(bytes), *other = must_have(bytes);
            must(cgs_mesh_diagonal(&bed.context, &mesh, 0, mesh.n[2], diagonal));
            bed.context.threads = 3;
            must(cgs_matrix_diagonal(&bed.context, &source, other));
            bed.context.threads = 2;
            ck_assert(memcmp(diagonal, other, bytes) == 0);
            const int64_t first = rows.count / 3, last = rows.count - rows.count / 5;
            must(source.diagonal(&bed.context, &source, first, last, other)); /* within planes */
            ck_assert(memcmp(diagonal + first, other, (size_t)(last - first) * sizeof *other) == 0);
            for (int64_t i = 0; i < rows.count; i++)
                for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++)
                    if (rows.columns[k] == i)
                        ck_assert_double_le(
                            fabs(diagonal[i] - rows.values[k]),
                            mesh.deform == 0.0 ? 0.0 : 16.0 * DBL_EPSILON * rows.values[k]);
            free(diagonal);
            free(other);
            rows_free(&rows);
            cgs_assembler_release(&bed.context, &source);
        }
}

int main(void)
{
    return bed_tests("rowless", 300);
}
