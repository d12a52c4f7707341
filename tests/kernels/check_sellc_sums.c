/* Kernels on compressed SELL sum as sell_chunk of the same device does, to the bit (on the CPU
 * as sell_gather, where nothing is compressed): on cubes, whose chunks the usual pattern tells,
 * with an even and an odd number of nodes a line, deformed, with two materials; on matrices that
 * have no usual pattern; with rows sorted; on one that nothing compresses, of which a product
 * moves what it does in SELL. y is NaN before. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fem/assembly.h"
#include "matrix/layout.h"
#include "matrix/random.h"
#include "solver/operator.h"
#include "tests/support/support.h"

#ifdef CGS_TEST_CUDA
enum {
    CHUNK = 32,
    LARGE = CHECK_SMALL ? 40 : 136
}; /* 136: a block takes several runs of rows */
#else
enum { CHUNK = 8, LARGE = 30 };
#endif

/* y = A x, and x'y where the matrix is square. To be freed. *moved: the bytes of the matrix. */
static double *product(const char *name, enum cgs_format format, enum cgs_precision precision,
                       const struct cgs_row_source *source, int32_t sigma, double *dot,
                       int64_t *moved)
{
    const struct cgs_kernel_entry *entry;
    const enum cgs_number real = cgs_precision_real(precision);
    struct cgs_matrix matrix;
    struct cgs_operator op;
    must(cgs_matrix_create(&bed.context, source, format, CHUNK, sigma, &matrix));
    must(cgs_kernel_find(&bed.context, name, CHECK_DEVICE, format, &entry));
    must(cgs_operator_create(bed.queue, bed.backend, entry->tables[precision], precision, &matrix,
                             &op));
    *moved = cgs_operator_traffic(&op, entry->tables[precision], &matrix).matrix;
    double *x = must_have((size_t)source->columns * sizeof *x);
    double *y = must_have((size_t)source->rows * sizeof *y);
    plain_vector(source->columns, PLAIN_RANDOM, real, 11, x);
    void *from = bed_vector(&op.domain, x), *to = bed_vector(&op.range, NULL);
    struct cgs_cg_state *state = bed_state(&op.range, 1);
    if (source->rows == source->columns)
        must(cgs_operator_apply_dot(&op, bed.queue, state, from, to, CGS_SUM_PQ));
    else
        must(cgs_operator_apply(&op, bed.queue, NULL, from, to));
    must(op.range.ops->wait(bed.queue));
    bed_get(&op.range, to, y);
    *dot = bed_look(&op.range, state).sums[CGS_SUM_PQ];
    op.range.ops->state_free(&op.range, state);
    op.domain.ops->free(&op.domain, from);
    op.range.ops->free(&op.range, to);
    cgs_operator_release(&op);
    cgs_matrix_release(&bed.context, &matrix);
    free(x);
    return y;
}

/* Returns the bytes that a product reads of the matrix, over those that it reads in SELL. */
static double check_source(const struct cgs_row_source *source, const char *name,
                           enum cgs_precision precision, int32_t sigma)
{
    double dot, right_dot;
    int64_t moved, sell_moved;
    double *y = product("sellc_chunk", CGS_SELLC, precision, source, sigma, &dot, &moved);
    double *right =
        product("sell_chunk", CGS_SELL, precision, source, sigma, &right_dot, &sell_moved);
    if (moved == sell_moved && CHECK_DEVICE == CGS_CPU) { /* not compressed */
        free(right);
        right = product("sell_gather", CGS_SELL, precision, source, sigma, &right_dot, &sell_moved);
    }
    for (int64_t i = 0; i < source->rows; i++)
        ck_assert_msg(memcmp(y + i, right + i, sizeof *y) == 0,
                      "%s, %s, sigma = %d: row %lld is %.17g, should be %.17g", name,
                      cgs_precision_name(precision), (int)sigma, (long long)i, y[i], right[i]);
    if (source->rows == source->columns) {
        double size = 0.0;
        for (int64_t i = 0; i < source->rows; i++)
            size += fabs(y[i]); /* |x| <= 1 */
        ck_assert_double_le(fabs(dot - right_dot), 1e-12 * size);
    }
    free(right);
    free(y);
    return (double)moved / (double)sell_moved;
}

static void check_cube(int64_t n, double deform, double ratio, enum cgs_precision precision,
                       int32_t sigma)
{
    char name[80];
    struct cgs_row_source source;
    struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    mesh.deform = deform;
    if (ratio > 1.0)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_JUMP, .ratio = ratio};
    snprintf(name, sizeof name, "cube %d, deform %g, jump %g", (int)n, deform, ratio);
    must(cgs_assembler_create(&bed.context, &mesh, cgs_gather_of(&mesh), &source));
    check_source(&source, name, precision, sigma);
    cgs_assembler_release(&bed.context, &source);
}

/* ---- the tests: one a precision ---- */

/* N = 1: one row; 9: all chunks lack entries; 32: whole chunks; 33: chunks begin anywhere; the
 * last two on a device, where several chunks go at a time. */
LOOP_TEST(cubes, CGS_PRECISIONS)
{
    static const int64_t sizes[] = {1, 2, 9, 32, 33, 64, 65};
    const size_t count = sizeof sizes / sizeof *sizes - (CHECK_SMALL            ? 3
                                                         : CHECK_DEVICE == CGS_CPU ? 2
                                                                                   : 0);
    for (size_t i = 0; i < count; i++)
        for (int how = 0; how < 4; how++)
            check_cube(sizes[i], how == 1 ? 0.05 : 0.0, how == 2 ? 3.0 : 1.0,
                       (enum cgs_precision)_i, how == 3 ? 256 : 1);
}

LOOP_TEST(a_large_cube, CGS_PRECISIONS)
{
    check_cube(LARGE, 0.0, 1.0, (enum cgs_precision)_i, 1);
}

LOOP_TEST(awkward, CGS_PRECISIONS)
{
    for (int which = 0; which < plain_cases(); which++)
        for (int32_t sigma = 1; sigma <= 64; sigma += 63) {
            struct plain *plain = plain_make(which, PLAIN_RANDOM);
            const struct cgs_row_source source = plain_source(plain);
            check_source(&source, plain_name(which), (enum cgs_precision)_i, sigma);
            plain_free(plain);
        }
}

/* Columns too far isolated for deltas, no two values the same. */
LOOP_TEST(not_compressed, CGS_PRECISIONS)
{
    struct cgs_crs crs;
    must(cgs_random_create(&bed.context, 400000, 5e-6, false, &crs));
    const struct cgs_row_source source = cgs_crs_source(&crs);
    for (int32_t sigma = 1; sigma <= 4096; sigma += 4095) {
        const double moved = check_source(&source, "random", (enum cgs_precision)_i, sigma);
        ck_assert_double_eq(moved, 1.0);
    }
    cgs_crs_release(&bed.context, &crs);
}

int main(void)
{
    return bed_tests("sums of compressed SELL", 600);
}
