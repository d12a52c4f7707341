/* Expressions at grids of points. */
#include "fem/own/points.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"

enum { CHUNK = 1 << 16 }; /* points evaluated at a time */

static void fill_direction(const struct cgs_mesh *mesh, int k, struct cgs_own_points *points)
{
    /* in [0, 1]: Gauss-Lobatto points (1 -+ sqrt(3/7))/2, Gauss points (1 -+ sqrt(3/5))/2 */
    static const double lobatto[CGS_LOBATTO] = {0.0, 0.17267316464601142810, 0.5,
                                                0.82732683535398857190};
    static const double gauss[CGS_OWN_GAUSS] = {0.11270166537925831148, 0.5,
                                                0.88729833462074168852};
    const int64_t low = mesh->open[k] & 1, cells = points->cells[k];
    for (int64_t c = 0; c <= cells; c++) {
        const double x = cgs_mesh_position(mesh, k, c + low), h = mesh->h[k];
        points->node[k][c] = points->lobatto[k][CGS_LOBATTO * c] = x;
        if (c == cells)
            break;
        points->centre[k][c] = mesh->size[k] * cgs_cell_middle(mesh, k, c);
        for (int i = 1; i < CGS_LOBATTO; i++)
            points->lobatto[k][CGS_LOBATTO * c + i] = x + h * lobatto[i];
        for (int i = 0; i < CGS_OWN_GAUSS; i++)
            points->gauss[k][CGS_OWN_GAUSS * c + i] = x + h * gauss[i];
    }
}

enum cgs_status cgs_own_points_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                      struct cgs_own_points *points)
{
    int64_t numbers = 6 * CHUNK;
    double *memory;
    struct cgs_own_points made = {.memory = NULL};
    for (int k = 0; k < 3; k++) {
        made.cells[k] = cgs_mesh_cells(mesh, k);
        numbers += (1 + 1 + CGS_LOBATTO + CGS_OWN_GAUSS) * made.cells[k] + 2;
    }
    CGS_TRY(cgs_alloc(context, numbers, sizeof *memory, "points of expressions", (void **)&memory));
    made.memory = memory;
    for (int i = 0; i < 6; i++, memory += CHUNK)
        made.chunk[i] = memory;
    for (int k = 0; k < 3; k++) {
        made.node[k] = memory;
        made.centre[k] = made.node[k] + made.cells[k] + 1;
        made.lobatto[k] = made.centre[k] + made.cells[k];
        made.gauss[k] = made.lobatto[k] + CGS_LOBATTO * made.cells[k] + 1;
        memory = made.gauss[k] + CGS_OWN_GAUSS * made.cells[k];
        fill_direction(mesh, k, &made);
    }
    *points = made;
    return CGS_OK;
}

void cgs_own_points_release(struct cgs_context *context, struct cgs_own_points *points)
{
    cgs_free(context, points->memory);
    *points = (struct cgs_own_points){.memory = NULL};
}

int64_t cgs_own_grid_points(const struct cgs_own_grid *grid)
{
    return grid->count[0] * grid->count[1] * grid->count[2];
}

/* Coordinate k of point i. */
static double coordinate(const struct cgs_own_grid *grid, int64_t i, int k)
{
    const int64_t *count = grid->count;
    return grid->at[k][k == 0   ? i % count[0]
                       : k == 1 ? i / count[0] % count[1]
                                : i / (count[0] * count[1])];
}

/* Writes a variable at points first ... last - 1 of the grid, a piece of a line at a time. */
static void fill_range(const struct cgs_own_grid *grid, int variable, int64_t first, int64_t last,
                       double *to)
{
    const int64_t line = grid->count[0];
    while (first < last) {
        const int64_t left = line - first % line, count = left < last - first ? left : last - first;
        const double number =
            variable < 3 ? coordinate(grid, first, variable) : grid->normal[variable - 3];
        if (variable == 0)
            memcpy(to, grid->at[0] + first % line, (size_t)count * sizeof *to);
        else
            for (int64_t i = 0; i < count; i++)
                to[i] = number;
        first += count;
        to += count;
    }
}

/* Writes those variables of points first ... first + count - 1 that the expression uses. */
static void fill_chunk(const struct cgs_context *context, const struct cgs_own_points *points,
                       const struct cgs_expression *expression, const struct cgs_own_grid *grid,
                       int64_t first, int64_t count)
{
    enum { PARTS = 64 };
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int part = 0; part < PARTS; part++) {
        const int64_t begin = count * part / PARTS, end = count * (part + 1) / PARTS;
        for (int variable = 0; variable < (grid->normal ? 6 : 3); variable++)
            if (cgs_expression_uses(expression, variable))
                fill_range(grid, variable, first + begin, first + end,
                           points->chunk[variable] + begin);
    }
}

static enum cgs_status fill_constant(struct cgs_expression *expression, int64_t count,
                                     double *values)
{
    double value;
    CGS_TRY(cgs_expression_evaluate(expression, 1, NULL, &value));
    for (int64_t i = 0; i < count; i++)
        values[i] = value;
    return CGS_OK;
}

enum cgs_status cgs_own_evaluate(struct cgs_context *context, struct cgs_own_points *points,
                                 struct cgs_expression *expression, const struct cgs_own_grid *grid,
                                 double *values)
{
    /* Chunks alike: a short last one would be for fewer threads, and OpenMP's library starts the others anew. */
    const int64_t all = cgs_own_grid_points(grid), chunks = (all + CHUNK - 1) / CHUNK;
    if (cgs_expression_constant(expression))
        return fill_constant(expression, all, values);
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        const int64_t first = all * chunk / chunks, count = all * (chunk + 1) / chunks - first;
        fill_chunk(context, points, expression, grid, first, count);
        CGS_TRY(cgs_expression_evaluate(expression, count, (const double *const *)points->chunk,
                                        values + first));
    }
    return CGS_OK;
}

enum cgs_status cgs_own_evaluate_finite(struct cgs_context *context, struct cgs_own_points *points,
                                        const char *what, struct cgs_expression *expression,
                                        const struct cgs_own_grid *grid, double *values)
{
    const int64_t all = cgs_own_grid_points(grid);
    int64_t bad = all; /* the first one */
    CGS_TRY(cgs_own_evaluate(context, points, expression, grid, values));
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < all; i++)
        bad = isfinite(values[i]) || i > bad ? bad : i;
    if (bad == all)
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "%s '%s' is %g at x = %g, y = %g, z = %g: expected finite values", what,
                    cgs_expression_text(expression), values[bad], coordinate(grid, bad, 0),
                    coordinate(grid, bad, 1), coordinate(grid, bad, 2));
}
