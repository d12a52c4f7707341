/* cgsolve exercise: vcycle */
/* Expect: not symmetric */
/* Smooths before the correction and not after it. */
#include <cgsolve/exercise.h>

/* y = A x of the box with n^3 unknowns: h times the 27-point stencil. */
static inline void product(int64_t n, const double *x, double *y)
{
    static const double stencil[4] = {8.0 / 3.0, 0.0, -1.0 / 6.0, -1.0 / 12.0};
    const double h = 1.0 / (double)(n + 1);
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                double sum = 0.0;
                for (int64_t c = k > 0 ? -1 : 0; c <= (k < n - 1); c++)
                    for (int64_t b = j > 0 ? -1 : 0; b <= (j < n - 1); b++)
                        for (int64_t a = i > 0 ? -1 : 0; a <= (i < n - 1); a++)
                            sum += stencil[a * a + b * b + c * c] *
                                   x[i + a + n * (j + b + n * (k + c))];
                y[i + n * (j + n * k)] = h * sum;
            }
}

/* Weights of P between node I of the coarse grid and nodes 2 I + 1 + (-1, 0, 1) of the fine one. */
static const double weight[3] = {0.5, 1.0, 0.5};

/* coarse = P' fine, from n^3 to ((n - 1)/2)^3 numbers. */
static inline void restriction(int64_t n, const double *fine, double *coarse)
{
    const int64_t m = (n - 1) / 2;
    for (int64_t k = 0; k < m; k++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < m; i++) {
                double sum = 0.0;
                for (int c = 0; c < 3; c++)
                    for (int b = 0; b < 3; b++)
                        for (int a = 0; a < 3; a++)
                            sum += weight[a] * weight[b] * weight[c] *
                                   fine[2 * i + a + n * (2 * j + b + n * (2 * k + c))];
                coarse[i + m * (j + m * k)] = sum;
            }
}

/* fine = fine + P coarse. */
static inline void interpolation(int64_t n, const double *coarse, double *fine)
{
    const int64_t m = (n - 1) / 2;
    for (int64_t k = 0; k < m; k++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < m; i++)
                for (int c = 0; c < 3; c++)
                    for (int b = 0; b < 3; b++)
                        for (int a = 0; a < 3; a++)
                            fine[2 * i + a + n * (2 * j + b + n * (2 * k + c))] +=
                                weight[a] * weight[b] * weight[c] * coarse[i + m * (j + m * k)];
}

enum { STEPS = 2 };

/* x = x + (b - A x) / d, STEPS times. r: room. */
static void smooth(int64_t n, const double *b, double *x, double *r)
{
    const double d = 8.0 / 3.0 / (double)(n + 1);
    for (int step = 0; step < STEPS; step++) {
        product(n, x, r);
#pragma omp parallel for simd schedule(static)
        for (int64_t i = 0; i < n * n * n; i++)
            x[i] += (b[i] - r[i]) / d;
    }
}

static void cycle(int64_t n, const double *b, double *x)
{
    const int64_t rows = n * n * n, m = (n - 1) / 2, coarse_rows = m * m * m;
    double *r = malloc((size_t)(rows + 2 * coarse_rows) * sizeof *r);
    double *coarse = r + rows, *e = coarse + coarse_rows;
    if (n == 1)
        x[0] = b[0] / (4.0 / 3.0); /* h = 1/2 */
    if (n > 1 && r) {
        for (int64_t i = 0; i < rows; i++)
            x[i] = 0.0;
        smooth(n, b, x, r);
        product(n, x, r);
        for (int64_t i = 0; i < rows; i++)
            r[i] = b[i] - r[i];
        restriction(n, r, coarse);
        cycle(m, coarse, e);
        interpolation(n, e, x);
    }
    free(r);
}

CGSOLVE_PRECONDITIONER(cycle)
