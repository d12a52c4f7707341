/* cgsolve exercise: matrix-free */
/* Cause: one_thread */
#include <cgsolve/exercise.h>

/* Line (j, k) of x, or zeros outside of the box. */
static const double *line(int64_t n, const double *x, int64_t j, int64_t k, const double *zeros)
{
    return j < 0 || j >= n || k < 0 || k >= n ? zeros : x + n * (j + n * k);
}

static void box_product(int64_t n, const double *x, double *y)
{
    const double scale = 1.0 / (12.0 * (double)(n + 1));
    double *zeros = calloc((size_t)n, sizeof *zeros);
    if (!zeros)
        return;
    {
        double d[n], room[n + 2], *a = room + 1;
        a[-1] = a[n] = 0.0;

        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++) {
                const double *s = line(n, x, j, k - 1, zeros), *t = line(n, x, j, k + 1, zeros);
                const double *u = line(n, x, j - 1, k, zeros), *v = line(n, x, j + 1, k, zeros);
                const double *p = line(n, x, j - 1, k - 1, zeros);
                const double *q = line(n, x, j + 1, k - 1, zeros);
                const double *r = line(n, x, j - 1, k + 1, zeros);
                const double *w = line(n, x, j + 1, k + 1, zeros);
                const double *c = x + n * (j + n * k);
                double *out = y + n * (j + n * k);
#pragma omp simd
                for (int64_t i = 0; i < n; i++) {
                    d[i] = p[i] + q[i] + r[i] + w[i];
                    a[i] = 2.0 * (s[i] + t[i] + u[i] + v[i]) + d[i];
                }
#pragma omp simd
                for (int64_t i = 0; i < n; i++)
                    out[i] = scale * (32.0 * c[i] - 2.0 * d[i] - a[i - 1] - a[i + 1]);
            }
    }
    free(zeros);
}

CGSOLVE_BOX_PRODUCT(box_product)
