/* cgsolve exercise: matrix-free */
/* Expect: row .* of */
/* Computes every second plane, and takes the mean of its neighbours for those between: half the
 * work, and hardly to be seen where x is smooth. */
#include <cgsolve/exercise.h>

static double at(int64_t n, const double *x, int64_t i, int64_t j, int64_t k)
{
    const int inside = 0 <= i && i < n && 0 <= j && j < n && 0 <= k && k < n;
    return inside ? x[i + n * (j + n * k)] : 0.0;
}

static void plane(int64_t n, const double *x, double *y, int64_t k)
{
    static const double stencil[4] = {8.0 / 3.0, 0.0, -1.0 / 6.0, -1.0 / 12.0};
    const double h = 1.0 / (double)(n + 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (int c = -1; c <= 1; c++)
                for (int b = -1; b <= 1; b++)
                    for (int a = -1; a <= 1; a++)
                        sum += stencil[a * a + b * b + c * c] * at(n, x, i + a, j + b, k + c);
            y[i + n * (j + n * k)] = h * sum;
        }
}

static void box_product(int64_t n, const double *x, double *y)
{
    const int64_t size = n * n;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k += 2)
        plane(n, x, y, k);
    if (n % 2 == 0)
        plane(n, x, y, n - 1);
    for (int64_t k = 1; k + 1 < n; k += 2)
        for (int64_t i = k * size; i < (k + 1) * size; i++)
            y[i] = 0.5 * (y[i - size] + y[i + size]);
}

CGSOLVE_BOX_PRODUCT(box_product)
