/* Makes a layout of its own: entries by columns, and y as the sum of columns. */
#include "right.h"

struct columns {
    /* of column j: start[j] ... start[j + 1] - 1; entry of the matrix by rows */
    int64_t *start, *row, *from;
};

static void release(void *self)
{
    struct columns *c = self;
    free(c->start);
    free(c->row);
    free(c->from);
    free(c);
}

static int prepare(const struct cgsolve_matrix *A, void **self)
{
    struct columns *c = calloc(1, sizeof *c);
    c->start = calloc((size_t)A->columns + 2, sizeof *c->start);
    c->row = calloc((size_t)A->nonzeros + 1, sizeof *c->row);
    c->from = calloc((size_t)A->nonzeros + 1, sizeof *c->from);
    for (int64_t k = 0; k < A->nonzeros; k++)
        c->start[A->column[k] + 2]++;
    for (int64_t j = 0; j < A->columns; j++)
        c->start[j + 2] += c->start[j + 1];
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++) {
            const int64_t at = c->start[A->column[k] + 1]++;
            c->row[at] = i;
            c->from[at] = k;
        }
    *self = c;
    return 0;
}

USER_APPLY
{
    const struct columns *c = self;
    double *sums = calloc((size_t)A->rows + 1, sizeof *sums);
    (void)stream;
    for (int64_t at = 0; at < A->nonzeros; at++)
        sums[c->row[at]] += right_term(A, x, c->from[at]);
    for (int64_t i = 0; i < A->rows; i++)
        user_set(A, y, i, sums[i]);
    free(sums);
    return 0;
}

const struct cgsolve_kernel cgsolve_kernel = {
    CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE | CGSOLVE_SINGLE, 0,
    "right_columns", "a kernel of the tests", prepare, apply, release};
