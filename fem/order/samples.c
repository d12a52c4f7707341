/* The exact solution at Gauss points. */
#include "fem/order/samples.h"

#include "base/memory.h"
#include "fem/user_problem/layers.h"
#include "fem/user_problem/points.h"
#include "fem/user_problem/user_problem.h"

/* Writes the derivatives at s of the polynomials through `count` points, as cgs_lagrange. */
static void slopes_at(int count, const double *point, double s, double *slope)
{
    for (int a = 0; a < count; a++) {
        double product = 1.0, derivative = 0.0, scale = 1.0;
        for (int b = 0; b < count; b++)
            if (b != a) {
                derivative = derivative * (s - point[b]) + product;
                product *= s - point[b];
                scale *= point[a] - point[b];
            }
        slope[a] = derivative / scale;
    }
}

static void place_points(const struct cgs_order_line *line, struct cgs_order_samples *samples,
                         int k)
{
    const int p = line->order, m = samples->points;
    for (int64_t i = 0; i < samples->count[k]; i++) {
        const int64_t c = i / m;
        const double low = line->size * cgs_order_coordinate(line, p * c);
        samples->at[k][i] = low + 0.5 * line->length * cgs_order_stretch(line, c) *
                                      (1.0 + samples->basis.point[i % m]);
    }
    for (int t = 0; t < samples->problem->terms; t++)
        for (int64_t i = 0; i < samples->count[k]; i++) {
            double g[3];
            cgs_factor_at(samples->problem->factor[t][k], samples->over[k] * samples->at[k][i], g);
            samples->factor[t][k][i] = g[0];
        }
}

/* Returns the values of a layer: of the solution, kappa and c where they vary in cells, and room to
 * evaluate expressions. */
static int layers_of(const struct cgs_mesh *mesh)
{
    const int kappa = mesh->kappa.points <= 1 ? 0 : mesh->kappa.orthotropic ? 3 : 1;
    return 2 + kappa + (mesh->kappa.varying & CGS_VARYING_REACTION ? 1 : 0);
}

/* Numbers of all points of the three directions, times 1 + terms, and of layers. */
static int64_t numbers_of(const struct cgs_mesh *mesh, int terms)
{
    const int64_t p = mesh->order, m = p + 3;
    int64_t points[3];
    for (int k = 0; k < 3; k++)
        points[k] = m * (cgs_mesh_cells(mesh, k) / p);
    return (1 + terms) * (points[0] + points[1] + points[2]) +
           layers_of(mesh) * points[0] * points[1] * m;
}

int64_t cgs_order_samples_bytes(const struct cgs_mesh *mesh)
{
    return numbers_of(mesh, CGS_TERMS) * (int64_t)sizeof(double);
}

enum cgs_status cgs_order_samples_create(struct cgs_context *context,
                                         const struct cgs_problem *problem,
                                         const struct cgs_mesh *mesh,
                                         struct cgs_order_samples *samples)
{
    const struct cgs_order_box box = cgs_order_box(mesh);
    const int p = mesh->order, m = p + 3;
    *samples = (struct cgs_order_samples){
        .problem = problem, .points = m, .mesh = mesh, .cells = cgs_order_mesh_of_cells(mesh)};
    cgs_basis_gauss(p, m, &samples->basis);
    for (int q = 0; q < m; q++)
        slopes_at(m, samples->basis.point, samples->basis.point[q], samples->slope[q]);
    for (int side = 0; side < 2; side++)
        slopes_at(m, samples->basis.point, side ? 1.0 : -1.0, samples->end[side]);
    CGS_TRY(cgs_alloc(context, numbers_of(mesh, problem->terms), sizeof(double),
                      "samples of the solution", (void **)&samples->memory));
    double *next = samples->memory;
    for (int k = 0; k < 3; k++) {
        samples->count[k] = m * box.line[k].cells;
        samples->over[k] = 1.0 / mesh->size[k];
        samples->at[k] = next;
        for (int t = 0; t < problem->terms; t++)
            samples->factor[t][k] = next += samples->count[k];
        next += samples->count[k];
        place_points(&box.line[k], samples, k);
    }
    const int64_t layer = samples->count[0] * samples->count[1] * m;
    samples->value = next;
    samples->scratch = next + layer;
    if (mesh->kappa.varying & CGS_VARYING_REACTION)
        samples->reaction = next + (layers_of(mesh) - 1) * layer;
    if (mesh->kappa.points > 1)
        samples->kappa = samples->scratch + layer;
    return CGS_OK;
}

void cgs_order_samples_release(struct cgs_context *context, struct cgs_order_samples *samples)
{
    cgs_free(context, samples->memory);
    samples->memory = NULL;
}

static struct cgs_user_layer layer_of(const struct cgs_order_samples *samples, int64_t cz)
{
    const int m = samples->points;
    return (struct cgs_user_layer){
        .at = {samples->at[0], samples->at[1], samples->at[2]},
        .cells = {samples->count[0] / m, samples->count[1] / m, samples->count[2] / m},
        .cz = cz,
        .points = m};
}

enum cgs_status cgs_order_samples_source(struct cgs_context *context,
                                         struct cgs_order_samples *samples, int64_t cz)
{
    const struct cgs_user_layer layer = layer_of(samples, cz);
    return cgs_user_layer_source(context, samples->problem->user, &layer, samples->scratch,
                                 samples->value);
}

static enum cgs_status find_coefficients(struct cgs_context *context,
                                         struct cgs_order_samples *samples, int64_t cz)
{
    const struct cgs_user_layer layer = layer_of(samples, cz);
    const int64_t count = samples->count[0] * samples->count[1] * samples->points;
    for (int k = 0; samples->kappa && k < (samples->mesh->kappa.orthotropic ? 3 : 1); k++)
        CGS_TRY(cgs_user_layer_kappa(context, samples->problem->user, &layer, k, samples->scratch,
                                     samples->kappa + k * count));
    if (samples->reaction)
        CGS_TRY(cgs_user_layer_reaction(context, samples->problem->user, &layer, samples->scratch,
                                        samples->reaction));
    return CGS_OK;
}

enum cgs_status cgs_order_samples_layer(struct cgs_context *context,
                                        struct cgs_order_samples *samples, int64_t cz)
{
    const struct cgs_problem *problem = samples->problem;
    const int64_t *count = samples->count, first = cz * samples->points;
    const struct cgs_user_grid grid = {
        .at = {samples->at[0], samples->at[1], samples->at[2] + first},
        .count = {count[0], count[1], samples->points}};
    CGS_TRY(find_coefficients(context, samples, cz));
    if (problem->user)
        return cgs_user_evaluate_finite(context, "the exact solution", problem->user->exact, &grid,
                                        samples->value);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t line = 0; line < count[1] * samples->points; line++) {
        double *value = samples->value + line * count[0];
        for (int64_t i = 0; i < count[0]; i++)
            value[i] = 0.0;
        for (int t = 0; t < problem->terms; t++) {
            const double across = samples->factor[t][1][line % count[1]] *
                                  samples->factor[t][2][first + line / count[1]];
            for (int64_t i = 0; i < count[0]; i++)
                value[i] += samples->factor[t][0][i] * across;
        }
    }
    return CGS_OK;
}
