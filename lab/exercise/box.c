#include "lab/exercise/box.h"

#include <math.h>
#include <stdlib.h>

/* Entries by the number of directions in which the neighbour is another one, times 1 / h. */
static const double stencil[4] = {8.0 / 3.0, 0.0, -1.0 / 6.0, -1.0 / 12.0};

static double entry(int64_t n, int i, int j, int k)
{
    return stencil[abs(i) + abs(j) + abs(k)] / (double)(n + 1);
}

static bool inside(int64_t n, int64_t i)
{
    return 0 <= i && i < n;
}

void cgs_box_product(int64_t n, const double *x, double *y)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                double sum = 0.0;
                for (int c = -1; c <= 1; c++)
                    for (int b = -1; b <= 1; b++)
                        for (int a = -1; a <= 1; a++)
                            if (inside(n, i + a) && inside(n, j + b) && inside(n, k + c))
                                sum += entry(n, a, b, c) * x[((k + c) * n + j + b) * n + i + a];
                y[(k * n + j) * n + i] = sum;
            }
}

/* Returns an entry of D, in an order that has nothing to do with the box's. */
static double scale(int64_t row, double spread)
{
    return pow(spread, (double)(row * 7919 % 1000) / 999.0);
}

enum cgs_status cgs_box_rows(struct cgs_context *context, int64_t n, double spread, int64_t more,
                             struct cgs_crs *crs)
{
    const int64_t rows = n * n * n, all = (3 * n - 2) * (3 * n - 2) * (3 * n - 2);
    int64_t at = 0;
    CGS_TRY(cgs_crs_alloc(context, rows + more, rows + more, all, crs));
    crs->pointers[0] = 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t i = row % n, j = row / n % n, k = row / n / n;
        for (int c = -1; c <= 1; c++)
            for (int b = -1; b <= 1; b++)
                for (int a = -1; a <= 1; a++) {
                    const int64_t column = ((k + c) * n + j + b) * n + i + a;
                    if (!inside(n, i + a) || !inside(n, j + b) || !inside(n, k + c))
                        continue;
                    crs->column[at] = (int32_t)column;
                    crs->value[at++] =
                        scale(row, spread) * entry(n, a, b, c) * scale(column, spread);
                }
        crs->pointers[row + 1] = at;
    }
    for (int64_t row = rows; row < rows + more; row++)
        crs->pointers[row + 1] = at;
    return CGS_OK;
}

double cgs_box_dot(int64_t count, const double *x, const double *y)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}
