/* Consistency error of the course benchmark: sqrt(h^3 sum_i ((A u)_i - 3 pi^2 u_i)^2), where
 * -Laplace u = 3 pi^2 u, in parallel and with the same bits for any number of threads.
 *
 * Needs no memory and cannot fail: u is computed from its factors, a piece of a line at a time from
 * a table of X on the stack; the sum runs over a fixed number of slabs of planes.
 */
#include <math.h>

#include "fem/errors.h"

enum { SLABS = 64, PIECE = 512 };

/* Rows ix = begin ... begin + count - 1 of the lines of planes first <= iz < last. */
static double sum_box(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                      const double *au, int64_t begin, int64_t count, int64_t first, int64_t last)
{
    const int64_t n = mesh->n;
    const double eigenvalue = CGS_COURSE_EIGENVALUE;
    double x[PIECE], g[3], sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        cgs_factor_at(problem->factor[0][0], cgs_mesh_coordinate(mesh, begin + i + 1), g);
        x[i] = g[0];
    }
    for (int64_t iz = first; iz < last; iz++) {
        cgs_factor_at(problem->factor[0][2], cgs_mesh_coordinate(mesh, iz + 1), g);
        const double z = g[0];
        for (int64_t iy = 0; iy < n; iy++) {
            cgs_factor_at(problem->factor[0][1], cgs_mesh_coordinate(mesh, iy + 1), g);
            const double f = eigenvalue * (g[0] * z);
            const double *restrict row = au + (iz * n + iy) * n + begin;
            double line = 0.0;
#pragma omp simd reduction(+ : line)
            for (int64_t i = 0; i < count; i++) {
                const double r = row[i] - x[i] * f;
                line += r * r;
            }
            sum += line;
        }
    }
    return sum;
}

double cgs_errors_consistency(struct cgs_context *context, const struct cgs_problem *problem,
                              const struct cgs_mesh *mesh, const double *au)
{
    const int64_t n = mesh->n;
    double slab[SLABS] = {0.0}, sum = 0.0;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int s = 0; s < SLABS; s++)
        for (int64_t begin = 0; begin < n; begin += PIECE)
            slab[s] += sum_box(problem, mesh, au, begin, n - begin < PIECE ? n - begin : PIECE,
                               n * s / SLABS, n * (s + 1) / SLABS);
    for (int s = 0; s < SLABS; s++)
        sum += slab[s];
    return sqrt(mesh->h * mesh->h * mesh->h * sum);
}
