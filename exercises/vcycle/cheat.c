/* cgsolve exercise: vcycle */
/* Expect: not linear|not symmetric */
/* Solves with CG in place of a preconditioner: few iterations outside, as all are inside. */
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

static double dot(int64_t rows, const double *x, const double *y)
{
    double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < rows; i++)
        sum += x[i] * y[i];
    return sum;
}

static void solve(int64_t n, const double *b, double *x)
{
    const int64_t rows = n * n * n;
    double *r = malloc((size_t)(3 * rows) * sizeof *r), *p = r + rows, *q = p + rows;
    if (!r)
        return;
    for (int64_t i = 0; i < rows; i++) {
        x[i] = 0.0;
        r[i] = p[i] = b[i];
    }
    double rr = dot(rows, r, r);
    for (const double goal = 1e-6 * rr; rr > goal;) {
        product(n, p, q);
        const double alpha = rr / dot(rows, p, q), old = rr;
        for (int64_t i = 0; i < rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(rows, r, r);
        for (int64_t i = 0; i < rows; i++)
            p[i] = r[i] + rr / old * p[i];
    }
    free(r);
}

CGSOLVE_PRECONDITIONER(solve)
