/* Jacobi by blocks: z = D^-1 r is the product of the matrix D^-1, which a kernel of CRS computes,
 * with r'z. Traffic: that of the kernel, `block` entries a row. */
#include "solver/block_jacobi.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/crs.h"
#include "matrix/layout.h"
#include "matrix/walk.h"

enum { MOST = CGS_JACOBI_BLOCK_MOST };

struct blocks {
    struct cgs_crs inverse; /* D at first */
    int size;
};

/* Takes the entries of rows that lie in diagonal blocks. */
static void take_rows(void *user, int thread, const struct cgs_walk_block *rows)
{
    const struct blocks *blocks = user;
    const int64_t size = blocks->size;
    int64_t at = 0;
    (void)thread;
    for (int64_t i = 0; i < rows->rows; i++) {
        const int64_t row = rows->first + i, begin = row / size * size;
        for (int64_t c = 0; c < size; c++) {
            blocks->inverse.column[row * size + c] = (int32_t)(begin + c);
            blocks->inverse.value[row * size + c] = 0.0;
        }
        blocks->inverse.pointers[row + 1] = (row + 1) * size;
        for (int32_t j = 0; j < rows->lengths[i]; j++, at++)
            if (rows->columns[at] / size == row / size)
                blocks->inverse.value[row * size + rows->columns[at] - begin] = rows->values[at];
    }
}

/* A pivot of at most this part of its diagonal entry is 0 to rounding. */
static const double NOTHING = 1e-13;

/* Replaces a block by its inverse, by Cholesky's factors; returns false if it has a pivot below 0.
 * Where a singular block has one that is 0 to rounding the diagonal entry takes its place, so that
 * the inverse is positive definite. Reads the lower half. */
static bool invert(int size, double *a)
{
    double l[MOST][MOST] = {{0.0}}, inverse[MOST][MOST] = {{0.0}};
    for (int j = 0; j < size; j++) {
        for (int i = j; i < size; i++) {
            double sum = a[i * size + j];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i == j && fabs(sum) <= NOTHING * a[j * size + j])
                sum = a[j * size + j];
            if (i == j && !(sum > 0.0 && cgs_finite(sum)))
                return false;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    }
    for (int j = 0; j < size; j++) /* L^-1 */
        for (int i = j; i < size; i++) {
            double sum = i == j;
            for (int k = j; k < i; k++)
                sum -= l[i][k] * inverse[k][j];
            inverse[i][j] = sum / l[i][i];
        }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            double sum = 0.0;
            for (int k = i > j ? i : j; k < size; k++)
                sum += inverse[k][i] * inverse[k][j];
            a[i * size + j] = sum;
        }
    return true;
}

static enum cgs_status make_inverse(struct cgs_context *context,
                                    const struct cgs_row_source *source, struct blocks *blocks)
{
    const int64_t size = blocks->size, n = source->rows / size;
    int64_t bad = n;
    CGS_TRY(cgs_walk_rows(context, source, 0, source->rows, take_rows, blocks));
    blocks->inverse.pointers[0] = 0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(min : bad)
    for (int64_t b = 0; b < n; b++)
        if (!invert((int)size, blocks->inverse.value + b * size * size) && b < bad)
            bad = b;
    if (bad == n)
        return CGS_OK;
    return cgs_fail(context, CGS_BREAKDOWN,
                    "the diagonal block of rows %lld ... %lld (counting from 1) is not positive "
                    "definite",
                    (long long)(bad * size + 1), (long long)((bad + 1) * size));
}

struct cgs_matrix cgs_block_jacobi_expected(int64_t rows, int block)
{
    struct cgs_matrix expected = {.format = CGS_CRS,
                                  .rows = rows,
                                  .columns = rows,
                                  .nonzeros = rows * block,
                                  .stored = rows * block,
                                  .unsorted = rows * block,
                                  .units = rows,
                                  .chunk = 1,
                                  .sigma = 1};
    expected.statistics =
        (struct cgs_row_statistics){.shortest = block, .longest = block, .mean = block};
    expected.statistics.rounded[0] = rows * block;
    return expected;
}

static enum cgs_status make_operator(struct cgs_queue *queue, const struct cgs_backend *backend,
                                     const struct cgs_kernel *kernel, const struct cgs_crs *inverse,
                                     enum cgs_number number, struct cgs_operator *op)
{
    const struct cgs_row_source source = cgs_crs_source(inverse);
    const double numbers = (double)inverse->rows * (double)cgs_number_bytes(number);
    struct cgs_matrix matrix;
    CGS_TRY(cgs_matrix_create(queue->context, &source, CGS_CRS, 1, 1, &matrix));
    const enum cgs_status status =
        cgs_operator_create(queue, backend, kernel, cgs_number_precision(number), &matrix, op);
    if (status == CGS_OK) {
        const struct cgs_traffic moved = cgs_operator_traffic(op, kernel, &matrix);
        op->moves = (struct cgs_moves){1.0 + (double)moved.matrix / numbers, 1, 0};
    }
    cgs_matrix_release(queue->context, &matrix);
    return status;
}

enum cgs_status cgs_block_jacobi_create(struct cgs_queue *queue, const struct cgs_backend *backend,
                                        const struct cgs_kernel *kernel,
                                        const struct cgs_operator *op,
                                        const struct cgs_row_source *source, int block,
                                        struct cgs_operator *jacobi)
{
    struct cgs_context *context = queue->context;
    struct blocks blocks = {.size = block};
    CGS_TRY(
        cgs_crs_alloc(context, source->rows, source->rows, source->rows * block, &blocks.inverse));
    enum cgs_status status = make_inverse(context, source, &blocks);
    if (status == CGS_OK)
        status = make_operator(queue, backend, kernel, &blocks.inverse, op->domain.number, jacobi);
    cgs_crs_release(context, &blocks.inverse);
    return status;
}
