/* matrix/definite.h: signs of minors without rounding, facts about matrices that are not definite,
 * the same for any number of threads, and parts on which constants solve A x = 0. */
#include <float.h>
#include <math.h>

#include "base/random.h"
#include "matrix/definite.h"
#include "tests/support/solve.h"
#include "tests/support/support.h"

TEST(minors_have_no_rounding)
{
    const double up = nextafter(3.0, 4.0), down = nextafter(3.0, 2.0);
    ck_assert_int_eq(cgs_minor_sign(3.0, 3.0, -3.0), 0);
    ck_assert_int_eq(cgs_minor_sign(up, 3.0, 3.0), 1);
    ck_assert_int_eq(cgs_minor_sign(down, 3.0, 3.0), -1);
    ck_assert_int_eq(cgs_minor_sign(up, down, 3.0), -1); /* 9 - e^2, in double 9 */
    ck_assert_int_eq(cgs_minor_sign(4.0, 1e-300, -1.0), -1);
    ck_assert_int_eq(cgs_minor_sign(1e300, 1e300, 9e299), 1);
    ck_assert_int_eq(cgs_minor_sign(1e300, 1e300, -1e300), 0);
    ck_assert_int_eq(cgs_minor_sign(1e-300, 1e-300, 2e-300), -1);
    ck_assert_int_eq(cgs_minor_sign(4e-320, 1e-320, 0.0), 1);
    ck_assert_int_eq(cgs_minor_sign(DBL_MAX, DBL_TRUE_MIN, 0x1p-25),
                     -1); /* 2^1024 2^-1074 = 2^-50, less an ulp */
    ck_assert_int_eq(cgs_minor_sign(0x1p1000, 0x1p-1050, 0x1p-25), 0);
}

enum { ROWS = 200 };
static double a[ROWS * ROWS];

/* A path's Laplacian on rows first ... last, weighted by `weight`. */
static void path(int first, int last, double weight)
{
    for (int i = first; i < last; i++) {
        a[i * ROWS + i] += weight;
        a[(i + 1) * ROWS + i + 1] += weight;
        a[i * ROWS + i + 1] = a[(i + 1) * ROWS + i] = -weight;
    }
}

static void forget(void)
{
    for (int i = 0; i < ROWS * ROWS; i++)
        a[i] = 0.0;
}

static struct cgs_definite look(int threads)
{
    const struct dense dense = {ROWS, a};
    const struct cgs_row_source source = dense_source(&dense);
    struct cgs_definite found;
    const int before = bed.context.threads;
    bed.context.threads = threads;
    must(cgs_matrix_look_definite(&bed.context, &source, &found));
    bed.context.threads = before;
    return found;
}

TEST(two_rows_are_named)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        forget();
        path(0, ROWS - 1, 1.0);
        struct cgs_definite d = look(threads);
        ck_assert(d.constants && d.some && d.minor == 1);
        ck_assert_double_eq(d.least, 1.0);
        ck_assert_double_eq(d.most, 2.0);
        ck_assert_int_eq(d.least_row, 0);
        ck_assert_int_eq(d.most_row, 1);
        a[0] += 1.0; /* no longer singular */
        a[70 * ROWS + 150] = a[150 * ROWS + 70] = a[5 * ROWS + 9] = a[9 * ROWS + 5] =
            -2.0; /* of two equal ones */
        d = look(threads);
        ck_assert(!d.constants && d.some && d.minor == 0);
        ck_assert_int_eq(d.i, 5);
        ck_assert_int_eq(d.j, 9);
        a[70 * ROWS + 150] = a[150 * ROWS + 70] = 2.5;
        a[180 * ROWS + 180] = 1e-12;
        d = look(threads);
        ck_assert_int_eq(d.minor, -1);
        ck_assert_int_eq(d.i, 179); /* a_ij^2 / (a_ii a_jj) is greatest */
        ck_assert_int_eq(d.j, 180);
        ck_assert_double_eq(d.a_ii, 2.0);
        ck_assert_double_eq(d.a_jj, 1e-12);
        ck_assert_double_eq(d.a_ij, -1.0);
        ck_assert_int_eq(d.least_row, 180);
        a[33 * ROWS + 33] = -4.0;
        d = look(threads);
        ck_assert_int_eq(d.least_row, 33);
        ck_assert_double_eq(d.least, -4.0);
    }
}

TEST(parts_are_found)
{
    const struct dense dense = {ROWS, a};
    const struct cgs_row_source source = dense_source(&dense);
    struct cgs_null_part part;
    double b[ROWS];
    forget();
    path(0, 49, 1.0);
    path(50, 149, 1e20); /* in other units */
    path(150, ROWS - 1, 1.0);
    a[160 * ROWS + 160] += 1e-3; /* this part is regular */
    for (int i = 0; i < ROWS; i++)
        b[i] = i < 50 ? i - 24.5 : 1.0;
    must(cgs_matrix_find_null_part(&bed.context, &source, NULL, &part));
    ck_assert_int_eq(part.rows, 50);
    ck_assert_int_eq(part.first, 0);
    ck_assert_double_eq(part.rhs, 0.0);
    must(cgs_matrix_find_null_part(&bed.context, &source, b, &part));
    ck_assert_int_eq(part.rows, 100);
    ck_assert_int_eq(part.first, 50);
    ck_assert_double_eq(part.rhs, 1.0);
    a[0] += 1e-3;
    a[100 * ROWS + 100] *= 1.0 + 1e-6;
    must(cgs_matrix_find_null_part(&bed.context, &source, b, &part));
    ck_assert_int_eq(part.rows, 0);
}

int main(void)
{
    return bed_tests("definite", 60);
}
