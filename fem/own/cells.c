/* Integrals int f phi of the cells of a plane. */
#include "fem/own/cells.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/mesh.h"
#include "fem/own/settle.h"

enum {
    G = CGS_OWN_GAUSS,
    AT_A_TIME = 1 << 18 /* samples, or two lines of cells for each thread */
};

int64_t cgs_own_sampled_lines(const struct cgs_mesh *mesh, int threads)
{
    const int64_t line = CGS_LOBATTO * CGS_SAMPLES * (CGS_LOBATTO * cgs_mesh_cells(mesh, 0) + 1);
    const int64_t all = cgs_mesh_cells(mesh, 1), least = 2 * (int64_t)threads;
    const int64_t lines = AT_A_TIME / line < least ? least : AT_A_TIME / line;
    return lines < all ? lines : all;
}

int64_t cgs_own_samples(const struct cgs_mesh *mesh, int threads)
{
    return (CGS_LOBATTO * cgs_mesh_cells(mesh, 0) + 1) *
           (CGS_LOBATTO * cgs_own_sampled_lines(mesh, threads) + 1) * CGS_SAMPLES;
}

enum cgs_status cgs_own_sample(struct cgs_context *context, struct cgs_own_points *points,
                               struct cgs_expression *exact, int64_t cy, int64_t cz, int64_t lines,
                               double *samples, int64_t stride[3])
{
    const struct cgs_own_grid grid = {
        .at = {points->lobatto[0], points->lobatto[1] + CGS_LOBATTO * cy,
               points->lobatto[2] + CGS_LOBATTO * cz},
        .count = {CGS_LOBATTO * points->cells[0] + 1, CGS_LOBATTO * lines + 1, CGS_SAMPLES}};
    stride[0] = 1;
    stride[1] = grid.count[0];
    stride[2] = grid.count[0] * grid.count[1];
    return cgs_own_evaluate_finite(context, "the exact solution", exact, &grid, samples);
}

void cgs_own_node_plane(const struct cgs_own *own, const struct cgs_mesh *mesh, int64_t lower,
                        const double *x, int64_t iz, double *plane)
{
    const int64_t *n = mesh->n, line = n[0] + 2;
    iz = cgs_mesh_wrapped(mesh, 2, iz);
    memset(plane, 0, (size_t)(line * (n[1] + 2)) * sizeof *plane);
    cgs_own_boundary(own, mesh, iz, plane);
    for (int64_t iy = 1; iy <= n[1] && x && iz >= 1 && iz <= n[2]; iy++)
        memcpy(plane + iy * line + 1, x + ((iz - 1 - lower) * n[1] + iy - 1) * n[0],
               (size_t)n[0] * sizeof *plane);
    cgs_mesh_wrap_plane(mesh, plane);
}

/* Sets what a given f needs behind its numbers: weights and coordinates. */
static void place_given(struct cgs_own_cells *cells)
{
    const int64_t *c = cells->points->cells;
    const double low = 0.5 - sqrt(1.0 / 12.0), share[2] = {1.0 - low, low};
    for (int b = 0; b < 8; b++)
        cells->weight[b] =
            cgs_mesh_cell(cells->mesh) / 8.0 * share[b & 1] * share[b >> 1 & 1] * share[b >> 2];
    cells->given = cells->memory;
    cells->at[0] = cells->given + 8 * c[0] * c[1];
    cells->at[1] = cells->at[0] + 2 * c[0];
    cells->at[2] = cells->at[1] + 2 * c[1];
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < 2 * c[k]; i++)
            cells->at[k][i] = cells->points->node[k][i / 2] + cells->mesh->h[k] * share[i % 2 == 0];
}

int64_t cgs_own_cells_bytes(const struct cgs_own *own, const struct cgs_mesh *mesh, int threads)
{
    const int64_t c[3] = {cgs_mesh_cells(mesh, 0), cgs_mesh_cells(mesh, 1),
                          cgs_mesh_cells(mesh, 2)};
    const int64_t kappa = own->kappa ? G * G * G * c[0] * cgs_own_sampled_lines(mesh, threads) : 0;
    const int64_t given = 8 * c[0] * c[1] + 2 * (c[0] + c[1] + c[2]);
    return (cgs_own_source_known(own)              ? cgs_own_samples(mesh, threads) + kappa
            : own->source && !own->constant_source ? given
                                                   : 0) *
           (int64_t)sizeof(double);
}

enum cgs_status cgs_own_cells_create(struct cgs_context *context, const struct cgs_own *own,
                                     const struct cgs_mesh *mesh, struct cgs_own_points *points,
                                     struct cgs_own_cells *cells)
{
    struct cgs_own_cells made = {.own = own, .mesh = mesh, .points = points};
    made.lines = cgs_own_sampled_lines(mesh, context->threads);
    made.gauss = cgs_own_basis_gauss(G);
    CGS_TRY(cgs_alloc(context, cgs_own_cells_bytes(own, mesh, context->threads), 1,
                      "points of the source", (void **)&made.memory));
    made.samples = made.memory;
    made.kappa = made.memory + cgs_own_samples(mesh, context->threads);
    if (!cgs_own_source_known(own) && own->source)
        place_given(&made);
    *cells = made;
    return CGS_OK;
}

void cgs_own_cells_release(struct cgs_context *context, struct cgs_own_cells *cells)
{
    cgs_free(context, cells->memory);
    *cells = (struct cgs_own_cells){.memory = NULL};
}

/* Returns the place of the 8 numbers of cell (cx, cy) of the box. */
static double *vector_of(const struct cgs_mesh *mesh, double *vectors, int64_t cx, int64_t cy)
{
    return vectors + 8 * ((cy + (mesh->open[1] & 1)) * (mesh->n[0] + 1) + cx + (mesh->open[0] & 1));
}

/* ---- given f ---- */

/* Evaluates f at the Gauss points of plane cz of the box. */
static enum cgs_status source_points(struct cgs_context *context, struct cgs_own_cells *cells,
                                     int64_t cz)
{
    const int64_t *c = cells->points->cells;
    const struct cgs_own_grid grid = {.at = {cells->at[0], cells->at[1], cells->at[2] + 2 * cz},
                                      .count = {2 * c[0], 2 * c[1], 2}};
    return cgs_own_evaluate_finite(context, "the source", cells->own->source, &grid, cells->given);
}

static void source_line(const struct cgs_own_cells *cells, int64_t cy, int64_t cz, double *vectors)
{
    const int64_t *c = cells->points->cells, line = 2 * c[0];
    for (int64_t cx = 0; cx < c[0]; cx++) {
        double *restrict vector = vector_of(cells->mesh, vectors, cx, cy), f[8] = {0.0};
        const double constant = cells->own->cell_source
                                    ? cells->own->cell_source[(cz * c[1] + cy) * c[0] + cx] *
                                          cgs_mesh_cell(cells->mesh) / 8.0
                                    : 0.0;
        for (int q = 0; q < 8 && cells->own->source; q++)
            f[q] = cells->given[((q >> 2) * 2 * c[1] + 2 * cy + (q >> 1 & 1)) * line + 2 * cx +
                                (q & 1)];
        for (int a = 0; a < 8; a++) {
            double sum = 0.0;
            for (int q = 0; q < 8; q++)
                sum += cells->weight[a ^ q] * f[q];
            vector[a] = sum + constant;
        }
    }
}

/* ---- f from the exact solution ---- */

static void weak_cell(const struct cgs_own_cells *cells, const double *samples,
                      const int64_t stride[3], const double *kappa, int64_t plane, double constant,
                      double *vector)
{
    enum { POINTS = G * G * G };
    const struct cgs_own_basis *gauss = &cells->gauss, *const basis[3] = {gauss, gauss, gauss};
    const int64_t line = G * cells->points->cells[0];
    double u[POINTS], slope[3][POINTS], *const gradient[3] = {slope[0], slope[1], slope[2]};
    double sum[8] = {0.0}, factor[3];
    for (int k = 0; k < 3; k++)
        factor[k] =
            cgs_mesh_cell(cells->mesh) / 8.0 * 4.0 / (cells->mesh->h[k] * cells->mesh->h[k]);
    cgs_own_interpolate(basis, samples, stride, u, gradient);
    for (int q = 0; q < POINTS; q++) {
        const int i[3] = {q % G, q / G % G, q / (G * G)};
        const double s[3] = {gauss->s[i[0]], gauss->s[i[1]], gauss->s[i[2]]};
        const double weight = gauss->weight[i[0]] * gauss->weight[i[1]] * gauss->weight[i[2]] *
                              (kappa ? kappa[i[2] * plane + i[1] * line + i[0]] : constant);
        for (int a = 0; a < 8; a++) {
            double g[3];
            cgs_shape_gradient(a, s, g);
            sum[a] += weight * (factor[0] * slope[0][q] * g[0] + factor[1] * slope[1][q] * g[1] +
                                factor[2] * slope[2][q] * g[2]);
        }
    }
    memcpy(vector, sum, sizeof sum);
}

/* Lines cy ... cy + lines - 1 of plane cz of the box. */
static enum cgs_status weak_lines(struct cgs_context *context, struct cgs_own_cells *cells,
                                  int64_t cy, int64_t cz, int64_t lines, double *vectors)
{
    struct cgs_own_points *points = cells->points;
    const struct cgs_own *own = cells->own;
    const struct cgs_mesh *mesh = cells->mesh;
    const int64_t line = points->cells[0];
    const struct cgs_own_grid grid = {
        .at = {points->gauss[0], points->gauss[1] + G * cy, points->gauss[2] + G * cz},
        .count = {G * line, G * lines, G}};
    int64_t stride[3];
    CGS_TRY(cgs_own_sample(context, points, own->exact, cy, cz, lines, cells->samples, stride));
    if (own->kappa)
        CGS_TRY(cgs_own_evaluate_finite(context, "kappa", own->kappa, &grid, cells->kappa));
    const int64_t plane = G * line * G * lines;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < line * lines; i++) {
        const int64_t cx = i % line, y = i / line;
        weak_cell(cells, cells->samples + CGS_LOBATTO * (cx + y * stride[1]), stride,
                  own->kappa ? cells->kappa + G * (cx + y * G * line) : NULL, plane,
                  cgs_cell_kappa(mesh, cx + (mesh->open[0] & 1), cy + y + (mesh->open[1] & 1),
                                 cz + (mesh->open[2] & 1), NULL),
                  vector_of(mesh, vectors, cx, cy + y));
    }
    return CGS_OK;
}

/* Copies the numbers of the last cells of periodic directions to the first ones, which are the
 * same. */
static void repeat(const struct cgs_mesh *mesh, double *vectors)
{
    const int64_t *n = mesh->n, line = 8 * (n[0] + 1);
    for (int64_t cy = 0; cy <= n[1] && cgs_periodic(mesh->open[0]); cy++)
        memcpy(vectors + cy * line, vectors + cy * line + 8 * n[0], 8 * sizeof *vectors);
    if (cgs_periodic(mesh->open[1]))
        memcpy(vectors, vectors + n[1] * line, (size_t)line * sizeof *vectors);
}

static enum cgs_status integrate(struct cgs_context *context, struct cgs_own_cells *cells,
                                 int64_t cz, double *vectors)
{
    const struct cgs_mesh *mesh = cells->mesh;
    const int64_t *c = cells->points->cells;
    const int64_t z = (cgs_mesh_repeats(mesh, 2, cz) ? mesh->n[2] : cz) - (mesh->open[2] & 1);
    memset(vectors, 0, (size_t)(8 * (mesh->n[0] + 1) * (mesh->n[1] + 1)) * sizeof *vectors);
    if (z < 0 || z >= c[2])
        return CGS_OK;
    if (cgs_own_source_known(cells->own)) {
        for (int64_t cy = 0; cy < c[1]; cy += cells->lines)
            CGS_TRY(weak_lines(context, cells, cy, z,
                               c[1] - cy < cells->lines ? c[1] - cy : cells->lines, vectors));
        return CGS_OK;
    }
    if (cells->own->source)
        CGS_TRY(source_points(context, cells, z));
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t cy = 0; cy < c[1]; cy++)
        source_line(cells, cy, z, vectors);
    return CGS_OK;
}

enum cgs_status cgs_own_cells_plane(struct cgs_context *context, struct cgs_own_cells *cells,
                                    int64_t cz, double *vectors)
{
    CGS_TRY(integrate(context, cells, cz, vectors));
    repeat(cells->mesh, vectors);
    return CGS_OK;
}
