/* Error norms against the exact solution of the user's own problem.
 *
 * 4-point Gauss in each cell of the box and direction; u and grad u at these points from u at
 * Gauss-Lobatto points (fem/user_problem/samples.h). Cells of a line are added in order, then
 * lines, then planes, so that neither threads nor ranks change a bit. */
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/vectorise.h"
#include "fem/errors_cells.h"
#include "fem/grading.h"
#include "fem/problem.h"
#include "fem/user_problem/cells.h"
#include "fem/user_problem/errors.h"

enum { P = CGS_BASIS_POINTS, POINTS = P * P * P };

struct sweep {
    const struct cgs_user_problem *user;
    const struct cgs_mesh *mesh;
    const struct cgs_slab *slab;
    const double *x;
    struct cgs_user_points points;
    struct cgs_user_basis gauss;
    double measure[POINTS], shape[8][POINTS],
        slope[3][8][POINTS]; /* slopes in x, y, z of the box */
    int64_t lines;           /* of cells at a time */
    double *samples, *nodes[2],
        *exact; /* u at points of these; u_h below and above; u at a plane of unknowns */
    struct cgs_point_sums *line, *planes;
};

static void make_points(struct sweep *sweep)
{
    sweep->gauss = cgs_user_basis_gauss(P);
    for (int q = 0; q < POINTS; q++) {
        const int i[3] = {q % P, q / P % P, q / (P * P)};
        double s[3], slope[3];
        sweep->measure[q] = cgs_mesh_cell(sweep->mesh) / 8.0;
        for (int k = 0; k < 3; k++) {
            s[k] = sweep->gauss.s[i[k]];
            sweep->measure[q] *= sweep->gauss.weight[i[k]];
        }
        for (int a = 0; a < 8; a++) {
            sweep->shape[a][q] = cgs_shape(a, s);
            cgs_shape_gradient(a, s, slope);
            for (int k = 0; k < 3; k++)
                sweep->slope[k][a][q] = slope[k] * (2.0 / sweep->mesh->h[k]);
        }
    }
}

/* Returns all numbers of sweep->samples, and those of its parts. */
static int64_t numbers_of(const struct cgs_mesh *mesh, int threads, int64_t *samples,
                          int64_t *nodes)
{
    *samples = cgs_user_samples(mesh, threads);
    *nodes = (mesh->n[0] + 2) * (mesh->n[1] + 2);
    return *samples + 2 * *nodes + cgs_mesh_plane(mesh);
}

int64_t cgs_user_errors_bytes(const struct cgs_mesh *mesh, int threads)
{
    int64_t samples, nodes;
    return numbers_of(mesh, threads, &samples, &nodes) * (int64_t)sizeof(double) +
           (cgs_user_sampled_lines(mesh, threads) + mesh->n[2] + 1) *
               (int64_t)sizeof(struct cgs_point_sums) +
           cgs_user_points_bytes(mesh);
}

static enum cgs_status create(struct cgs_context *context, struct sweep *sweep)
{
    const struct cgs_mesh *mesh = sweep->mesh;
    int64_t samples, nodes;
    const int64_t all = numbers_of(mesh, context->threads, &samples, &nodes);
    CGS_TRY(cgs_user_points_create(context, mesh, &sweep->points));
    make_points(sweep);
    sweep->lines = cgs_user_sampled_lines(mesh, context->threads);
    CGS_TRY(cgs_alloc(context, all, sizeof(double), "planes of the error norms",
                      (void **)&sweep->samples));
    sweep->nodes[0] = sweep->samples + samples;
    sweep->nodes[1] = sweep->nodes[0] + nodes;
    sweep->exact = sweep->nodes[1] + nodes;
    CGS_TRY(cgs_alloc(context, sweep->lines, sizeof *sweep->line, "lines of the error norms",
                      (void **)&sweep->line));
    return cgs_alloc(context, mesh->n[2] + 1, sizeof *sweep->planes, "sums of the error norms",
                     (void **)&sweep->planes);
}

static void release(struct cgs_context *context, struct sweep *sweep)
{
    cgs_free(context, sweep->planes);
    cgs_free(context, sweep->line);
    cgs_free(context, sweep->samples);
    cgs_user_points_release(context, &sweep->points);
}

/* Adds at[a][q] value[a] to sum[q], corner after corner. */
CGS_PIECE void add_corners(const double at[8][POINTS], const double value[8],
                           double sum[restrict POINTS])
{
    for (int a = 0; a < 8; a++)
        for (int q = 0; q < POINTS; q++)
            sum[q] += at[a][q] * value[a];
}

/* Cell (cx, cy, cz) of the mesh. */
static CGS_CLONES void add_cell(const struct sweep *sweep, const double *samples,
                                const int64_t stride[3], int64_t cx, int64_t cy, int64_t cz,
                                struct cgs_point_sums *sums)
{
    const struct cgs_user_basis *const basis[3] = {&sweep->gauss, &sweep->gauss, &sweep->gauss};
    const int64_t line = sweep->mesh->n[0] + 2;
    double u[POINTS], slope[3][POINTS], *const gradient[3] = {slope[0], slope[1], slope[2]};
    double value[8], error[POINTS], square[POINTS] = {0.0}, l2 = 0.0, h1 = 0.0, energy = 0.0;
    const bool orthotropic = sweep->mesh->kappa.orthotropic;
    const int64_t cell[3] = {cx, cy, cz};
    const double volume = cgs_grading_volume(sweep->mesh, cell);
    cgs_user_interpolate(basis, samples, stride, u, gradient);
    for (int a = 0; a < 8; a++)
        value[a] = sweep->nodes[a >> 2][(cy + (a >> 1 & 1)) * line + cx + (a & 1)];
    for (int q = 0; q < POINTS; q++)
        error[q] = -u[q];
    add_corners(sweep->shape, value, error);
    for (int k = 0; k < 3; k++) {
        double g[POINTS];
        for (int q = 0; q < POINTS; q++)
            g[q] = -slope[k][q] * 2.0 / sweep->mesh->h[k];
        add_corners(sweep->slope[k], value, g);
        const double over = 1.0 / cgs_grading_stretch(sweep->mesh, k, cell[k]), part = over * over;
        for (int q = 0; q < POINTS; q++)
            square[q] += part * (g[q] * g[q]);
        const double kappa =
            orthotropic ? cgs_cell_kappa_along(sweep->mesh, k, cx, cy, cz, NULL) : 0.0;
        for (int q = 0; q < POINTS && orthotropic; q++)
            energy += kappa * sweep->measure[q] * (g[q] * g[q]);
    }
    for (int q = 0; q < POINTS; q++) {
        l2 += sweep->measure[q] * (error[q] * error[q]);
        h1 += sweep->measure[q] * square[q];
    }
    if (sweep->mesh->kappa.reaction)
        energy += cgs_cell_kappa_along(sweep->mesh, CGS_REACTION, cx, cy, cz, NULL) * l2;
    l2 *= volume; /* the energy is that of equal cells with numbers of these (struct cgs_mesh) */
    h1 *= volume;
    sums->l2 += l2;
    sums->h1 += h1;
    sums->energy += orthotropic ? energy : cgs_cell_kappa(sweep->mesh, cx, cy, cz, NULL) * h1;
}

/* Lines y ... y + lines - 1 of plane z of the cells of the box. */
static enum cgs_status add_lines(struct cgs_context *context, struct sweep *sweep, int64_t y,
                                 int64_t z, int64_t lines, struct cgs_point_sums *sums)
{
    const struct cgs_mesh *mesh = sweep->mesh;
    const int64_t low[3] = {mesh->open[0] & 1, mesh->open[1] & 1, mesh->open[2] & 1};
    int64_t stride[3];
    CGS_TRY(cgs_user_sample(context, &sweep->points, sweep->user->exact, y, z, lines,
                            sweep->samples, stride));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < lines; i++) {
        struct cgs_point_sums line = {0};
        for (int64_t cx = 0; cx < sweep->points.cells[0]; cx++)
            add_cell(sweep, sweep->samples + CGS_LOBATTO * (cx + i * stride[1]), stride,
                     cx + low[0], y + i + low[1], z + low[2], &line);
        sweep->line[i] = line;
    }
    for (int64_t i = 0; i < lines; i++)
        cgs_point_sums_add(sums, &sweep->line[i]);
    return CGS_OK;
}

/* The plane of unknowns iz. */
static enum cgs_status add_nodal(struct cgs_context *context, struct sweep *sweep, int64_t iz,
                                 struct cgs_point_sums *sums)
{
    const int64_t plane = cgs_mesh_plane(sweep->mesh);
    const double *x = sweep->x + (iz - sweep->slab->lower) * plane;
    struct cgs_user_grid grid = {.count = {sweep->mesh->n[0], sweep->mesh->n[1], 1}};
    for (int k = 0; k < 3; k++) /* unknown i is node i + 1, that of the box without the void one */
        grid.at[k] = sweep->points.node[k] + 1 - (sweep->mesh->open[k] & 1) + (k == 2 ? iz : 0);
    CGS_TRY(cgs_user_evaluate_finite(context, "the exact solution", sweep->user->exact, &grid,
                                     sweep->exact));
    const int64_t *n = sweep->mesh->n;
    for (int64_t i = 0; i < plane; i++) {
        const double error = x[i] - sweep->exact[i];
        const double weight = cgs_grading_beside(sweep->mesh, 0, 1 + i % n[0]) *
                              cgs_grading_beside(sweep->mesh, 1, 1 + i / n[0]) *
                              cgs_grading_beside(sweep->mesh, 2, 1 + iz);
        sums->nodal += weight * (error * error);
        sums->max = fabs(error) > sums->max ? fabs(error) : sums->max;
    }
    return CGS_OK;
}

static enum cgs_status sum_plane(struct cgs_context *context, struct sweep *sweep, int64_t cz,
                                 struct cgs_point_sums *sums)
{
    const int64_t *cells = sweep->points.cells, z = cz - (sweep->mesh->open[2] & 1);
    *sums = (struct cgs_point_sums){0};
    if (cz < sweep->mesh->n[2])
        CGS_TRY(add_nodal(context, sweep, cz, sums));
    if (z < 0 || z >= cells[2])
        return CGS_OK;
    for (int upper = 0; upper < 2; upper++)
        cgs_user_node_plane(sweep->user, sweep->mesh, sweep->slab->lower, sweep->x, cz + upper,
                            sweep->nodes[upper]);
    for (int64_t y = 0; y < cells[1]; y += sweep->lines) {
        const int64_t lines = cells[1] - y < sweep->lines ? cells[1] - y : sweep->lines;
        CGS_TRY(add_lines(context, sweep, y, z, lines, sums));
    }
    return CGS_OK;
}

static struct cgs_errors errors_of(const struct sweep *sweep)
{
    const struct cgs_problem problem = {.user = (struct cgs_user_problem *)sweep->user};
    for (int64_t cz = 1; cz <= sweep->mesh->n[2]; cz++)
        cgs_point_sums_add(&sweep->planes[0], &sweep->planes[cz]);
    return cgs_errors_of_points(&problem, sweep->mesh, &sweep->planes[0]);
}

enum cgs_status cgs_user_errors(struct cgs_context *context, const struct cgs_user_problem *user,
                                const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                const double *x, struct cgs_errors *errors)
{
    enum { NUMBERS = sizeof(struct cgs_point_sums) / sizeof(double) };
    struct sweep sweep = {.user = user, .mesh = mesh, .slab = slab, .x = x};
    if (!user->exact)
        return cgs_fail(context, CGS_BUG, "the solution is not known");
    enum cgs_status status = create(context, &sweep);
    for (int64_t cz = slab->first; cz < slab->last && status == CGS_OK; cz++)
        status = sum_plane(context, &sweep, cz, &sweep.planes[cz]);
    status = cgs_slab_agree(context, slab, status);
    if (status == CGS_OK)
        status = cgs_slab_complete(context, slab, NUMBERS, sweep.planes);
    if (status == CGS_OK)
        *errors = errors_of(&sweep);
    release(context, &sweep);
    return status;
}
