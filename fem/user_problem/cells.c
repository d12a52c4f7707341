/* Integrals int f phi of the cells of a plane. */
#include "fem/user_problem/cells.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/grading.h"
#include "fem/mesh.h"
#include "fem/user_problem/settle.h"

enum {
    G = CGS_USER_GAUSS,
    AT_A_TIME = 1 << 18, /* samples, or two lines of cells for each thread */
    SEEN = 5,            /* points in each direction at which jumps are looked for in a cell */
    FINE = 1000          /* the most points of a cell in which f jumps */
};

/* Parts of a cell in a direction in which f jumps, by the number of such directions. */
static const int fine_parts[4] = {2, 250, 20, 10};

int64_t cgs_user_sampled_lines(const struct cgs_mesh *mesh, int threads)
{
    const int64_t line = CGS_LOBATTO * CGS_SAMPLES * (CGS_LOBATTO * cgs_mesh_cells(mesh, 0) + 1);
    const int64_t all = cgs_mesh_cells(mesh, 1), least = 2 * (int64_t)threads;
    const int64_t lines = AT_A_TIME / line < least ? least : AT_A_TIME / line;
    return lines < all ? lines : all;
}

int64_t cgs_user_samples(const struct cgs_mesh *mesh, int threads)
{
    return (CGS_LOBATTO * cgs_mesh_cells(mesh, 0) + 1) *
           (CGS_LOBATTO * cgs_user_sampled_lines(mesh, threads) + 1) * CGS_SAMPLES;
}

enum cgs_status cgs_user_sample(struct cgs_context *context, struct cgs_user_points *points,
                                struct cgs_expression *exact, int64_t cy, int64_t cz, int64_t lines,
                                double *samples, int64_t stride[3])
{
    const struct cgs_user_grid grid = {
        .at = {points->lobatto[0], points->lobatto[1] + CGS_LOBATTO * cy,
               points->lobatto[2] + CGS_LOBATTO * cz},
        .count = {CGS_LOBATTO * points->cells[0] + 1, CGS_LOBATTO * lines + 1, CGS_SAMPLES}};
    stride[0] = 1;
    stride[1] = grid.count[0];
    stride[2] = grid.count[0] * grid.count[1];
    return cgs_user_evaluate_finite(context, "the exact solution", exact, &grid, samples);
}

void cgs_user_node_plane(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                         int64_t lower, const double *x, int64_t iz, double *plane)
{
    const int64_t *n = mesh->n, line = n[0] + 2;
    iz = cgs_mesh_wrapped(mesh, 2, iz);
    memset(plane, 0, (size_t)(line * (n[1] + 2)) * sizeof *plane);
    cgs_user_boundary(user, mesh, iz, plane);
    for (int64_t iy = 1; iy <= n[1] && x && iz >= 1 && iz <= n[2]; iy++)
        memcpy(plane + iy * line + 1, x + ((iz - 1 - lower) * n[1] + iy - 1) * n[0],
               (size_t)n[0] * sizeof *plane);
    cgs_mesh_wrap_plane(mesh, plane);
}

static bool may_jump(const struct cgs_user_problem *user)
{
    return user->source && cgs_expression_may_jump(user->source);
}

/* Returns the points of a plane of cells at which jumps are looked for. */
static int64_t outcomes(const struct cgs_mesh *mesh)
{
    return 3 * (2 * cgs_mesh_cells(mesh, 0) + 1) * (2 * cgs_mesh_cells(mesh, 1) + 1);
}

/* Sets what a given f needs behind its numbers: weights and coordinates. */
static void place_given(struct cgs_user_cells *cells)
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
            cells->at[k][i] =
                cells->points->node[k][i / 2] +
                cgs_grading_length(cells->mesh, k, i / 2 + (cells->mesh->open[k] & 1)) *
                    share[i % 2 == 0];
    if (!may_jump(cells->user))
        return;
    cells->outcome = cells->at[2] + 2 * c[2];
    cells->seen[0] = cells->outcome + outcomes(cells->mesh);
    cells->seen[1] = cells->seen[0] + 2 * c[0] + 1;
    cells->seen[2] = cells->seen[1] + 2 * c[1] + 1;
    cells->jumps = (unsigned char *)(cells->seen[2] + 2 * c[2] + 1);
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i <= 2 * c[k]; i++)
            cells->seen[k][i] =
                i % 2 == 0 ? cells->points->node[k][i / 2] : cells->points->centre[k][i / 2];
}

int64_t cgs_user_cells_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                             int threads)
{
    const int64_t c[3] = {cgs_mesh_cells(mesh, 0), cgs_mesh_cells(mesh, 1),
                          cgs_mesh_cells(mesh, 2)};
    const int64_t kappa =
        user->kappa ? G * G * G * c[0] * cgs_user_sampled_lines(mesh, threads) : 0;
    int64_t given = 8 * c[0] * c[1] + 2 * (c[0] + c[1] + c[2]), jumps = 0;
    if (may_jump(user)) {
        given += outcomes(mesh) + 2 * (c[0] + c[1] + c[2]) + 3;
        jumps = c[0] * c[1];
    }
    const int64_t number = (int64_t)sizeof(double);
    return cgs_user_source_known(user) ? (cgs_user_samples(mesh, threads) + kappa) * number
           : user->source && !user->constant_source ? given * number + jumps
                                                    : 0;
}

enum cgs_status cgs_user_cells_create(struct cgs_context *context,
                                      const struct cgs_user_problem *user,
                                      const struct cgs_mesh *mesh, struct cgs_user_points *points,
                                      struct cgs_user_cells *cells)
{
    struct cgs_user_cells made = {.user = user, .mesh = mesh, .points = points};
    made.lines = cgs_user_sampled_lines(mesh, context->threads);
    made.gauss = cgs_user_basis_gauss(G);
    CGS_TRY(cgs_alloc(context, cgs_user_cells_bytes(user, mesh, context->threads), 1,
                      "points of the source", (void **)&made.memory));
    made.samples = made.memory;
    made.kappa = made.memory + cgs_user_samples(mesh, context->threads);
    if (!cgs_user_source_known(user) && user->source)
        place_given(&made);
    *cells = made;
    return CGS_OK;
}

void cgs_user_cells_release(struct cgs_context *context, struct cgs_user_cells *cells)
{
    cgs_free(context, cells->memory);
    *cells = (struct cgs_user_cells){.memory = NULL};
}

/* Returns the volume of cell (cx, cy, cz) of the box. */
static double volume_of(const struct cgs_mesh *mesh, int64_t cx, int64_t cy, int64_t cz)
{
    const int64_t c[3] = {cx + (mesh->open[0] & 1), cy + (mesh->open[1] & 1),
                          cz + (mesh->open[2] & 1)};
    return cgs_mesh_cell(mesh) * cgs_grading_volume(mesh, c);
}

/* Returns the place of the 8 numbers of cell (cx, cy) of the box. */
static double *vector_of(const struct cgs_mesh *mesh, double *vectors, int64_t cx, int64_t cy)
{
    return vectors + 8 * ((cy + (mesh->open[1] & 1)) * (mesh->n[0] + 1) + cx + (mesh->open[0] & 1));
}

/* ---- given f ---- */

/* Returns true if one outcome is not that of the first one: those of a cell's nodes and middles. */
static bool differs(const double *outcome, int64_t line, int64_t plane)
{
    bool other = false;
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
                other = other || outcome[z * plane + y * line + x] != *outcome;
    return other;
}

/* Points of a cell, to be evaluated by one thread. */
struct points {
    double share[3][FINE], at[3][FINE]; /* the place in the cell, in [0, 1], and in the box */
    int count;
};

/* Makes count[k] points in direction k of cell c, at share[k][...] of it. */
static void place_points(const struct cgs_user_cells *cells, const int64_t c[3], const int count[3],
                         const double *const share[3], struct points *points)
{
    points->count = 0;
    for (int z = 0; z < count[2]; z++)
        for (int y = 0; y < count[1]; y++)
            for (int x = 0; x < count[0]; x++, points->count++) {
                points->share[0][points->count] = share[0][x];
                points->share[1][points->count] = share[1][y];
                points->share[2][points->count] = share[2][z];
            }
    for (int k = 0; k < 3; k++)
        for (int q = 0; q < points->count; q++)
            points->at[k][q] =
                cells->points->node[k][c[k]] +
                cgs_grading_length(cells->mesh, k, c[k] + (cells->mesh->open[k] & 1)) *
                    points->share[k][q];
}

static struct cgs_user_grid list_of(const struct points *points)
{
    return (struct cgs_user_grid){.at = {points->at[0], points->at[1], points->at[2]},
                                  .count = {points->count, 1, 1},
                                  .list = true};
}

/* Returns the directions in which f jumps inside of cell c of the box: bit k. Where outcomes differ
 * f may be the same, as that of x < 0.5 && y < 0.5 is beside the edge. */
static unsigned char directions(const struct cgs_user_cells *cells, const int64_t c[3])
{
    /* The outer points lie inside, so that a jump between cells is in none of them. */
    static const double share[SEEN] = {1e-6, 0.25, 0.5, 0.75, 1.0 - 1e-6};
    static const double *const shares[3] = {share, share, share};
    static const int count[3] = {SEEN, SEEN, SEEN};
    struct points points;
    double outcome[SEEN * SEEN * SEEN], f[SEEN * SEEN * SEEN];
    unsigned char along = 0;
    place_points(cells, c, count, shares, &points);
    const struct cgs_user_grid list = list_of(&points);
    cgs_user_outcomes(cells->user->source, &list, outcome);
    cgs_user_evaluate(cells->user->source, &list, f);
    for (int q = 0; q < points.count; q++)
        for (int k = 0, stride = 1; k < 3; k++, stride *= SEEN)
            if (q / stride % SEEN > 0 && outcome[q] != outcome[q - stride] && f[q] != f[q - stride])
                along |= (unsigned char)(1 << k);
    return along;
}

/* Finds the cells of plane cz of the box in which f jumps. */
static void find_jumps(struct cgs_context *context, struct cgs_user_cells *cells, int64_t cz)
{
    const int64_t *n = cells->points->cells, line = 2 * n[0] + 1, plane = line * (2 * n[1] + 1);
    const struct cgs_user_grid grid = {
        .at = {cells->seen[0], cells->seen[1], cells->seen[2] + 2 * cz},
        .count = {line, 2 * n[1] + 1, 3}};
    cgs_user_outcomes(cells->user->source, &grid, cells->outcome);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < n[0] * n[1]; i++) {
        const int64_t c[3] = {i % n[0], i / n[0], cz};
        cells->jumps[i] = 0;
        if (differs(cells->outcome + 2 * (c[0] + c[1] * line), line, plane))
            cells->jumps[i] = directions(cells, c);
    }
}

/* Makes the points of the rule of a cell in which f jumps in these directions: the midpoints of
 * many parts there, Gauss's points in the others. All have the same weight. */
static void place_fine(const struct cgs_user_cells *cells, const int64_t c[3], int jumps,
                       struct points *points)
{
    const double low = 0.5 - sqrt(1.0 / 12.0), gauss[2] = {low, 1.0 - low};
    const int parts = fine_parts[(jumps & 1) + (jumps >> 1 & 1) + (jumps >> 2)];
    double middle[FINE];
    const double *share[3];
    int count[3];
    for (int i = 0; i < parts; i++)
        middle[i] = (i + 0.5) / parts;
    for (int k = 0; k < 3; k++) {
        share[k] = jumps >> k & 1 ? middle : gauss;
        count[k] = jumps >> k & 1 ? parts : 2;
    }
    place_points(cells, c, count, share, points);
}

/* Adds int f phi of cell c of the box, in which f jumps. Returns false if f is not finite. */
static bool add_jump(const struct cgs_user_cells *cells, const int64_t c[3], int jumps,
                     double *vector)
{
    struct points points;
    double f[FINE], sum[8] = {0.0};
    place_fine(cells, c, jumps, &points);
    const struct cgs_user_grid list = list_of(&points);
    if (cgs_user_evaluate(cells->user->source, &list, f) < points.count)
        return false;
    for (int q = 0; q < points.count; q++) {
        const double x = points.share[0][q], y = points.share[1][q], z = points.share[2][q];
        const double low = (1.0 - z) * f[q], high = z * f[q];
        const double part[4] = {(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y};
        for (int a = 0; a < 4; a++) {
            sum[a] += part[a] * low;
            sum[4 + a] += part[a] * high;
        }
    }
    for (int a = 0; a < 8; a++)
        vector[a] += volume_of(cells->mesh, c[0], c[1], c[2]) / points.count * sum[a];
    return true;
}

static enum cgs_status add_jumps(struct cgs_context *context, const struct cgs_user_cells *cells,
                                 int64_t cz, double *vectors)
{
    const int64_t *n = cells->points->cells, all = n[0] * n[1];
    int64_t bad = all;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 16) reduction(min : bad)
    for (int64_t i = 0; i < all; i++) {
        const int64_t c[3] = {i % n[0], i / n[0], cz};
        if (cells->jumps[i] &&
            !add_jump(cells, c, cells->jumps[i], vector_of(cells->mesh, vectors, c[0], c[1])))
            bad = i < bad ? i : bad;
    }
    if (bad == all)
        return CGS_OK;
    const int64_t c[3] = {bad % n[0], bad / n[0], cz};
    struct points points;
    double f[FINE];
    place_fine(cells, c, cells->jumps[bad], &points);
    const struct cgs_user_grid list = list_of(&points);
    return cgs_user_evaluate_finite(context, "the source", cells->user->source, &list, f);
}

/* Evaluates f at the Gauss points of plane cz of the box. */
static enum cgs_status source_points(struct cgs_context *context, struct cgs_user_cells *cells,
                                     int64_t cz)
{
    const int64_t *c = cells->points->cells;
    const struct cgs_user_grid grid = {.at = {cells->at[0], cells->at[1], cells->at[2] + 2 * cz},
                                       .count = {2 * c[0], 2 * c[1], 2}};
    return cgs_user_evaluate_finite(context, "the source", cells->user->source, &grid,
                                    cells->given);
}

static void source_line(const struct cgs_user_cells *cells, int64_t cy, int64_t cz, double *vectors)
{
    const int64_t *c = cells->points->cells, line = 2 * c[0];
    for (int64_t cx = 0; cx < c[0]; cx++) {
        double *restrict vector = vector_of(cells->mesh, vectors, cx, cy), f[8] = {0.0};
        const double volume = volume_of(cells->mesh, cx, cy, cz);
        const double stretch = volume / cgs_mesh_cell(cells->mesh); /* 1 of equal cells */
        const double constant =
            cells->user->cell_source
                ? cells->user->cell_source[(cz * c[1] + cy) * c[0] + cx] * volume / 8.0
                : 0.0;
        const bool smooth = !cells->jumps || !cells->jumps[cy * c[0] + cx];
        for (int q = 0; q < 8 && cells->user->source && smooth; q++)
            f[q] = cells->given[((q >> 2) * 2 * c[1] + 2 * cy + (q >> 1 & 1)) * line + 2 * cx +
                                (q & 1)];
        for (int a = 0; a < 8; a++) {
            double sum = 0.0;
            for (int q = 0; q < 8; q++)
                sum += cells->weight[a ^ q] * f[q];
            vector[a] = stretch * sum + constant;
        }
    }
}

/* ---- f from the exact solution ---- */

/* Cell c of the mesh. kappa: at the Gauss points, NULL: the cell's. */
static void weak_cell(const struct cgs_user_cells *cells, const double *samples,
                      const int64_t stride[3], const double *kappa, int64_t plane,
                      const int64_t c[3], double *vector)
{
    enum { POINTS = G * G * G };
    const struct cgs_user_basis *gauss = &cells->gauss, *const basis[3] = {gauss, gauss, gauss};
    const int64_t line = G * cells->points->cells[0];
    double u[POINTS], slope[3][POINTS], *const gradient[3] = {slope[0], slope[1], slope[2]};
    double sum[8] = {0.0}, factor[3];
    const bool orthotropic = cells->mesh->kappa.orthotropic;
    const double constant = orthotropic ? 1.0 : cgs_cell_kappa(cells->mesh, c[0], c[1], c[2], NULL);
    for (int k = 0; k < 3; k++)
        factor[k] = cgs_mesh_cell(cells->mesh) / 8.0 * 4.0 /
                    (cells->mesh->h[k] * cells->mesh->h[k]) *
                    (kappa         ? cgs_grading_along(cells->mesh, k, c)
                     : orthotropic ? cgs_cell_kappa_along(cells->mesh, k, c[0], c[1], c[2], NULL)
                                   : 1.0);
    const double reaction = /* constant in each cell, as in the matrix */
        cells->mesh->kappa.reaction
            ? cgs_mesh_cell(cells->mesh) / 8.0 *
                  cgs_cell_kappa_along(cells->mesh, CGS_REACTION, c[0], c[1], c[2], NULL)
            : 0.0;
    cgs_user_interpolate(basis, samples, stride, u, gradient);
    for (int q = 0; q < POINTS; q++) {
        const int i[3] = {q % G, q / G % G, q / (G * G)};
        const double s[3] = {gauss->s[i[0]], gauss->s[i[1]], gauss->s[i[2]]};
        const double measure = gauss->weight[i[0]] * gauss->weight[i[1]] * gauss->weight[i[2]];
        const double weight =
            measure * (kappa ? kappa[i[2] * plane + i[1] * line + i[0]] : constant);
        const double absorbed = reaction * measure * u[q];
        for (int a = 0; a < 8; a++) {
            double g[3];
            cgs_shape_gradient(a, s, g);
            sum[a] += weight * (factor[0] * slope[0][q] * g[0] + factor[1] * slope[1][q] * g[1] +
                                factor[2] * slope[2][q] * g[2]);
            if (absorbed != 0.0)
                sum[a] += absorbed * cgs_shape(a, s);
        }
    }
    memcpy(vector, sum, sizeof sum);
}

/* Lines cy ... cy + lines - 1 of plane cz of the box. */
static enum cgs_status weak_lines(struct cgs_context *context, struct cgs_user_cells *cells,
                                  int64_t cy, int64_t cz, int64_t lines, double *vectors)
{
    struct cgs_user_points *points = cells->points;
    const struct cgs_user_problem *user = cells->user;
    const struct cgs_mesh *mesh = cells->mesh;
    const int64_t line = points->cells[0];
    const struct cgs_user_grid grid = {
        .at = {points->gauss[0], points->gauss[1] + G * cy, points->gauss[2] + G * cz},
        .count = {G * line, G * lines, G}};
    int64_t stride[3];
    CGS_TRY(cgs_user_sample(context, points, user->exact, cy, cz, lines, cells->samples, stride));
    if (user->kappa)
        CGS_TRY(cgs_user_evaluate_finite(context, "kappa", user->kappa, &grid, cells->kappa));
    const int64_t plane = G * line * G * lines;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < line * lines; i++) {
        const int64_t cx = i % line, y = i / line;
        const int64_t c[3] = {cx + (mesh->open[0] & 1), cy + y + (mesh->open[1] & 1),
                              cz + (mesh->open[2] & 1)};
        weak_cell(cells, cells->samples + CGS_LOBATTO * (cx + y * stride[1]), stride,
                  user->kappa ? cells->kappa + G * (cx + y * G * line) : NULL, plane, c,
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

static enum cgs_status integrate(struct cgs_context *context, struct cgs_user_cells *cells,
                                 int64_t cz, double *vectors)
{
    const struct cgs_mesh *mesh = cells->mesh;
    const int64_t *c = cells->points->cells;
    const int64_t z = (cgs_mesh_repeats(mesh, 2, cz) ? mesh->n[2] : cz) - (mesh->open[2] & 1);
    memset(vectors, 0, (size_t)(8 * (mesh->n[0] + 1) * (mesh->n[1] + 1)) * sizeof *vectors);
    if (z < 0 || z >= c[2])
        return CGS_OK;
    if (cgs_user_source_known(cells->user)) {
        for (int64_t cy = 0; cy < c[1]; cy += cells->lines)
            CGS_TRY(weak_lines(context, cells, cy, z,
                               c[1] - cy < cells->lines ? c[1] - cy : cells->lines, vectors));
        return CGS_OK;
    }
    if (cells->user->source)
        CGS_TRY(source_points(context, cells, z));
    if (cells->jumps)
        find_jumps(context, cells, z);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t cy = 0; cy < c[1]; cy++)
        source_line(cells, cy, z, vectors);
    return cells->jumps ? add_jumps(context, cells, z, vectors) : CGS_OK;
}

enum cgs_status cgs_user_cells_plane(struct cgs_context *context, struct cgs_user_cells *cells,
                                     int64_t cz, double *vectors)
{
    CGS_TRY(integrate(context, cells, cz, vectors));
    repeat(cells->mesh, vectors);
    return CGS_OK;
}
