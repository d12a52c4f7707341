/* Expressions at grids of points. */
#include "fem/user_problem/points.h"

#include <stddef.h>

#include "base/memory.h"
#include "fem/grading.h"

static void fill_direction(const struct cgs_mesh *mesh, int k, struct cgs_user_points *points)
{
    /* in [0, 1]: Gauss-Lobatto points (1 -+ sqrt(3/7))/2, Gauss points (1 -+ sqrt(3/5))/2 */
    static const double lobatto[CGS_LOBATTO] = {0.0, 0.17267316464601142810, 0.5,
                                                0.82732683535398857190};
    static const double gauss[CGS_USER_GAUSS] = {0.11270166537925831148, 0.5,
                                                 0.88729833462074168852};
    const int64_t low = mesh->open[k] & 1, cells = points->cells[k];
    for (int64_t c = 0; c <= cells; c++) {
        const double x = cgs_grading_node(mesh, k, c + low);
        points->node[k][c] = points->lobatto[k][CGS_LOBATTO * c] = x;
        if (c == cells)
            break;
        const double h = cgs_grading_length(mesh, k, c + low);
        points->centre[k][c] =
            mesh->grading ? x + 0.5 * h : mesh->size[k] * cgs_cell_middle(mesh, k, c);
        for (int i = 1; i < CGS_LOBATTO; i++)
            points->lobatto[k][CGS_LOBATTO * c + i] = x + h * lobatto[i];
        for (int i = 0; i < CGS_USER_GAUSS; i++)
            points->gauss[k][CGS_USER_GAUSS * c + i] = x + h * gauss[i];
    }
}

int64_t cgs_user_points_bytes(const struct cgs_mesh *mesh)
{
    int64_t numbers = 0;
    for (int k = 0; k < 3; k++)
        numbers += (1 + 1 + CGS_LOBATTO + CGS_USER_GAUSS) * cgs_mesh_cells(mesh, k) + 2;
    return numbers * (int64_t)sizeof(double);
}

enum cgs_status cgs_user_points_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                       struct cgs_user_points *points)
{
    double *memory;
    struct cgs_user_points made = {.memory = NULL};
    CGS_TRY(cgs_alloc(context, cgs_user_points_bytes(mesh), 1, "points of expressions",
                      (void **)&memory));
    made.memory = memory;
    for (int k = 0; k < 3; k++) {
        made.cells[k] = cgs_mesh_cells(mesh, k);
        made.node[k] = memory;
        made.centre[k] = made.node[k] + made.cells[k] + 1;
        made.lobatto[k] = made.centre[k] + made.cells[k];
        made.gauss[k] = made.lobatto[k] + CGS_LOBATTO * made.cells[k] + 1;
        memory = made.gauss[k] + CGS_USER_GAUSS * made.cells[k];
        fill_direction(mesh, k, &made);
    }
    *points = made;
    return CGS_OK;
}

void cgs_user_points_release(struct cgs_context *context, struct cgs_user_points *points)
{
    cgs_free(context, points->memory);
    *points = (struct cgs_user_points){.memory = NULL};
}

int64_t cgs_user_grid_points(const struct cgs_user_grid *grid)
{
    return grid->count[0] * grid->count[1] * grid->count[2];
}

/* Coordinate k of point i. */
static double coordinate(const struct cgs_user_grid *grid, int64_t i, int k)
{
    const int64_t *count = grid->count;
    return grid->at[k][k == 0 || grid->list ? i % count[0]
                       : k == 1             ? i / count[0] % count[1]
                                            : i / (count[0] * count[1])];
}

static struct cgs_expression_grid variables_of(const struct cgs_user_grid *grid)
{
    struct cgs_expression_grid at = {.count = {grid->count[0], grid->count[1], grid->count[2]}};
    for (int k = 0; k < 3; k++) {
        at.variable[k] = grid->at[k];
        at.direction[k] = grid->list ? 0 : k;
        at.variable[3 + k] = grid->normal ? grid->normal + k : NULL;
        at.direction[3 + k] = CGS_FIXED;
    }
    return at;
}

int64_t cgs_user_evaluate(const struct cgs_expression *expression, const struct cgs_user_grid *grid,
                          double *values)
{
    const struct cgs_expression_grid at = variables_of(grid);
    return cgs_expression_evaluate(expression, &at, values);
}

void cgs_user_outcomes(const struct cgs_expression *expression, const struct cgs_user_grid *grid,
                       double *values)
{
    const struct cgs_expression_grid at = variables_of(grid);
    cgs_expression_outcomes(expression, &at, values);
}

enum cgs_status cgs_user_evaluate_finite(struct cgs_context *context, const char *what,
                                         const struct cgs_expression *expression,
                                         const struct cgs_user_grid *grid, double *values)
{
    const int64_t bad = cgs_user_evaluate(expression, grid, values);
    if (bad == cgs_user_grid_points(grid))
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "%s '%s' is %g at x = %g, y = %g, z = %g: expected finite values", what,
                    cgs_expression_text(expression), values[bad], coordinate(grid, bad, 0),
                    coordinate(grid, bad, 1), coordinate(grid, bad, 2));
}
