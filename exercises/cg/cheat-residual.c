/* cgsolve exercise: cg */
/* Expect: it says that its residual is .*, but the true residual */
/* Its residual is said to be a tenth better than it is. */
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

enum { PATIENCE = 3 }; /* beginnings in a row that may fail to improve x */

static int64_t cg(int64_t rows, const int64_t *pointers, const int32_t *column,
                  const double *values, const double *b, double tolerance, double *x,
                  double *residual)
{
    const double bb = dot(rows, b, b), goal = tolerance * tolerance * bb;
    double *r = malloc((size_t)(3 * rows) * sizeof *r), *p = r + rows, *q = p + rows;
    double rr = bb, best = INFINITY;
    int64_t iterations = 0;
    if (!r)
        return -1;
    for (int64_t i = 0; i < rows; i++) {
        x[i] = 0.0;
        r[i] = p[i] = b[i];
    }
    for (int failures = 0; rr > goal && failures < PATIENCE;) {
        while (rr > goal) { /* by the recursive residual */
            product(rows, pointers, column, values, p, q);
            const double alpha = rr / dot(rows, p, q);
            double new = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : new)
            for (int64_t i = 0; i < rows; i++) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
                new += r[i] * r[i];
            }
            const double beta = new / rr;
            rr = new;
            iterations++;
#pragma omp parallel for simd schedule(static)
            for (int64_t i = 0; i < rows; i++)
                p[i] = r[i] + beta * p[i];
        }
        product(rows, pointers, column, values, x, q); /* the true one, from which to begin anew */
        for (int64_t i = 0; i < rows; i++)
            r[i] = p[i] = b[i] - q[i];
        rr = dot(rows, r, r);
        failures = rr < 0.5 * best ? 0 : failures + 1;
        best = rr < best ? rr : best;
    }
    *residual = bb > 0.0 ? 0.9 * sqrt(rr / bb) : 0.0;
    free(r);
    return iterations;
}

CGSOLVE_CG(cg)
