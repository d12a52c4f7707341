/* Consistency error of the course benchmark: sqrt(h_x h_y h_z sum_i ((A u)_i - lambda u_i)^2),
 * where -Laplace u = lambda u, in parallel and with the same bits for any number of threads and
 * ranks.
 *
 * u is computed from its factors, a piece of a line at a time from a table of X on the stack; each
 * plane is summed by one thread, and the planes are added in order. */
#include <math.h>

#include "base/memory.h"
#include "fem/consistency.h"

enum { PIECE = 512 };

double cgs_course_eigenvalue(const struct cgs_mesh *mesh)
{
    const double pi = 3.14159265358979323846;
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += 1.0 / (mesh->size[k] * mesh->size[k]);
    return sum * pi * pi;
}

/* Rows ix = begin ... begin + count - 1 of the lines of plane iz; au: of that plane. */
static double sum_piece(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                        const double *au, int64_t begin, int64_t count, int64_t iz)
{
    const double eigenvalue = cgs_course_eigenvalue(mesh);
    double x[PIECE], g[3], sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        cgs_factor_at(problem->factor[0][0], cgs_mesh_coordinate(mesh, 0, begin + i + 1), g);
        x[i] = g[0];
    }
    cgs_factor_at(problem->factor[0][2], cgs_mesh_coordinate(mesh, 2, iz + 1), g);
    const double z = g[0];
    for (int64_t iy = 0; iy < mesh->n[1]; iy++) {
        cgs_factor_at(problem->factor[0][1], cgs_mesh_coordinate(mesh, 1, iy + 1), g);
        const double f = eigenvalue * (g[0] * z);
        const double *restrict row = au + iy * mesh->n[0] + begin;
        double line = 0.0;
#pragma omp simd reduction(+ : line)
        for (int64_t i = 0; i < count; i++) {
            const double r = row[i] - x[i] * f;
            line += r * r;
        }
        sum += line;
    }
    return sum;
}

static double sum_plane(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                        const double *au, int64_t iz)
{
    const int64_t n = mesh->n[0];
    double sum = 0.0;
    for (int64_t begin = 0; begin < n; begin += PIECE)
        sum += sum_piece(problem, mesh, au, begin, n - begin < PIECE ? n - begin : PIECE, iz);
    return sum;
}

enum cgs_status cgs_errors_consistency(struct cgs_context *context,
                                       const struct cgs_problem *problem,
                                       const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                       const double *au, double *error)
{
    const int64_t n = mesh->n[2], last = slab->last < n ? slab->last : n; /* planes of unknowns */
    double *planes = NULL, sum = 0.0;
    enum cgs_status status = cgs_alloc(context, n + 1, sizeof *planes,
                                       "sums of the consistency error", (void **)&planes);
    status = cgs_slab_agree(context, slab, status);
    if (status == CGS_OK) {
        planes[n] = 0.0; /* no unknowns lie above */
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int64_t iz = slab->first; iz < last; iz++)
            planes[iz] =
                sum_plane(problem, mesh, au + (iz - slab->lower) * cgs_mesh_plane(mesh), iz);
        status = cgs_slab_complete(context, slab, 1, planes);
    }
    for (int64_t iz = 0; iz < n && status == CGS_OK; iz++)
        sum += planes[iz];
    cgs_free(context, planes);
    CGS_TRY(status);
    *error = sqrt(cgs_mesh_cell(mesh) * sum);
    return CGS_OK;
}
