/* cgsolve exercise: cg */
/* Expect: true residual */
/* Compares a square with the tolerance itself: it stops after half of the digits. */
#include <math.h>

#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
            sum += values[k] * x[column[k]];
        y[i] = sum;
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

static int64_t cg(int64_t rows, const int64_t *pointers, const int32_t *column,
                  const double *values, const double *b, double tolerance, double *x,
                  double *residual)
{
    double *r = malloc((size_t)(3 * rows) * sizeof *r), *p = r + rows, *q = p + rows;
    const double bb = dot(rows, b, b), goal = tolerance * bb;
    double rr = bb;
    int64_t iterations = 0;
    if (!r)
        return -1;
    for (int64_t i = 0; i < rows; i++) {
        x[i] = 0.0;
        r[i] = p[i] = b[i];
    }
    while (rr > goal) {
        product(rows, pointers, column, values, p, q);
        const double alpha = rr / dot(rows, p, q), old = rr;
        for (int64_t i = 0; i < rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(rows, r, r);
        for (int64_t i = 0; i < rows; i++)
            p[i] = r[i] + rr / old * p[i];
        iterations++;
    }
    product(rows, pointers, column, values, x, q);
    for (int64_t i = 0; i < rows; i++)
        r[i] = b[i] - q[i];
    *residual = bb > 0.0 ? sqrt(dot(rows, r, r) / bb) : 0.0;
    free(r);
    return iterations;
}

CGSOLVE_CG(cg)
