/* cgsolve exercise: matrix-free */
/* Expect: row .* of */
/* Asks whether a neighbour lies in the array, not whether it lies in the box: what leaves the
 * box by its side comes back at the other one. */
#include <cgsolve/exercise.h>

static void box_product(int64_t n, const double *x, double *y)
{
    static const double stencil[4] = {8.0 / 3.0, 0.0, -1.0 / 6.0, -1.0 / 12.0};
    const double h = 1.0 / (double)(n + 1);
    const int64_t rows = n * n * n;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0.0;
        for (int c = -1; c <= 1; c++)
            for (int b = -1; b <= 1; b++)
                for (int a = -1; a <= 1; a++) {
                    const int64_t other = row + a + n * (b + n * c);
                    if (0 <= other && other < rows)
                        sum += stencil[a * a + b * b + c * c] * x[other];
                }
        y[row] = h * sum;
    }
}

CGSOLVE_BOX_PRODUCT(box_product)
