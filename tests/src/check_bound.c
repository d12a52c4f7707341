/* src/predict: the condition of the cube's matrix, and the bound of CG's iterations that follows.
 */
#include <check.h>
#include <math.h>

#include "fem/assembly.h"
#include "src/plan/predict.h"
#include "tests/support/support.h"

/* All eigenvalues of the assembled matrix, from its eigenvectors, which are products of sines. */
START_TEST(condition_is_that_of_the_cube)
{
    static const int sizes[] = {1, 2, 3, 6};
    const double pi = 3.14159265358979323846;
    for (int c = 0; c < 8; c++) {
        const int n = sizes[c / 2], rows = n * n * n;
        const enum cgs_quadrature quadrature = c % 2 ? CGS_BLENDED : CGS_GAUSS;
        const struct cgs_mesh mesh = cgs_mesh_cube(n, quadrature, 1.0);
        struct cgs_row_source source;
        must(cgs_assembler_create(&bed.context, &mesh, CGS_GATHER_CELLS, &source));
        double least = INFINITY, most = 0.0;
        for (int mode = 0; mode < rows; mode++) {
            const int j[3] = {mode % n + 1, mode / n % n + 1, mode / n / n + 1};
            double eigenvalue = 0.0;
            for (int row = 0; row < rows; row++) {
                int32_t count, columns[27];
                double values[27], sum = 0.0, own = 0.0;
                source.lengths(&source, row, row + 1, &count);
                source.fill(&source, row, row + 1, columns, values);
                for (int k = -1; k < count; k++) { /* -1: the row's own component */
                    const int column = k < 0 ? row : columns[k];
                    const double v = sin(j[0] * pi * (column % n + 1) * mesh.h) *
                                     sin(j[1] * pi * (column / n % n + 1) * mesh.h) *
                                     sin(j[2] * pi * (column / n / n + 1) * mesh.h);
                    if (k < 0)
                        own = v;
                    else
                        sum += values[k] * v;
                }
                if (row == 0)
                    eigenvalue = sum / own;
                ck_assert_double_eq_tol(sum, eigenvalue * own, 1e-14);
            }
            least = fmin(least, eigenvalue);
            most = fmax(most, eigenvalue);
        }
        const double condition = cgs_cube_condition(n, quadrature);
        ck_assert_double_eq_tol(condition, most / least, 1e-11 * condition);
        cgs_assembler_release(&bed.context, &source);
    }
}
END_TEST

/* The bound's own formula at hand-made points: kappa = 9 halves the error in every step. */
START_TEST(bound_of_cg)
{
    ck_assert_double_eq(cgs_cg_bound(1.0, 1e-10), 1.0);
    ck_assert_double_eq(cgs_cg_bound(9.0, 6.0 / 1000.0), 10.0); /* 6 q^k <= 6/1000, 2^10 > 1000 */
    ck_assert_double_eq(cgs_cg_bound(9.0, 6.0 / 1025.0), 11.0);
    ck_assert_double_ge(cgs_cg_bound(1e6, 1e-10), 0.5 * 1e3 * log(2e3 / 1e-10));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bound");
    TCase *tcase = bed_case(suite, "bound", 60.0);
    tcase_add_test(tcase, condition_is_that_of_the_cube);
    tcase_add_test(tcase, bound_of_cg);
    return bed_run(suite);
}
