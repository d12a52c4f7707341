/* Expressions at grids of points. */
#include "fem/own/points.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/own/own.h"

enum {
    PIECE = 1024, /* points evaluated at a time by a thread */
    VARIABLES = CGS_OWN_FACE_VARIABLES,
    ALONE = 2048 /* points that are not worth waking other threads */
};

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

int64_t cgs_own_points_bytes(const struct cgs_mesh *mesh, int threads)
{
    int64_t numbers = (int64_t)threads * VARIABLES * PIECE;
    for (int k = 0; k < 3; k++)
        numbers += (1 + 1 + CGS_LOBATTO + CGS_OWN_GAUSS) * cgs_mesh_cells(mesh, k) + 2;
    return numbers * (int64_t)sizeof(double);
}

enum cgs_status cgs_own_points_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                      struct cgs_own_points *points)
{
    double *memory;
    struct cgs_own_points made = {.memory = NULL};
    CGS_TRY(cgs_alloc(context, cgs_own_points_bytes(mesh, context->threads), 1,
                      "points of expressions", (void **)&memory));
    made.memory = made.pieces = memory;
    memory += (int64_t)context->threads * VARIABLES * PIECE;
    for (int k = 0; k < 3; k++) {
        made.cells[k] = cgs_mesh_cells(mesh, k);
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

static enum cgs_status fill_constant(struct cgs_expression *expression, int64_t count,
                                     double *values)
{
    double value;
    CGS_TRY(cgs_expression_evaluate(expression, 1, NULL, &value));
    for (int64_t i = 0; i < count; i++)
        values[i] = value;
    return CGS_OK;
}

/* Evaluates points begin ... end - 1 by a thread, a piece after the other; returns false if muParser fails. *bad: the
 * first point whose value is not finite, if there is one. */
static bool evaluate_range(const struct cgs_own_points *points,
                           const struct cgs_expression *expression, const struct cgs_own_grid *grid,
                           int thread, int64_t begin, int64_t end, double *values, int64_t *bad)
{
    const double *variables[VARIABLES] = {NULL};
    for (int64_t first = begin; first < end; first += PIECE) {
        const int64_t last = end - first < PIECE ? end : first + PIECE;
        for (int k = 0; k < (grid->normal ? VARIABLES : CGS_OWN_VARIABLES); k++) {
            double *piece = points->pieces + ((int64_t)thread * VARIABLES + k) * PIECE;
            if (cgs_expression_uses(expression, k))
                fill_range(grid, k, first, last, piece);
            variables[k] = piece;
        }
        if (!cgs_expression_evaluate_by(expression, thread, last - first, variables,
                                        values + first))
            return false;
        for (int64_t i = first; i < last; i++)
            *bad = isfinite(values[i]) || i > *bad ? *bad : i;
    }
    return true;
}

/* *bad: the first point whose value is not finite; the number of points if there is none. */
static enum cgs_status evaluate(struct cgs_context *context, const struct cgs_own_points *points,
                                struct cgs_expression *expression, const struct cgs_own_grid *grid,
                                double *values, int64_t *bad)
{
    const int64_t all = cgs_own_grid_points(grid);
    const int threads = all < ALONE ? 1 : context->threads;
    int64_t first = all;
    bool fine = true;
    *bad = all;
    if (cgs_expression_constant(expression)) {
        CGS_TRY(fill_constant(expression, all, values));
        *bad = isfinite(values[0]) ? all : 0;
        return CGS_OK;
    }
    CGS_TRY(cgs_expression_open(expression, threads));
#pragma omp parallel num_threads(threads) reduction(&& : fine) reduction(min : first)
    {
        const int64_t thread = omp_get_thread_num(), team = omp_get_num_threads();
        fine = evaluate_range(points, expression, grid, (int)thread, all * thread / team,
                              all * (thread + 1) / team, values, &first);
    }
    *bad = first;
    return fine ? CGS_OK : cgs_expression_fail(expression);
}

enum cgs_status cgs_own_evaluate(struct cgs_context *context, struct cgs_own_points *points,
                                 struct cgs_expression *expression, const struct cgs_own_grid *grid,
                                 double *values)
{
    int64_t bad;
    return evaluate(context, points, expression, grid, values, &bad);
}

enum cgs_status cgs_own_evaluate_finite(struct cgs_context *context, struct cgs_own_points *points,
                                        const char *what, struct cgs_expression *expression,
                                        const struct cgs_own_grid *grid, double *values)
{
    int64_t bad;
    CGS_TRY(evaluate(context, points, expression, grid, values, &bad));
    if (bad == cgs_own_grid_points(grid))
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "%s '%s' is %g at x = %g, y = %g, z = %g: expected finite values", what,
                    cgs_expression_text(expression), values[bad], coordinate(grid, bad, 0),
                    coordinate(grid, bad, 1), coordinate(grid, bad, 2));
}
